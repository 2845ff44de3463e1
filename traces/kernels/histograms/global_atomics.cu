// Votes straight into sub-histograms in global memory, by atomics (van den Braak, PhD thesis, section 3.3, Listing 3.3).
//
// Thread t votes in sub-histogram t modulo R. Bin b of sub-histogram s lies at byte (b << bin_shift) + 4 s subhist_stride:
//   hist-major          bin_shift 2, subhist_stride bins
//   hist-major padded   bin_shift 2, subhist_stride bins + 1
//   bin-major           bin_shift 2 + log2 R, subhist_stride 1
// merge.cu adds the sub-histograms up.
#include "pixels.cuh"

template <typename Pixels>
__device__ __forceinline__ void vote(const void* pixels, unsigned int groups, unsigned int* subhistograms,
                                     unsigned int bins, unsigned int replication, unsigned int bin_shift,
                                     unsigned int subhist_stride, unsigned int order, unsigned int unrolled) {
  char* own = reinterpret_cast<char*>(subhistograms + (threadIdx.x % replication) * subhist_stride);
  each_bin(
      pixels, groups, order, unrolled, Pixels(bins), [=](unsigned int bin) { return bin << bin_shift; },
      [=](unsigned int offset) { return reinterpret_cast<unsigned int*>(own + offset); },
      [](unsigned int* place) { atomicAdd(place, 1u); });
}

/// 12-bit pixels in 16 bits, four at a time; `pixels` is aligned to 8 bytes. `subhistograms` is zero before the launch.
extern "C" __global__ void global_16(const unsigned short* pixels, unsigned int groups, unsigned int* subhistograms,
                                     unsigned int bins, unsigned int replication, unsigned int bin_shift,
                                     unsigned int subhist_stride, unsigned int order, unsigned int unrolled) {
  vote<Pixels16>(pixels, groups, subhistograms, bins, replication, bin_shift, subhist_stride, order, unrolled);
}

/// 12-bit pixels, one in a word.
extern "C" __global__ void global_32(const unsigned int* pixels, unsigned int groups, unsigned int* subhistograms,
                                     unsigned int bins, unsigned int replication, unsigned int bin_shift,
                                     unsigned int subhist_stride, unsigned int order, unsigned int unrolled) {
  vote<Pixels32>(pixels, groups, subhistograms, bins, replication, bin_shift, subhist_stride, order, unrolled);
}
