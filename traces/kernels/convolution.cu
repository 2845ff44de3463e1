// 3x3 convolution of a grey image. Outside the image lies its nearest pixel. One thread per output pixel; the grid covers
// the image, and may be larger.
#include "lockstep_cuda.cuh"

/// Row by row; weights[4] belongs to the pixel itself.
struct Weights {
  float w[9];
};

/// Every thread reads its nine pixels from global memory.
extern "C" __global__ void convolution_global(const unsigned short* __restrict__ input, float* __restrict__ output,
                                              int width, int height, Weights weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned short* row = input + min(max(y + dy, 0), height - 1) * width;
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) sum += weights.w[3 * (dy + 1) + dx + 1] * row[min(max(x + dx, 0), width - 1)];
  }
  output[y * width + x] = sum;
}

extern __shared__ float tile[];

/// The block first loads its pixels and a border of one pixel into scratchpad memory:
/// (blockDim.x + 2) * (blockDim.y + 2) words.
extern "C" __global__ void convolution_tiled(const unsigned short* __restrict__ input, float* __restrict__ output,
                                             int width, int height, Weights weights) {
  const int tile_width = blockDim.x + 2, tile_height = blockDim.y + 2;
  const int left = blockIdx.x * blockDim.x - 1, top = blockIdx.y * blockDim.y - 1;
  for (int j = threadIdx.y; j < tile_height; j += blockDim.y) {
    const unsigned short* row = input + min(max(top + j, 0), height - 1) * width;
    for (int i = threadIdx.x; i < tile_width; i += blockDim.x)
      tile[j * tile_width + i] = row[min(max(left + i, 0), width - 1)];
  }
  __syncthreads();

  const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* corner = tile + threadIdx.y * tile_width + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 3; ++j) {
#pragma unroll
    for (int i = 0; i < 3; ++i) sum += weights.w[3 * j + i] * corner[j * tile_width + i];
  }
  output[y * width + x] = sum;
}
