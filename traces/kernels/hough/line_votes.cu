// The second step of the Hough transform in scratchpad memory (van den Braak, PhD thesis 2015, section 4.4.2): a thread
// block makes one line of the Hough space, the votes of all edge points for one angle, by atomic additions in scratchpad
// memory, and writes it out. R copies of the line share the votes; consecutive threads vote in consecutive copies. Where bin
// b of copy s lies is given by two strides in words:
//   line-major          bin_stride 1, copy_stride bins
//   line-major padded   bin_stride 1, copy_stride bins + 1
//   bin-major           bin_stride R, copy_stride 1
// Dynamic scratchpad memory: one word per bin and copy, plus the padding.
#include "lockstep_cuda.cuh"
#include "direction.cuh"

extern __shared__ unsigned int votes[];

/// points: x in the low half of a word, y in the high half. Each has a bin in each direction; scale: bins per pixel.
extern "C" __global__ void vote_lines(const unsigned int* __restrict__ points, const unsigned int* __restrict__ count,
                                      unsigned int* __restrict__ space, unsigned int angles, unsigned int bins,
                                      float scale, float origin, unsigned int replication, unsigned int bin_stride,
                                      unsigned int copy_stride) {
  const unsigned int words = (bins - 1) * bin_stride + (replication - 1) * copy_stride + 1;
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) votes[i] = 0;
  const float2 direction = direction_of(blockIdx.x, angles, scale);
  unsigned int* const copy = votes + threadIdx.x % replication * copy_stride;
  const unsigned int points_in_all = *count;
  __syncthreads();

  for (unsigned int i = threadIdx.x; i < points_in_all; i += blockDim.x) {
    const unsigned int point = points[i];
    atomicAdd(copy + bin_of((float)(point & 0xffff), (float)(point >> 16), direction, origin) * bin_stride, 1u);
  }
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int s = 0; s < replication; ++s) sum += votes[bin * bin_stride + s * copy_stride];
    space[blockIdx.x * bins + bin] = sum;
  }
}
