// Tiles through scratchpad memory (pipeline.cuh): loaded, or copied in groups.
//
// Needs sm_80 for cp.async.
#include "pipeline.cuh"

/// One tile: loaded into registers, stored to the buffer, then worked on.
extern "C" __global__ void pipeline_none(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                         unsigned int tiles) {
  const unsigned int size = blockDim.x, t = threadIdx.x, first = blockIdx.x * tiles;
  for (unsigned int tile = 0; tile < tiles; ++tile) {
    const unsigned int at = (first + tile) * size + t;
    buffer[t] = input[at];
    __syncthreads();
    output[at] = folded(buffer, t, size);
    __syncthreads();
  }
}

/// Groups of asynchronous copies, and a barrier behind the wait for one.
extern "C" __global__ void pipeline_groups(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                           unsigned int tiles) {
  const unsigned int size = blockDim.x, t = threadIdx.x, first = blockIdx.x * tiles;
  for (unsigned int tile = 0; tile < STAGES - 1; ++tile) {
    if (tile < tiles) copy_word(buffer + tile * size + t, input + (first + tile) * size + t);
    commit();
  }
  for (unsigned int tile = 0; tile < tiles; ++tile) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    const unsigned int next = tile + STAGES - 1;
    if (next < tiles) copy_word(buffer + next % STAGES * size + t, input + (first + next) * size + t);
    commit();
    output[(first + tile) * size + t] = folded(buffer + tile % STAGES * size, t, size);
  }
}
