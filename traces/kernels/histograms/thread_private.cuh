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

template <typename Counter, Layout layout>
struct Places {
  static const unsigned int in_word = 4 / sizeof(Counter);
  unsigned int bin_stride, thread_stride;

  /// Number of the first counter of a thread.
  __device__ __forceinline__ unsigned int first(unsigned int thread) const {
    if (layout == bank_private) return thread * in_word;
    return (layout == shuffled ? shuffled_place(thread) : thread) * thread_stride;
  }
  /// What is added to it for a bin.
  __device__ __forceinline__ unsigned int offset(unsigned int bin) const {
    if (layout == bank_private) return bin / in_word * bin_stride * in_word + bin % in_word;
    return bin * bin_stride;
  }
};

template <typename Pixels, typename Counter, Layout layout>
__device__ __forceinline__ void count(const void* pixels, unsigned int groups, unsigned int* partial, unsigned int bins,
                                      unsigned int bin_stride, unsigned int thread_stride, unsigned int words,
                                      unsigned int order) {
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) counters[i] = 0;
  __syncthreads();

  const Places<Counter, layout> places{bin_stride, thread_stride};
  Counter* all = reinterpret_cast<Counter*>(counters);
  Counter* own = all + places.first(threadIdx.x);
  each_bin(pixels, groups, order, Pixels(bins), [=](unsigned int bin) { ++own[places.offset(bin)]; });
  __syncthreads();

  // Lanes begin with different threads, so that they read different banks in a layout by bins.
  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0, thread = threadIdx.x;
    for (unsigned int i = 0; i < blockDim.x; ++i) {
      sum += all[places.first(thread) + places.offset(bin)];
      thread = thread + 1 == blockDim.x ? 0 : thread + 1;
    }
    partial[blockIdx.x * bins + bin] = sum;
  }
}

// `partial` gets the block's `bins` sums behind those of the blocks before it.
#define THREAD_PRIVATE(name, Pixels, Counter, layout)                                                                \
  extern "C" __global__ void name(const void* pixels, unsigned int groups, unsigned int* partial, unsigned int bins, \
                                  unsigned int bin_stride, unsigned int thread_stride, unsigned int words,           \
                                  unsigned int order) {                                                              \
    count<Pixels, Counter, layout>(pixels, groups, partial, bins, bin_stride, thread_stride, words, order);          \
  }

#define THREAD_PRIVATE_ALL(Pixels)                                                 \
  THREAD_PRIVATE(thread_bins32, Pixels, unsigned int, linear)                      \
  THREAD_PRIVATE(thread_bins16, Pixels, unsigned short, linear)                    \
  THREAD_PRIVATE(thread_bins16_bank_private, Pixels, unsigned short, bank_private) \
  THREAD_PRIVATE(thread_bins8, Pixels, unsigned char, linear)                      \
  THREAD_PRIVATE(thread_bins8_bank_private, Pixels, unsigned char, bank_private)   \
  THREAD_PRIVATE(thread_bins8_shuffled, Pixels, unsigned char, shuffled)
