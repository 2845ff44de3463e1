// R sub-histograms per thread block in scratchpad memory, filled by atomics, added up per block; merge.cu adds up the blocks
// (van den Braak, PhD thesis, section 3.6). `../histogram.cu` differs in the end: there blocks add to the result by atomics.
//
// Bin b of sub-histogram s lies at byte (b << bin_shift) + 4 s subhist_stride, as in global_atomics.cu. Dynamic scratchpad
// memory: `words` words.
#include "pixels.cuh"

extern __shared__ unsigned int subhistograms[];

/// `partial` gets the block's `bins` sums behind those of the blocks before it. `rotate`: thread t begins its sum with
/// sub-histogram t modulo R, so that lanes read different banks where the sub-histograms of a bin lie side by side.
extern "C" __global__ void scratchpad_16(const unsigned short* pixels, unsigned int groups, unsigned int* partial,
                                         unsigned int bins, unsigned int replication, unsigned int bin_shift,
                                         unsigned int subhist_stride, unsigned int words, unsigned int rotate,
                                         unsigned int unrolled) {
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) subhistograms[i] = 0;
  __syncthreads();

  char* own = reinterpret_cast<char*>(subhistograms + (threadIdx.x % replication) * subhist_stride);
  each_bin(
      pixels, groups, contiguous, unrolled, Pixels16(bins), [=](unsigned int bin) { return bin << bin_shift; },
      [=](unsigned int offset) { return reinterpret_cast<unsigned int*>(own + offset); },
      [](unsigned int* place) { atomicAdd(place, 1u); });
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0, s = rotate ? threadIdx.x % replication : 0;
    for (unsigned int i = 0; i < replication; ++i) {
      sum += subhistograms[((bin << bin_shift) >> 2) + s * subhist_stride];
      s = s + 1 == replication ? 0 : s + 1;
    }
    partial[blockIdx.x * bins + bin] = sum;
  }
}
