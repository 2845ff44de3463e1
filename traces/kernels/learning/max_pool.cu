// Largest values of 3x3 windows, two pixels apart, with a border of one, and where in the window they are; and the way back, in
// which each input collects the gradients of the windows that took it.
#include "lockstep_cuda.cuh"

#define WINDOW 3
#define STRIDE 2

extern "C" __global__ void max_pool(const float* __restrict__ input, float* __restrict__ output,
                                    unsigned char* __restrict__ places, int width, int height, int out_width,
                                    int out_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out_width || y >= out_height) return;
  const float* plane = input + (size_t)blockIdx.z * width * height;
  float best = -__builtin_inff();
  int place = 0;
#pragma unroll
  for (int dy = 0; dy < WINDOW; ++dy) {
    const int row = y * STRIDE + dy - 1;
    if (row < 0 || row >= height) continue;
#pragma unroll
    for (int dx = 0; dx < WINDOW; ++dx) {
      const int column = x * STRIDE + dx - 1;
      if (column < 0 || column >= width) continue;
      const float value = plane[row * width + column];
      if (value > best) {
        best = value;
        place = dy * WINDOW + dx;
      }
    }
  }
  const size_t index = ((size_t)blockIdx.z * out_height + y) * out_width + x;
  output[index] = best;
  places[index] = place;
}

extern "C" __global__ void max_pool_back(const float* __restrict__ gradient, const unsigned char* __restrict__ places,
                                         float* __restrict__ result, int width, int height, int out_width,
                                         int out_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const size_t plane = (size_t)blockIdx.z * out_width * out_height;
  const int last_y = min((y + 1) / STRIDE, out_height - 1), last_x = min((x + 1) / STRIDE, out_width - 1);
  float sum = 0;
  for (int oy = y / STRIDE; oy <= last_y; ++oy) {
    for (int ox = x / STRIDE; ox <= last_x; ++ox) {
      const int place = (y + 1 - oy * STRIDE) * WINDOW + x + 1 - ox * STRIDE;
      if (places[plane + oy * out_width + ox] == place) sum += gradient[plane + oy * out_width + ox];
    }
  }
  result[((size_t)blockIdx.z * height + y) * width + x] = sum;
}
