// Sorts rows of 64-bit keys in shared memory with Batcher's bitonic network, two keys per thread; rows shorter than the
// network are filled up with the largest key.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned long long keys[];

__device__ __forceinline__ void exchange(unsigned int low, unsigned int high, bool ascending) {
  const unsigned long long a = keys[low], b = keys[high];
  if ((a > b) == ascending) {
    keys[low] = b;
    keys[high] = a;
  }
}

extern "C" __global__ void bitonic_sort(const unsigned long long* __restrict__ input,
                                        unsigned long long* __restrict__ output, unsigned int length) {
  const unsigned int t = threadIdx.x, size = 2 * blockDim.x;
  const size_t row = (size_t)blockIdx.x * length;
  for (unsigned int i = t; i < size; i += blockDim.x) keys[i] = i < length ? input[row + i] : ~0ull;
  for (unsigned int run = 2; run <= size; run <<= 1) {
    for (unsigned int distance = run >> 1; distance > 0; distance >>= 1) {
      __syncthreads();
      const unsigned int low = 2 * t - (t & (distance - 1));
      exchange(low, low + distance, (low & run) == 0);
    }
  }
  __syncthreads();
  for (unsigned int i = t; i < length; i += blockDim.x) output[row + i] = keys[i];
}
