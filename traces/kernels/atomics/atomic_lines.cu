// Additions without results to lines that differ from warp to warp and from round to round.
#include "lockstep_cuda.cuh"

/// In a round a warp adds to a line of its own and those behind it: `sharing` neighbouring lanes to one word, the words of neighbours
/// `stride` words apart; `near` times, one word further each time. `lines`, a power of two, is how many there are.
#define KERNEL(name, type)                                                                                          \
  extern "C" __global__ void atomic_lines_##name(type* words, unsigned int lines, unsigned int sharing,             \
                                                 unsigned int stride, unsigned int near, unsigned int rounds) {     \
    const unsigned int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;                \
    unsigned int line = warp * 7919 & (lines - 1);                                                                  \
    for (unsigned int round = 0; round < rounds; ++round) {                                                         \
      type* const word = words + line * (128 / sizeof(type)) + lane / sharing * stride;                             \
      for (unsigned int n = 0; n < near; ++n) atomicAdd(word + n, (type)1);                                         \
      line = (line + 1031) & (lines - 1);                                                                           \
    }                                                                                                               \
  }

KERNEL(add, unsigned int)
KERNEL(add_f32, float)
KERNEL(add_u64, unsigned long long)
