// Scalar products of many pairs of vectors. A block computes one at a time: 1024 partial sums in scratchpad memory, then
// a tree of sums whose halves lie apart, so that neighbouring threads always access neighbouring words (M. Harris,
// "Optimizing Parallel Reduction in CUDA", NVIDIA 2007). blockDim.x is at most 1024.
#include "lockstep_cuda.cuh"

#define SUMS 1024

extern "C" __global__ void scalar_product(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ products, int vectors, int length) {
  __shared__ float sums[SUMS];
  for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
    const int first = vector * length, end = first + length;
    for (int i = threadIdx.x; i < SUMS; i += blockDim.x) {
      float sum = 0;
      for (int at = first + i; at < end; at += SUMS) sum += a[at] * b[at];
      sums[i] = sum;
    }
    for (int half = SUMS / 2; half > 0; half /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < half; i += blockDim.x) sums[i] += sums[half + i];
    }
    if (threadIdx.x == 0) products[vector] = sums[0];
    __syncthreads();
  }
}
