// Merges two sorted arrays (Green, McColl and Bader 2012): each block finds its part of both by a search along a diagonal,
// copies it to shared memory, where each thread searches again and merges seven keys one after the other.
#include "lockstep_cuda.cuh"

#define THREADS 128
#define EACH 7
#define PART (THREADS * EACH)

/// How many of the first `diagonal` keys of the merged array come from `a`; equal keys of `a` come first.
template <typename Pointer>
__device__ int split(Pointer a, int a_count, Pointer b, int b_count, int diagonal) {
  int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    merge_path(const int* __restrict__ a, int a_count, const int* __restrict__ b, int b_count,
               int* __restrict__ merged) {
  __shared__ int part[PART];
  __shared__ int splits[2];
  const int total = a_count + b_count, begin = blockIdx.x * PART, end = min(begin + PART, total);
  if (threadIdx.x < 2) splits[threadIdx.x] = split(a, a_count, b, b_count, threadIdx.x == 0 ? begin : end);
  __syncthreads();
  const int a_begin = splits[0], a_part = splits[1] - a_begin, b_begin = begin - a_begin;
  const int count = end - begin, b_part = count - a_part;
  for (int i = threadIdx.x; i < count; i += THREADS) part[i] = i < a_part ? a[a_begin + i] : b[b_begin + i - a_part];
  __syncthreads();

  const int diagonal = min((int)threadIdx.x * EACH, count);
  int i = split(part, a_part, part + a_part, b_part, diagonal), j = diagonal - i;
  int result[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const bool from_a = j >= b_part || (i < a_part && part[i] <= part[a_part + j]);
    const int place = from_a ? i++ : a_part + j++;
    result[k] = place < count ? part[place] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    if (diagonal + k < count) part[diagonal + k] = result[k];
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += THREADS) merged[begin + k] = part[k];
}
