// Weighted accumulation: sums[a][p] = sum over all images i of weights[a][i] * images[i][p], for each pixel p and each of
// gridDim.y accumulations a. The images lie one behind the other, the weights in constant memory.
#include "lockstep_cuda.cuh"

/// weights[a * count + i].
__constant__ float weights[16384];

__device__ __forceinline__ void accumulate(const float* __restrict__ images, float* __restrict__ sums, int pixels,
                                           int count, int pixel) {
  const float* weight = weights + blockIdx.y * count;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) sum += weight[i] * images[i * pixels + pixel];
  sums[blockIdx.y * pixels + pixel] = sum;
}

/// A thread has one pixel; the blocks of a row of the grid cover all.
extern "C" __global__ void accumulate_single(const float* __restrict__ images, float* __restrict__ sums, int pixels,
                                             int count) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel < pixels) accumulate(images, sums, pixels, count, pixel);
}

/// The threads of a row of the grid take pixels in turns, each in a loop.
extern "C" __global__ void accumulate_looped(const float* __restrict__ images, float* __restrict__ sums, int pixels,
                                             int count) {
#pragma unroll 1
  for (int pixel = blockIdx.x * blockDim.x + threadIdx.x; pixel < pixels; pixel += gridDim.x * blockDim.x)
    accumulate(images, sums, pixels, count, pixel);
}

/// The same two without weights, for one accumulation.
__device__ __forceinline__ void add_up(const float* __restrict__ images, float* __restrict__ sums, int pixels,
                                       int count, int pixel) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) sum += images[i * pixels + pixel];
  sums[pixel] = sum;
}
extern "C" __global__ void add_up_single(const float* __restrict__ images, float* __restrict__ sums, int pixels,
                                         int count) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel < pixels) add_up(images, sums, pixels, count, pixel);
}
extern "C" __global__ void add_up_looped(const float* __restrict__ images, float* __restrict__ sums, int pixels,
                                         int count) {
#pragma unroll 1
  for (int pixel = blockIdx.x * blockDim.x + threadIdx.x; pixel < pixels; pixel += gridDim.x * blockDim.x)
    add_up(images, sums, pixels, count, pixel);
}
