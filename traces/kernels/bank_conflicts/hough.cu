// Hough transform for lines in polar coordinates, the voting step (van den Braak, PhD thesis, section 4.4.2): a block
// makes one line of the Hough space, the votes of all points for one angle, in scratchpad memory by atomic additions and
// writes it out. R copies of the line share the votes; consecutive threads vote in consecutive copies. Where bin b of copy
// s lies is given by two strides in words:
//   hough-line-major          bin_stride 1, copy_stride bins
//   hough-line-major padded   bin_stride 1, copy_stride bins + 1
//   bin-major                 bin_stride R, copy_stride 1
// Dynamic scratchpad memory: one word per bin and copy, plus the padding.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int votes[];

/// points: x in the low half of a word, y in the high half. directions: cosine and sine of each angle. The bin of a point
/// is x cos + y sin + origin, rounded down; what lies outside of all bins is no vote.
extern "C" __global__ void hough_vote(const unsigned int* __restrict__ points, unsigned int point_count,
                                      const float2* __restrict__ directions, unsigned int* __restrict__ space,
                                      unsigned int bins, float origin, unsigned int replication,
                                      unsigned int bin_stride, unsigned int copy_stride) {
  const unsigned int words = (bins - 1) * bin_stride + (replication - 1) * copy_stride + 1;
  for (unsigned int i = threadIdx.x; i < words; i += blockDim.x) votes[i] = 0;
  const float2 direction = directions[blockIdx.x];
  unsigned int* const copy = votes + (threadIdx.x % replication) * copy_stride;
  __syncthreads();

#pragma unroll 1
  for (unsigned int i = threadIdx.x; i < point_count; i += blockDim.x) {
    const unsigned int point = points[i];
    const float x = (float)(point & 0xffff), y = (float)(point >> 16);
    const int bin = __float2int_rd(fmaf(x, direction.x, fmaf(y, direction.y, origin)));
    if ((unsigned int)bin < bins) atomicAdd(copy + bin * bin_stride, 1u);
  }
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int s = 0; s < replication; ++s) sum += votes[bin * bin_stride + s * copy_stride];
    space[blockIdx.x * bins + bin] = sum;
  }
}
