// Sums of an array, one per block: a tree in scratchpad memory, with the two orders of addresses of CUDA's reduction
// example that have one active half: interleaved (pairs at growing distance, whose words lie 2, 4, 8, ... apart) and
// sequential (pairs at shrinking distance, whose words are neighbours).
#include "lockstep_cuda.cuh"

#define MOST_THREADS 1024

__device__ __forceinline__ int element(const int* input, unsigned int count) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  return i < count ? input[i] : 0;
}

/// A power of two of threads, at most 1024.
extern "C" __global__ void reduction_interleaved(const int* __restrict__ input, unsigned int count,
                                                 int* __restrict__ sums) {
  __shared__ int data[MOST_THREADS];
  const unsigned int t = threadIdx.x;
  data[t] = element(input, count);
  __syncthreads();
#pragma unroll 1
  for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
    const unsigned int index = 2 * distance * t;
    if (index < blockDim.x) data[index] += data[index + distance];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = data[0];
}

extern "C" __global__ void reduction_sequential(const int* __restrict__ input, unsigned int count,
                                                int* __restrict__ sums) {
  __shared__ int data[MOST_THREADS];
  const unsigned int t = threadIdx.x;
  data[t] = element(input, count);
  __syncthreads();
#pragma unroll 1
  for (unsigned int distance = blockDim.x / 2; distance > 0; distance /= 2) {
    if (t < distance) data[t] += data[t + distance];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = data[0];
}
