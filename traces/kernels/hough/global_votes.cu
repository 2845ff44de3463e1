// Hough transform for lines in polar coordinates by atomic additions in global memory (van den Braak, PhD thesis 2015,
// section 4.3, listing 4.2): a thread for each pixel, which votes once for every angle when it is an edge point.
// R sub-Hough spaces share the votes; consecutive threads vote in consecutive ones. Where bin b of angle a lies in
// sub-Hough space s is given by three strides in words, the memory layouts of section 3.2:
//   line-major          angle_stride R * bins            copy_stride bins       bin_stride 1
//   line-major padded   angle_stride R * (bins + 1)      copy_stride bins + 1   bin_stride 1
//   bin-major           angle_stride R * bins            copy_stride 1          bin_stride R
#include "direction.cuh"
#include "lockstep_cuda.cuh"

extern __shared__ float2 directions[];

/// Before the votes.
extern "C" __global__ void clear_spaces(unsigned int* words, unsigned int count) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = 0;
}

/// `At_once` votes of a thread stand in the loop one behind the other.
template <unsigned int At_once>
static __device__ __forceinline__ void vote(const unsigned short* edges, unsigned int width, unsigned int pixels,
                                            const unsigned int* threshold, unsigned int* spaces, unsigned int angles,
                                            float scale, float origin, unsigned int replication,
                                            unsigned int angle_stride, unsigned int copy_stride,
                                            unsigned int bin_stride) {
  for (unsigned int angle = threadIdx.x; angle < angles; angle += blockDim.x)
    directions[angle] = direction_of(angle, angles, scale);
  __syncthreads();

  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels || edges[i] < *threshold) return;
  const float x = (float)(i % width), y = (float)(i / width);
  unsigned int line = threadIdx.x % replication * copy_stride, angle = 0;
  const auto place_vote = [&] {
    atomicAdd(spaces + (line + bin_of(x, y, directions[angle], origin) * bin_stride), 1u);
    line += angle_stride;
    ++angle;
  };
#pragma unroll 1
  while (angle + At_once <= angles) {
#pragma unroll
    for (unsigned int k = 0; k < At_once; ++k) place_vote();
  }
  if (At_once == 1) return;
#pragma unroll 1
  while (angle < angles) place_vote();
}

/// Dynamic scratchpad memory: a float2 for each angle, the cosine and sine of the angle times `scale`, the bins of a pixel's
/// distance. A pixel is an edge point when its gradient is at least *threshold. Each has a bin for each angle.
#define VOTE_GLOBAL(name, at_once)                                                                                   \
  extern "C" __global__ void name(const unsigned short* __restrict__ edges, unsigned int width, unsigned int pixels, \
                                  const unsigned int* __restrict__ threshold, unsigned int* spaces,                  \
                                  unsigned int angles, float scale, float origin, unsigned int replication,          \
                                  unsigned int angle_stride, unsigned int copy_stride, unsigned int bin_stride) {    \
    vote<at_once>(edges, width, pixels, threshold, spaces, angles, scale, origin, replication, angle_stride,         \
                  copy_stride, bin_stride);                                                                          \
  }
VOTE_GLOBAL(vote_global, 1)
VOTE_GLOBAL(vote_global_4, 4)

/// space: the sum of the sub-Hough spaces; a thread for each bin.
extern "C" __global__ void combine_spaces(const unsigned int* __restrict__ spaces, unsigned int* __restrict__ space,
                                          unsigned int angles, unsigned int bins, unsigned int replication,
                                          unsigned int angle_stride, unsigned int copy_stride,
                                          unsigned int bin_stride) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= angles * bins) return;
  const unsigned int* const votes = spaces + i / bins * angle_stride + i % bins * bin_stride;
  unsigned int sum = 0;
  for (unsigned int copy = 0; copy < replication; ++copy) sum += votes[copy * copy_stride];
  space[i] = sum;
}
