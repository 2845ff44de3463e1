// Intersects pairs of sorted lists of documents, a block for each pair: every element of the short list is searched in the long
// one, and those found are written densely, in order. For lists of very different lengths.
#include "lockstep_cuda.cuh"

#define THREADS 96

extern "C" __global__ void __launch_bounds__(THREADS)
    posting_lists(const unsigned int* __restrict__ short_lists, unsigned int short_length,
                  const unsigned int* __restrict__ long_lists, unsigned int long_length,
                  unsigned int* __restrict__ common, unsigned int* __restrict__ counts) {
  __shared__ unsigned int warp_counts[THREADS / 32];
  const unsigned int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned int* small = short_lists + blockIdx.x * short_length;
  const unsigned int* large = long_lists + blockIdx.x * long_length;
  unsigned int* result = common + blockIdx.x * short_length;
  unsigned int written = 0;
  for (unsigned int base = 0; base < short_length; base += THREADS) {
    const unsigned int i = base + threadIdx.x;
    bool found = false;
    unsigned int document = 0;
    if (i < short_length) {
      document = small[i];
      unsigned int low = 0, count = long_length;
      while (count > 0) {
        const unsigned int half = count / 2;
        if (large[low + half] < document) {
          low += half + 1;
          count -= half + 1;
        } else {
          count = half;
        }
      }
      found = low < long_length && large[low] == document;
    }
    const unsigned int mask = __ballot_sync(0xffffffffu, found);
    if (lane == 0) warp_counts[warp] = __popc(mask);
    __syncthreads();
    unsigned int place = written + __popc(mask & ((1u << lane) - 1));
#pragma unroll
    for (unsigned int w = 0; w < THREADS / 32; ++w) {
      if (w < warp) place += warp_counts[w];
      written += warp_counts[w];
    }
    if (found) result[place] = document;
    __syncthreads();
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = written;
}
