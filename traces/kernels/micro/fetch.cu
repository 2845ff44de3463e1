// Instruction fetch: straight code of 32 sections of 256 multiply-adds each, executed `rounds` times by every warp. The
// clock is read behind each section: in the first round no cache holds the code, in later ones those that are large enough.
// Of four independent chains one multiply-add can issue per cycle.
#include "timed.cuh"

#define STEP                        \
  "fma.rn.f32 %0, %0, %4, %5;\n\t"  \
  "fma.rn.f32 %1, %1, %4, %5;\n\t"  \
  "fma.rn.f32 %2, %2, %4, %5;\n\t"  \
  "fma.rn.f32 %3, %3, %4, %5;\n\t"

/// cycles[(round * 33 + section) * warps + w]: clock of warp w of the grid in front of the section, or behind the last
/// one. results[t] is the sum of the chains of thread t. `sections` of the 32 are executed.
extern "C" __global__ void fetch(unsigned int rounds, unsigned int sections, float a, float b, float* results,
                                 unsigned int* cycles) {
  const unsigned int warps = gridDim.x * (blockDim.x / 32), thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int* at = cycles + thread / 32;
  float w = 1, x = 2, y = 3, z = 4;
  unsigned int now;
#define SECTION(number)                                                                                       \
  if (number == sections) goto last;                                                                          \
  asm volatile("mov.u32 %0, %%clock;\n\t" : "=r"(now)::"memory");                                           \
  if (threadIdx.x % 32 == 0) *at = now;                                                                       \
  at += warps;                                                                                                \
  asm volatile(TIMES_64(STEP) : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "f"(a), "f"(b) : "memory");
#pragma unroll 1
  for (unsigned int round = 0; round < rounds; ++round) {
    SECTION(0) SECTION(1) SECTION(2) SECTION(3) SECTION(4) SECTION(5) SECTION(6) SECTION(7)
    SECTION(8) SECTION(9) SECTION(10) SECTION(11) SECTION(12) SECTION(13) SECTION(14) SECTION(15)
    SECTION(16) SECTION(17) SECTION(18) SECTION(19) SECTION(20) SECTION(21) SECTION(22) SECTION(23)
    SECTION(24) SECTION(25) SECTION(26) SECTION(27) SECTION(28) SECTION(29) SECTION(30) SECTION(31)
  last:
    asm volatile("mov.u32 %0, %%clock;\n\t" : "=r"(now)::"memory");
    if (threadIdx.x % 32 == 0) *at = now;
    at += warps;
  }
  results[thread] = w + x + y + z;
}
