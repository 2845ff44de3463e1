// R sub-histograms per thread block in scratchpad memory, filled by atomics, added up and added to the result by atomics
// (Gomez-Luna, PhD thesis, Listing 4.6 and section 4.5.3), from pixels of one word: grey levels, or red, green, blue and a byte
// that is not used. `../histogram.cu` has pixels of 16 bits and every layout.
//
// Consecutive threads vote in consecutive sub-histograms; bin b of sub-histogram s is word s * subhist_stride + b. Dynamic
// scratchpad memory: R * subhist_stride words. `result` is zero before the launch.
#include "pixels.cuh"

extern __shared__ unsigned int subhistograms[];

template <typename Pixels>
__device__ __forceinline__ void vote_and_merge(const unsigned int* pixels, unsigned int count, unsigned int* result,
                                               unsigned int bins, unsigned int replication, unsigned int subhist_stride,
                                               unsigned int order, const Pixels& reader) {
  for (unsigned int i = threadIdx.x; i < replication * subhist_stride; i += blockDim.x) subhistograms[i] = 0;
  __syncthreads();

  unsigned int* own = subhistograms + threadIdx.x % replication * subhist_stride;
  each_bin(
      pixels, count, order, reader, [](unsigned int bin) { return bin; },
      [=](unsigned int offset) { return own + offset; }, [](unsigned int* place) { atomicAdd(place, 1u); });
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int s = 0; s < replication; ++s) sum += subhistograms[s * subhist_stride + bin];
    if (sum != 0) atomicAdd(result + bin, sum);
  }
}

/// Grey level in the weights of ITU-R BT.601, rounded down: 0.299, 0.587, 0.114 as parts of 65,536.
struct Grey {
  typedef unsigned int Group;
  unsigned int shift;
  template <typename Offset, typename Place, typename Add>
  __device__ __forceinline__ void each(unsigned int pixel, Offset offset, Place place, Add add) const {
    const unsigned int red = pixel & 0xff, green = pixel >> 8 & 0xff, blue = pixel >> 16 & 0xff;
    add(place(offset((19595 * red + 38470 * green + 7471 * blue) >> 16 >> shift)));
  }
};

/// One bin for each combination of 2^bits levels per colour.
struct DirectColour {
  typedef unsigned int Group;
  unsigned int bits;
  template <typename Offset, typename Place, typename Add>
  __device__ __forceinline__ void each(unsigned int pixel, Offset offset, Place place, Add add) const {
    const unsigned int red = (pixel & 0xff) >> (8 - bits), green = (pixel >> 8 & 0xff) >> (8 - bits),
                       blue = (pixel >> 16 & 0xff) >> (8 - bits);
    add(place(offset((((red << bits) | green) << bits) | blue)));
  }
};

/// A histogram of 256 bins for each colour, one behind the other.
struct Channels {
  typedef unsigned int Group;
  template <typename Offset, typename Place, typename Add>
  __device__ __forceinline__ void each(unsigned int pixel, Offset offset, Place place, Add add) const {
    const unsigned int bins[3] = {pixel & 0xff, 256 + (pixel >> 8 & 0xff), 512 + (pixel >> 16 & 0xff)};
    vote_all(bins, offset, place, add);
  }
};

/// 12-bit grey levels, one in a word.
extern "C" __global__ void block_32(const unsigned int* pixels, unsigned int count, unsigned int* result,
                                    unsigned int bins, unsigned int replication, unsigned int subhist_stride,
                                    unsigned int order) {
  vote_and_merge(pixels, count, result, bins, replication, subhist_stride, order, Pixels32(bins));
}

/// Colour to grey, in `bins` bins: a power of two up to 256.
extern "C" __global__ void block_grey(const unsigned int* pixels, unsigned int count, unsigned int* result,
                                      unsigned int bins, unsigned int replication, unsigned int subhist_stride,
                                      unsigned int order) {
  vote_and_merge(pixels, count, result, bins, replication, subhist_stride, order, Grey{8 - log2_of(bins)});
}

/// `bins` is 8^bits: 8, 64, 512 or 4096.
extern "C" __global__ void block_direct(const unsigned int* pixels, unsigned int count, unsigned int* result,
                                        unsigned int bins, unsigned int replication, unsigned int subhist_stride,
                                        unsigned int order) {
  vote_and_merge(pixels, count, result, bins, replication, subhist_stride, order, DirectColour{log2_of(bins) / 3});
}

/// `bins` is 768.
extern "C" __global__ void block_channels(const unsigned int* pixels, unsigned int count, unsigned int* result,
                                          unsigned int bins, unsigned int replication, unsigned int subhist_stride,
                                          unsigned int order) {
  vote_and_merge(pixels, count, result, bins, replication, subhist_stride, order, Channels{});
}
