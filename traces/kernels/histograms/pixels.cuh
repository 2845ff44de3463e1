#pragma once
// How pixels lie in memory, and which bin each votes for. The number of bins is a power of two.
#include "walk.cuh"

/// log2 of a power of two.
__device__ __forceinline__ unsigned int log2_of(unsigned int power) {
  return 31 - __clz(power);
}

// Pixels of a group go through each step together, so that none of them waits for its own step before: the replay keeps the order
// of the PTX, and a compiler for the GPU would interleave them. `offset` says by how
// much a bin's place lies behind that of bin 0, in units of its own, `place` where that is, and `add` counts there.

template <unsigned int n, typename Offset, typename Place, typename Add>
__device__ __forceinline__ void vote_all(const unsigned int (&bins)[n], Offset offset, Place place, Add add) {
  unsigned int offsets[n];
  decltype(place(0u)) places[n];
#pragma unroll
  for (unsigned int i = 0; i < n; ++i) offsets[i] = offset(bins[i]);
#pragma unroll
  for (unsigned int i = 0; i < n; ++i) places[i] = place(offsets[i]);
#pragma unroll
  for (unsigned int i = 0; i < n; ++i) add(places[i]);
}

/// Two words that are read at once. Of `uint2` and `ushort4` clang makes 64 bits and shifts of 64 bits, which is not how compilers
/// for a GPU take them apart.
#ifdef __clang__
typedef unsigned int TwoWords __attribute__((ext_vector_type(2)));
#else
typedef uint2 TwoWords;
#endif

/// 12-bit pixels in 16 bits, four at a time. Bins in floating point, as van den Braak's Listing 3.3 has them. The product is
/// exact: it has at most 24 bits, and the divisor is a power of two.
struct Pixels16 {
  typedef TwoWords Group;
  float scale;
  __device__ __forceinline__ explicit Pixels16(unsigned int bins) : scale(bins * (1 / 4096.0f)) {}
  template <typename Offset, typename Place, typename Add>
  __device__ __forceinline__ void each(Group group, Offset offset, Place place, Add add) const {
    unsigned int levels[4] = {group.x & 0xffff, group.x >> 16, group.y & 0xffff, group.y >> 16};
    float scaled[4];
    unsigned int bins[4];
#pragma unroll
    for (unsigned int i = 0; i < 4; ++i) scaled[i] = static_cast<float>(levels[i]);
#pragma unroll
    for (unsigned int i = 0; i < 4; ++i) scaled[i] *= scale;
#pragma unroll
    for (unsigned int i = 0; i < 4; ++i) bins[i] = static_cast<int>(scaled[i]);
    vote_all(bins, offset, place, add);
  }
};

/// 8-bit pixels, four in a word.
struct Pixels8 {
  typedef unsigned int Group;
  unsigned int shift;
  __device__ __forceinline__ explicit Pixels8(unsigned int bins) : shift(8 - log2_of(bins)) {}
  template <typename Offset, typename Place, typename Add>
  __device__ __forceinline__ void each(Group group, Offset offset, Place place, Add add) const {
    unsigned int bins[4] = {group & 0xff, group >> 8 & 0xff, group >> 16 & 0xff, group >> 24};
#pragma unroll
    for (unsigned int i = 0; i < 4; ++i) bins[i] >>= shift;
    vote_all(bins, offset, place, add);
  }
};

/// 12-bit pixels, one in a word.
struct Pixels32 {
  typedef unsigned int Group;
  unsigned int shift;
  __device__ __forceinline__ explicit Pixels32(unsigned int bins) : shift(12 - log2_of(bins)) {}
  template <typename Offset, typename Place, typename Add>
  __device__ __forceinline__ void each(Group group, Offset offset, Place place, Add add) const {
    add(place(offset(group >> shift)));
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
template <typename Pixels, typename Offset, typename Place, typename Add>
__device__ __forceinline__ void each_bin(const void* pixels, unsigned int groups, unsigned int order,
                                         const Pixels& reader, Offset offset, Place place, Add add) {
  const typename Pixels::Group* all = reinterpret_cast<const typename Pixels::Group*>(pixels);
  const Walk walk = order == strided ? strided_walk(groups) : walk_of_thread(groups, order);
  for (unsigned int i = walk.first; i < walk.end; i += walk.step) reader.each(all[i], offset, place, add);
}

/// The same; if `unrolled`, four groups are read before the first of them votes, as where a compiler unrolls the loop and puts
/// its loads first.
template <typename Pixels, typename Offset, typename Place, typename Add>
__device__ __forceinline__ void each_bin(const void* pixels, unsigned int groups, unsigned int order, bool unrolled,
                                         const Pixels& reader, Offset offset, Place place, Add add) {
  const typename Pixels::Group* all = reinterpret_cast<const typename Pixels::Group*>(pixels);
  const Walk walk = order == strided ? strided_walk(groups) : walk_of_thread(groups, order);
  unsigned int i = walk.first;
  if (unrolled) {
    for (; i + 3 * walk.step < walk.end; i += 4 * walk.step) {
      typename Pixels::Group read[4];
#pragma unroll
      for (unsigned int k = 0; k < 4; ++k) read[k] = all[i + k * walk.step];
#pragma unroll
      for (unsigned int k = 0; k < 4; ++k) reader.each(read[k], offset, place, add);
    }
  }
  for (; i < walk.end; i += walk.step) reader.each(all[i], offset, place, add);
}
