#pragma once
// A sub-histogram for each thread in scratchpad memory, without atomics; the block adds its threads up, merge.cu the blocks
// (van den Braak, PhD thesis, section 3.4; 8 bits: Podlozhnyuk, Histogram calculation in CUDA, 2007). `Counter` is what a bin
// has. A bin that overflows wraps: nothing looks for it.
//
// Bin b of thread t is counter b * bin_stride + t * thread_stride:
//   hist-major          1, bins                   hist-major padded   1, bins + one word's counters
//   bin-major           threads, 1
// or, bank-private, counter b % n of word (b / n) * threads + t, where a word has n: with a multiple of 32 threads each thread has
// a bank of its own. Shuffled: as bin-major, at the place that shuffled_place gives the thread.
// Dynamic scratchpad memory: a counter for each thread and bin, and the padding.
#include "pixels.cuh"

extern __shared__ unsigned int counters[];

enum Layout { linear, bank_private, shuffled };

/// Of 64 threads each: the four threads 16 apart share a word, so that the sixteen of a half-warp lie in sixteen banks.
__device__ __forceinline__ unsigned int shuffled_place(unsigned int thread) {
  return (thread & ~63u) | (thread & 15) << 2 | (thread >> 4 & 3);
}

/// Where counters lie, in bytes. `shift`: the stride of bins is a power of two, so that nothing is multiplied for a vote.
template <typename Counter, Layout layout, bool shift>
struct Places {
  static const unsigned int in_word = 4 / sizeof(Counter);
  unsigned int bin_stride, thread_stride;  // in bytes; that of bank-private bins, of words
  unsigned int bin_shift;

  __device__ __forceinline__ Places(unsigned int bins, unsigned int threads)
      : bin_stride(bins * (layout == bank_private ? 4 : sizeof(Counter))),
        thread_stride(threads * sizeof(Counter)),
        bin_shift(log2_of(bin_stride)) {}
  /// Bin 0 of a thread.
  __device__ __forceinline__ unsigned int first(unsigned int thread) const {
    if (layout == bank_private) return thread * 4;
    return (layout == shuffled ? shuffled_place(thread) : thread) * thread_stride;
  }
  /// How far behind it another bin is.
  __device__ __forceinline__ unsigned int offset(unsigned int bin) const {
    const unsigned int row = layout == bank_private ? bin / in_word : bin;
    const unsigned int bytes = shift ? row << bin_shift : row * bin_stride;
    return layout == bank_private ? bytes + bin % in_word * sizeof(Counter) : bytes;
  }
};

/// Votes of the block's threads, and the sums.
template <typename Pixels, typename Counter, typename Places>
__device__ __forceinline__ void count_at(const void* pixels, unsigned int groups, unsigned int* partial,
                                         unsigned int bins, unsigned int order, bool unrolled, const Places& places) {
  char* all = reinterpret_cast<char*>(counters);
  char* own = all + places.first(threadIdx.x);
  each_bin(
      pixels, groups, order, unrolled, Pixels(bins), [=](unsigned int bin) { return places.offset(bin); },
      [=](unsigned int offset) { return reinterpret_cast<Counter*>(own + offset); }, [](Counter* place) { ++*place; });
  __syncthreads();

  // Lanes begin with different threads, so that they read different banks in a layout by bins.
  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0, thread = threadIdx.x;
    for (unsigned int i = 0; i < blockDim.x; ++i) {
      sum += *reinterpret_cast<Counter*>(all + places.first(thread) + places.offset(bin));
      thread = thread + 1 == blockDim.x ? 0 : thread + 1;
    }
    partial[blockIdx.x * bins + bin] = sum;
  }
}

template <typename Pixels, typename Counter, Layout layout>
__device__ __forceinline__ void count(const void* pixels, unsigned int groups, unsigned int* partial, unsigned int bins,
                                      unsigned int bin_stride, unsigned int thread_stride, unsigned int words,
                                      unsigned int order, unsigned int unrolled) {
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  if ((bin_stride & (bin_stride - 1)) == 0)
    count_at<Pixels, Counter>(pixels, groups, partial, bins, order, unrolled,
                              Places<Counter, layout, true>(bin_stride, thread_stride));
  else
    count_at<Pixels, Counter>(pixels, groups, partial, bins, order, unrolled,
                              Places<Counter, layout, false>(bin_stride, thread_stride));
}

// `partial` gets the block's `bins` sums behind those of the blocks before it.
#define THREAD_PRIVATE(name, Pixels, Counter, layout)                                                                 \
  extern "C" __global__ void name(const void* pixels, unsigned int groups, unsigned int* partial, unsigned int bins,  \
                                  unsigned int bin_stride, unsigned int thread_stride, unsigned int words,            \
                                  unsigned int order, unsigned int unrolled) {                                        \
    count<Pixels, Counter, layout>(pixels, groups, partial, bins, bin_stride, thread_stride, words, order, unrolled); \
  }

#define THREAD_PRIVATE_ALL(Pixels)                                                 \
  THREAD_PRIVATE(thread_bins32, Pixels, unsigned int, linear)                      \
  THREAD_PRIVATE(thread_bins16, Pixels, unsigned short, linear)                    \
  THREAD_PRIVATE(thread_bins16_bank_private, Pixels, unsigned short, bank_private) \
  THREAD_PRIVATE(thread_bins8, Pixels, unsigned char, linear)                      \
  THREAD_PRIVATE(thread_bins8_bank_private, Pixels, unsigned char, bank_private)   \
  THREAD_PRIVATE(thread_bins8_shuffled, Pixels, unsigned char, shuffled)
