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

/// What is left: of each word, the additions of every lane of every round whose word it is. A warp is at a line in a round if its number
/// is the line less the steps before it, times the inverse of 7919, modulo the lines; `warps` and more of them may be.
#define EXPECTED(name, type)                                                                                        \
  extern "C" __global__ void atomic_lines_expected_##name(                                                          \
      type* words, unsigned int lines, unsigned int sharing, unsigned int stride, unsigned int near,                \
      unsigned int rounds, unsigned int warps, unsigned int count) {                                                \
    const unsigned int word = blockIdx.x * blockDim.x + threadIdx.x, in_line = 128 / sizeof(type);                  \
    if (word >= count) return;                                                                                      \
    type sum = 0;                                                                                                   \
    for (unsigned int n = 0; n < near; ++n)                                                                         \
      for (unsigned int lane = 0; lane < 32; ++lane) {                                                              \
        const unsigned int offset = n + lane / sharing * stride;                                                    \
        if (offset > word || (word - offset) % in_line != 0 || (word - offset) / in_line >= lines) continue;        \
        for (unsigned int round = 0; round < rounds; ++round) {                                                     \
          const unsigned int first = ((word - offset) / in_line - round * 1031) * 1189400591u & (lines - 1);        \
          if (first < warps) sum += (type)((warps - 1 - first) / lines + 1);                                        \
        }                                                                                                           \
      }                                                                                                             \
    words[word] = sum;                                                                                              \
  }

EXPECTED(add, unsigned int)
EXPECTED(add_f32, float)
EXPECTED(add_u64, unsigned long long)
