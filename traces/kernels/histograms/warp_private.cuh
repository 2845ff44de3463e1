#pragma once
// R sub-histograms for each warp in scratchpad memory; the block adds its warps up, merge.cu the blocks (van den Braak, PhD
// thesis, section 3.5).
//
// Lane l votes in sub-histogram l modulo R of its warp. Bin b of sub-histogram s lies at byte (b << bin_shift) + 4 s
// subhist_stride of the warp's part of `warp_words` words; the parts of the warps follow each other. Dynamic scratchpad memory:
// as many words for each warp. Blocks have a multiple of 32 threads.
#include "pixels.cuh"

extern __shared__ unsigned int subhistograms[];

enum : unsigned int { count_mask = 0x07ffffff };

/// An addition without atomics (Podlozhnyuk, Histogram calculation in CUDA, 2007; van den Braak, Listing 3.4): the upper five
/// bits tell the lane that wrote last. Lanes of a warp go through the loop together.
struct TaggedAdd {
  unsigned int tag;
  __device__ __forceinline__ TaggedAdd() : tag(threadIdx.x % 32 << 27) {}
  __device__ __forceinline__ void operator()(volatile unsigned int* bin) const {
    unsigned int count;
    do {
      count = *bin & count_mask;
      count = tag | (count + 1);
      *bin = count;
    } while (*bin != count);
  }
};

/// An addition by the atomic operation of the scratchpad memory.
struct AtomicAdd {
  __device__ __forceinline__ void operator()(unsigned int* bin) const { atomicAdd(bin, 1u); }
};

/// `range` bins are counted at a time, each time from all pixels, if they are fewer than all (Shams and Kennedy, Efficient
/// histogram algorithms for NVIDIA CUDA compatible devices, 2007).
template <typename Pixels, typename Add, bool ranges>
__device__ __forceinline__ void count(const void* pixels, unsigned int groups, unsigned int* partial, unsigned int bins,
                                      unsigned int range, unsigned int replication, unsigned int bin_shift,
                                      unsigned int subhist_stride, unsigned int warp_words, unsigned int order) {
  const unsigned int warps = blockDim.x / 32;
  char* own = reinterpret_cast<char*>(subhistograms + threadIdx.x / 32 * warp_words +
                                      threadIdx.x % 32 % replication * subhist_stride);
  const Add add;
  for (unsigned int first = 0; first < bins; first += range) {
    for (unsigned int i = threadIdx.x; i < warps * warp_words; i += blockDim.x) subhistograms[i] = 0;
    __syncthreads();
    const auto place = [=](unsigned int offset) { return reinterpret_cast<unsigned int*>(own + offset); };
    if (ranges) {
      each_bin(
          pixels, groups, order, Pixels(bins), [=](unsigned int bin) { return bin - first; },
          [](unsigned int bin) { return bin; },
          [=](unsigned int bin) {
            if (bin < range) add(place(bin << bin_shift));
          });
    } else {
      each_bin(
          pixels, groups, order, Pixels(bins), [=](unsigned int bin) { return bin << bin_shift; }, place, add);
    }
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < range; bin += blockDim.x) {
      unsigned int sum = 0;
      for (unsigned int warp = 0; warp < warps; ++warp)
        for (unsigned int s = 0; s < replication; ++s)
          sum += subhistograms[warp * warp_words + ((bin << bin_shift) >> 2) + s * subhist_stride] & count_mask;
      partial[blockIdx.x * bins + first + bin] = sum;
    }
    if (!ranges) break;
    __syncthreads();
  }
}

// `partial` gets the block's `bins` sums behind those of the blocks before it. `range` divides `bins`; only warp_hardware_ranges
// takes one that is smaller.
#define WARP_PRIVATE(name, Pixels, Add, ranges)                                                                      \
  extern "C" __global__ void name(const void* pixels, unsigned int groups, unsigned int* partial, unsigned int bins, \
                                  unsigned int range, unsigned int replication, unsigned int bin_shift,              \
                                  unsigned int subhist_stride, unsigned int warp_words, unsigned int order) {        \
    count<Pixels, Add, ranges>(pixels, groups, partial, bins, range, replication, bin_shift, subhist_stride,         \
                               warp_words, order);                                                                   \
  }

#define WARP_PRIVATE_ALL(Pixels)                        \
  WARP_PRIVATE(warp_software, Pixels, TaggedAdd, false) \
  WARP_PRIVATE(warp_hardware, Pixels, AtomicAdd, false) \
  WARP_PRIVATE(warp_hardware_ranges, Pixels, AtomicAdd, true)
