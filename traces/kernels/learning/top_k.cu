// The k-th largest of each row and which values are at least as large, by selecting one digit of eight bits after the other from
// histograms in shared memory. A block for each row.
#include "lockstep_cuda.cuh"

#define DIGITS 256

/// Whole numbers in the order of the values.
__device__ __forceinline__ unsigned int ordered(float value) {
  const unsigned int bits = __float_as_uint(value);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

__device__ __forceinline__ float unordered(unsigned int key) {
  return __uint_as_float(key >> 31 ? key ^ 0x80000000u : ~key);
}

extern "C" __global__ void top_k(const float* __restrict__ values, int length, int k, float* __restrict__ limits,
                                 unsigned char* __restrict__ selected) {
  __shared__ unsigned int histogram[DIGITS];
  __shared__ unsigned int chosen, rest;
  const float* row = values + (size_t)blockIdx.x * length;
  unsigned int prefix = 0, mask = 0, wanted = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < DIGITS; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
      const unsigned int key = ordered(row[i]);
      if ((key & mask) == prefix) atomicAdd(&histogram[key >> shift & (DIGITS - 1)], 1u);
    }
    __syncthreads();
    // One warp: eight digits per lane, counted from the largest down.
    if (threadIdx.x < 32) {
      const int top = DIGITS - 1 - 8 * threadIdx.x;
      unsigned int own = 0;
#pragma unroll
      for (int i = 0; i < 8; ++i) own += histogram[top - i];
      unsigned int sum = own;
      for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned int other = __shfl_up_sync(0xffffffffu, sum, distance);
        if (threadIdx.x >= distance) sum += other;
      }
      unsigned int before = sum - own;
      if (before < wanted && wanted <= sum) {
        int digit = top;
        while (before + histogram[digit] < wanted) before += histogram[digit--];
        chosen = digit;
        rest = wanted - before;
      }
    }
    __syncthreads();
    prefix |= chosen << shift;
    mask |= (DIGITS - 1u) << shift;
    wanted = rest;
    __syncthreads();
  }
  if (threadIdx.x == 0) limits[blockIdx.x] = unordered(prefix);
  for (int i = threadIdx.x; i < length; i += blockDim.x)
    selected[(size_t)blockIdx.x * length + i] = ordered(row[i]) >= prefix;
}
