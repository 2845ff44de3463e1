// Gradient of the 3x3 weights of a convolution: a block for each pair of input and output channel adds nine products over all
// pixels of all images, in registers, then over its threads.
#include "lockstep_cuda.cuh"

#define THREADS 160

extern "C" __global__ void __launch_bounds__(THREADS)
    convolution_gradient(const float* __restrict__ input, const float* __restrict__ gradient,
                         float* __restrict__ result, int images, int width, int height) {
  __shared__ float partial[9][THREADS / 32];
  const int in = blockIdx.x, in_channels = gridDim.x, out = blockIdx.y, out_channels = gridDim.y;
  const int pixels = width * height;
  float sums[9] = {};
  for (int image = 0; image < images; ++image) {
    const float* plane = input + (image * in_channels + in) * pixels;
    const float* slopes = gradient + (image * out_channels + out) * pixels;
    for (int i = threadIdx.x; i < pixels; i += THREADS) {
      const int y = i / width, x = i - y * width;
      const float slope = slopes[i];
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
          const bool inside = (unsigned int)(y + dy) < height && (unsigned int)(x + dx) < width;
          sums[3 * dy + dx + 4] += slope * (inside ? plane[i + dy * width + dx] : 0.0f);
        }
      }
    }
  }
#pragma unroll
  for (int tap = 0; tap < 9; ++tap) {
    float sum = sums[tap];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0) partial[tap][threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x < 9) {
    float sum = 0;
    for (int w = 0; w < THREADS / 32; ++w) sum += partial[threadIdx.x][w];
    result[(out * in_channels + in) * 9 + threadIdx.x] = sum;
  }
}
