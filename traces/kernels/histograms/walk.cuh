#pragma once
// Which groups of pixels a thread reads. A group is what a thread reads at a time: one pixel or four.
#include "../lockstep_cuda.cuh"

/// In which order the threads read groups of pixels.
enum Order : unsigned int {
  naive = 0,        // Consecutive blocks read consecutive chunks of one block's size.
  interleaved = 1,  // Warp w of every block reads only part w of the image: warps of a block are far apart.
  contiguous = 2    // Every block reads one contiguous part of the image.
};

struct Walk {
  unsigned int first, end, step;
};

__device__ __forceinline__ unsigned int ceil_div(unsigned int a, unsigned int b) {
  return (a + b - 1) / b;
}

/// The groups that this thread reads out of `groups`; every group is read by exactly one thread of the grid.
__device__ __forceinline__ Walk walk_of_thread(unsigned int groups, unsigned int order) {
  const unsigned int thread = threadIdx.x, threads = blockDim.x;
  if (order == interleaved) {
    const unsigned int warp = thread / 32, warps = ceil_div(threads, 32);
    const unsigned int lanes = min(32u, threads - 32 * warp);  // The last warp may be partly filled.
    const unsigned int part = ceil_div(ceil_div(groups, warps), 32) * 32;
    return {part * warp + lanes * blockIdx.x + thread % 32, min(part * (warp + 1), groups), lanes * gridDim.x};
  }
  if (order == contiguous) {
    const unsigned int part = ceil_div(ceil_div(groups, gridDim.x), 32) * 32;
    return {part * blockIdx.x + thread, min(part * (blockIdx.x + 1), groups), threads};
  }
  return {threads * blockIdx.x + thread, groups, threads * gridDim.x};
}
