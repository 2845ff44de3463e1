// Histogram of a 12-bit grey image with R sub-histograms per thread block in scratchpad memory.
//
// The algorithm is the R-per-block approach of Gomez-Luna et al. (J. Gomez-Luna, PhD thesis, section 4.4): consecutive
// threads vote in consecutive sub-histograms, so that equal neighbouring pixels meet in different words. Where bin b of
// sub-histogram s lies is given by two strides (van den Braak, PhD thesis, table 3.1), in words:
//   hist-major          bin_stride 1, subhist_stride bins
//   hist-major padded   bin_stride 1, subhist_stride bins + 1
//   bin-major           bin_stride R, subhist_stride 1
// Dynamic scratchpad memory: one word per bin and sub-histogram, plus the padding.
#include "histograms/walk.cuh"

extern __shared__ unsigned int subhistograms[];

struct Votes {
  unsigned int* subhistogram;  // Bin 0 of this thread's sub-histogram.
  unsigned int bins, bin_stride;

  __device__ __forceinline__ void place(unsigned int pixel) const {
    atomicAdd(subhistogram + ((pixel * bins) >> 12) * bin_stride, 1u);
  }
  __device__ __forceinline__ void place_group(unsigned short pixel) const { place(pixel); }
  __device__ __forceinline__ void place_group(ushort4 pixels) const {
    place(pixels.x);
    place(pixels.y);
    place(pixels.z);
    place(pixels.w);
  }
};

/// `Group` is what a thread reads at a time: one pixel or four. `histogram` must be zero before the launch.
template <typename Group>
__device__ __forceinline__ void vote_and_merge(const unsigned short* pixels, unsigned int pixel_count,
                                               unsigned int* histogram, unsigned int bins, unsigned int replication,
                                               unsigned int bin_stride, unsigned int subhist_stride,
                                               unsigned int order) {
  const unsigned int words = (bins - 1) * bin_stride + (replication - 1) * subhist_stride + 1;
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) subhistograms[i] = 0;
  __syncthreads();

  const Votes votes{subhistograms + (threadIdx.x % replication) * subhist_stride, bins, bin_stride};
  const Group* groups = reinterpret_cast<const Group*>(pixels);
  const unsigned int group_size = sizeof(Group) / sizeof(unsigned short);
  const Walk walk = walk_of_thread(pixel_count / group_size, order);
  for (unsigned int i = walk.first; i < walk.end; i += walk.step) votes.place_group(groups[i]);
  if (group_size > 1 && blockIdx.x == 0) {  // The pixels after the last whole group.
    for (unsigned int i = pixel_count / group_size * group_size + threadIdx.x; i < pixel_count; i += blockDim.x)
      votes.place(pixels[i]);
  }
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int s = 0; s < replication; ++s) sum += subhistograms[bin * bin_stride + s * subhist_stride];
    if (sum != 0) atomicAdd(histogram + bin, sum);
  }
}

/// A thread reads one pixel at a time.
extern "C" __global__ void histogram(const unsigned short* pixels, unsigned int pixel_count, unsigned int* result,
                                     unsigned int bins, unsigned int replication, unsigned int bin_stride,
                                     unsigned int subhist_stride, unsigned int order) {
  vote_and_merge<unsigned short>(pixels, pixel_count, result, bins, replication, bin_stride, subhist_stride, order);
}

/// A thread reads four pixels at a time; `pixels` is aligned to 8 bytes.
extern "C" __global__ void histogram4(const unsigned short* pixels, unsigned int pixel_count, unsigned int* result,
                                      unsigned int bins, unsigned int replication, unsigned int bin_stride,
                                      unsigned int subhist_stride, unsigned int order) {
  vote_and_merge<ushort4>(pixels, pixel_count, result, bins, replication, bin_stride, subhist_stride, order);
}
