// The second step of the Hough transform in scratchpad memory (van den Braak, PhD thesis 2015, section 4.4.2): a thread
// block makes one line of the Hough space, the votes of all edge points for one angle, by atomic additions in scratchpad
// memory, and writes it out. R copies of the line share the votes; consecutive threads vote in consecutive copies. Where bin
// b of copy s lies is given by two strides in words:
//   line-major          bin_stride 1, copy_stride bins
//   line-major padded   bin_stride 1, copy_stride bins + 1
//   bin-major           bin_stride R, copy_stride 1
// Dynamic scratchpad memory: one word per bin and copy, plus the padding.
#include "direction.cuh"
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int votes[];

/// A thread reads `At_once` points before it votes for them.
template <unsigned int At_once>
static __device__ __forceinline__ void vote(const unsigned int* __restrict__ points, const unsigned int* count,
                                            unsigned int* space, unsigned int angles, unsigned int bins, float scale,
                                            float origin, unsigned int replication, unsigned int bin_stride,
                                            unsigned int copy_stride) {
  const unsigned int words = (bins - 1) * bin_stride + (replication - 1) * copy_stride + 1, threads = blockDim.x;
  for (unsigned int i = threadIdx.x; i < words; i += threads) votes[i] = 0;
  const float2 direction = direction_of(blockIdx.x, angles, scale);
  unsigned int* const copy = votes + threadIdx.x % replication * copy_stride;
  const unsigned int points_in_all = *count;
  __syncthreads();

  const auto place_vote = [&](unsigned int point) {
    atomicAdd(copy + bin_of((float)(point & 0xffff), (float)(point >> 16), direction, origin) * bin_stride, 1u);
  };
  unsigned int i = threadIdx.x;
#pragma unroll 1
  for (; i + (At_once - 1) * threads < points_in_all; i += At_once * threads) {
    unsigned int read[At_once];
#pragma unroll
    for (unsigned int k = 0; k < At_once; ++k) read[k] = points[i + k * threads];
#pragma unroll
    for (unsigned int k = 0; k < At_once; ++k) place_vote(read[k]);
  }
  if (At_once > 1) {
#pragma unroll 1
    for (; i < points_in_all; i += threads) place_vote(points[i]);
  }
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < bins; bin += threads) {
    unsigned int sum = 0;
    for (unsigned int s = 0; s < replication; ++s) sum += votes[bin * bin_stride + s * copy_stride];
    space[blockIdx.x * bins + bin] = sum;
  }
}

/// points: x in the low half of a word, y in the high half. Each has a bin in each direction; scale: bins per pixel.
#define VOTE_LINES(name, at_once)                                                                                  \
  extern "C" __global__ void name(const unsigned int* __restrict__ points, const unsigned int* __restrict__ count, \
                                  unsigned int* __restrict__ space, unsigned int angles, unsigned int bins,        \
                                  float scale, float origin, unsigned int replication, unsigned int bin_stride,    \
                                  unsigned int copy_stride) {                                                      \
    vote<at_once>(points, count, space, angles, bins, scale, origin, replication, bin_stride, copy_stride);        \
  }
VOTE_LINES(vote_lines, 1)
VOTE_LINES(vote_lines_4, 4)
