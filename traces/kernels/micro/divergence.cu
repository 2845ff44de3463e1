// Cost of lanes that part and meet again. With a = b = 1 the result of a thread is the number of its multiply-adds. No loop is
// unrolled but the inner one of `unrolled`, and no side of a branch is short enough to be predicated.
#include "timed.cuh"

#define NOT_UNROLLED asm volatile(".pragma \"nounroll\";");
#define STEP x = x * a + b;
#define STEPS_4 STEP STEP STEP STEP
#define STEPS_24 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4 STEPS_4
#define OTHER_STEPS_4 x = (x + b) + b; x = (x + b) + b;

/// body uses x, a, b, rounds, lane and group; `parts` groups of neighbouring lanes, 32 / parts each.
#define KERNEL(name, BODY)                                                                                           \
  extern "C" __global__ void name(unsigned int rounds, unsigned int parts, unsigned int length, float a, float b,    \
                                  float* counts, unsigned int* cycles) {                                             \
    const unsigned int thread = threadIdx.x, group = thread % 32 * parts / 32;                                       \
    float x = 0;                                                                                                     \
    unsigned int start, stop;                                                                                        \
    __syncthreads();                                                                                                 \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");                                                    \
    BODY asm volatile("{\n\t.reg .f32 used;\n\tadd.f32 used, %1, %1;\n\tmov.u32 %0, %%clock;\n\t}"                   \
                      : "=r"(stop)                                                                                   \
                      : "f"(x)                                                                                       \
                      : "memory");                                                                                   \
    counts[thread] = x;                                                                                              \
    cycles[thread] = stop - start;                                                                                   \
    cycles[blockDim.x + thread] = 0;                                                                                 \
  }

// Groups leave a loop one round after the other, the last after `rounds`.
KERNEL(leave, {
  const unsigned int own = rounds + group + 1 - parts;
  _Pragma("unroll 1")
  for (unsigned int i = 0; i < own; ++i) {
    NOT_UNROLLED
    STEPS_4
  }
})

// Only the first group takes the way through 24 multiply-adds.
KERNEL(skip, {
  _Pragma("unroll 1")
  for (unsigned int i = 0; i < rounds; ++i) {
    NOT_UNROLLED
    if (group == 0) {
      STEPS_24
    }
    STEPS_4
  }
})

// The first group goes one way and the others another one.
KERNEL(sides, {
  _Pragma("unroll 1")
  for (unsigned int i = 0; i < rounds; ++i) {
    NOT_UNROLLED
    if (group == 0) {
      STEPS_24
    } else {
      OTHER_STEPS_4 OTHER_STEPS_4 OTHER_STEPS_4 OTHER_STEPS_4 OTHER_STEPS_4 OTHER_STEPS_4
    }
  }
})

// An inner loop of `length` rounds, from which the groups come one after the other, the last after `length`.
KERNEL(inner, {
  const unsigned int own = length + group + 1 - parts;
  _Pragma("unroll 1")
  for (unsigned int i = 0; i < rounds; ++i) {
    NOT_UNROLLED
  _Pragma("unroll 1")
    for (unsigned int j = 0; j < own; ++j) {
      NOT_UNROLLED
      STEP
    }
    x += b;
  }
})

// The same where compilers may unroll the inner loop.
KERNEL(unrolled, {
  const unsigned int own = length + group + 1 - parts;
  _Pragma("unroll 1")
  for (unsigned int i = 0; i < rounds; ++i) {
    NOT_UNROLLED
    _Pragma("unroll 1")
    for (unsigned int j = 0; j < own; ++j) {
      STEP
    }
    x += b;
  }
})
