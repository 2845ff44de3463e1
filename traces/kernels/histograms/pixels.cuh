#pragma once
// How pixels lie in memory, and which bin each votes for. The number of bins is a power of two.
#include "walk.cuh"

/// log2 of a power of two.
__device__ __forceinline__ unsigned int log2_of(unsigned int power) {
  return 31 - __clz(power);
}

/// 12-bit pixels in 16 bits, four at a time; bins in floating point, as van den Braak's Listing 3.3 has them. The product is
/// exact: it has at most 24 bits, and the divisor is a power of two.
struct Pixels16 {
  typedef ushort4 Group;
  float scale;
  __device__ __forceinline__ explicit Pixels16(unsigned int bins) : scale(bins * (1 / 4096.0f)) {}
  __device__ __forceinline__ unsigned int bin(unsigned int pixel) const { return static_cast<int>(pixel * scale); }
  template <typename Vote>
  __device__ __forceinline__ void each(Group group, Vote vote) const {
    vote(bin(group.x));
    vote(bin(group.y));
    vote(bin(group.z));
    vote(bin(group.w));
  }
};

/// 8-bit pixels, four in a word.
struct Pixels8 {
  typedef unsigned int Group;
  unsigned int shift;
  __device__ __forceinline__ explicit Pixels8(unsigned int bins) : shift(8 - log2_of(bins)) {}
  template <typename Vote>
  __device__ __forceinline__ void each(Group group, Vote vote) const {
    vote((group & 0xff) >> shift);
    vote((group >> 8 & 0xff) >> shift);
    vote((group >> 16 & 0xff) >> shift);
    vote((group >> 24) >> shift);
  }
};

/// 12-bit pixels, one in a word.
struct Pixels32 {
  typedef unsigned int Group;
  unsigned int shift;
  __device__ __forceinline__ explicit Pixels32(unsigned int bins) : shift(12 - log2_of(bins)) {}
  template <typename Vote>
  __device__ __forceinline__ void each(Group group, Vote vote) const {
    vote(group >> shift);
  }
};

/// An order beside those of walk.cuh: every thread reads one contiguous part. Lanes are far apart, their reads do not coalesce.
enum : unsigned int { strided = 3 };

__device__ __forceinline__ Walk strided_walk(unsigned int groups) {
  const unsigned int threads = blockDim.x * gridDim.x, part = ceil_div(groups, threads);
  const unsigned int first = part * (blockDim.x * blockIdx.x + threadIdx.x);
  return {min(first, groups), min(first + part, groups), 1};
}

/// Votes of all pixels that this thread reads in `order` out of `groups`.
template <typename Pixels, typename Vote>
__device__ __forceinline__ void each_bin(const void* pixels, unsigned int groups, unsigned int order,
                                         const Pixels& reader, Vote vote) {
  const typename Pixels::Group* all = reinterpret_cast<const typename Pixels::Group*>(pixels);
  const Walk walk = order == strided ? strided_walk(groups) : walk_of_thread(groups, order);
  for (unsigned int i = walk.first; i < walk.end; i += walk.step) reader.each(all[i], vote);
}
