// Number-theoretic transforms modulo 2^64 - 2^32 + 1 of many polynomials, one per thread block in scratchpad memory: radix 2,
// decimation in frequency, bits of the index reversed at the end. A first launch makes the table of roots.
#include "lockstep_cuda.cuh"

typedef unsigned long long u64;
#define PRIME 0xffffffff00000001ull

__device__ __forceinline__ u64 add(u64 a, u64 b) {
  const u64 sum = a + b;
  return sum < a || sum >= PRIME ? sum - PRIME : sum;
}
__device__ __forceinline__ u64 subtract(u64 a, u64 b) {
  return a >= b ? a - b : a - b + PRIME;
}

/// 2^64 is 2^32 - 1 and 2^96 is -1 modulo the prime.
__device__ __forceinline__ u64 multiply(u64 a, u64 b) {
  const u64 low = a * b, high = __umul64hi(a, b);
  const u64 top = high >> 32, middle = high & 0xffffffffu;
  u64 result = low - top;
  if (low < top) result -= 0xffffffffu;
  const u64 product = middle * 0xffffffffu;
  result += product;
  if (result < product) result += 0xffffffffu;
  return result >= PRIME ? result - PRIME : result;
}

extern "C" __global__ void ntt_roots(u64* __restrict__ roots, unsigned int size) {
  const unsigned int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= size / 2) return;
  u64 exponent = (PRIME - 1) / size * k, square = 7, power = 1;
  for (; exponent; exponent >>= 1, square = multiply(square, square))
    if (exponent & 1) power = multiply(power, square);
  roots[k] = power;
}

extern "C" __global__ void goldilocks_ntt(const u64* __restrict__ input, const u64* __restrict__ roots,
                                          u64* __restrict__ output, unsigned int log_size) {
  extern __shared__ u64 data[];
  const unsigned int size = 1u << log_size, first = blockIdx.x << log_size;
  for (unsigned int i = threadIdx.x; i < size; i += blockDim.x) data[i] = input[first + i];
  for (unsigned int stage = 0; stage < log_size; ++stage) {
    __syncthreads();
    const unsigned int half = size >> (stage + 1);
    for (unsigned int b = threadIdx.x; b < size / 2; b += blockDim.x) {
      const unsigned int within = b & (half - 1), at = 2 * (b - within) + within;
      const u64 upper = data[at], lower = data[at + half];
      data[at] = add(upper, lower);
      data[at + half] = multiply(subtract(upper, lower), __ldg(roots + (within << stage)));
    }
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < size; i += blockDim.x) output[first + i] = data[__brev(i) >> (32 - log_size)];
}
