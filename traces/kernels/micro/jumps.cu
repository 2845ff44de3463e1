// Instruction fetch behind taken branches: blocks of a few multiply-adds, each followed by a branch over instructions that nobody
// executes, so that each block lies in another line; and short loops, whose branches go back. With a = b = 1 the sum of the
// chains of a thread is the number of its multiply-adds.
#include "timed.cuh"

// Multiply-adds of four chains in turn.
#define STEPS_2 "fma.rn.f32 %0, %0, %4, %5;\n\tfma.rn.f32 %1, %1, %4, %5;\n\t"
#define STEPS_4 STEPS_2 "fma.rn.f32 %2, %2, %4, %5;\n\tfma.rn.f32 %3, %3, %4, %5;\n\t"
#define STEPS_1 "fma.rn.f32 %3, %3, %4, %5;\n\t"
#define STEPS_5 STEPS_4 STEPS_1
#define STEPS_6 STEPS_4 STEPS_2
#define STEPS_12 STEPS_4 STEPS_4 STEPS_4
#define STEPS_13 STEPS_12 STEPS_1
#define STEPS_28 STEPS_12 STEPS_12 STEPS_4
#define STEPS_29 STEPS_28 STEPS_1
#define STEPS_30 STEPS_28 STEPS_2
#define STEPS_252 STEPS_28 STEPS_28 STEPS_28 STEPS_28 STEPS_28 STEPS_28 STEPS_28 STEPS_28 STEPS_28

/// What is executed, a branch that is always taken, and what it leaves out: a loop, as no compiler makes the branch a predicate
/// of one. `gap` and three instructions that the loop needs besides lie there.
#define BLOCK(name, work, gap)                                     \
  work "@away bra NEXT_" name                                      \
       ";\n\t"                                                     \
       "COLD_" name ":\n\t.pragma \"nounroll\";\n\t" gap           \
       "add.u32 cold, cold, 1;\n\tsetp.lt.u32 more, cold, %7;\n\t" \
       "@more bra COLD_" name                                      \
       ";\n\t"                                                     \
       "NEXT_" name ":\n\t"
#define BLOCKS_4(name, work, gap) \
  BLOCK(name "0", work, gap) BLOCK(name "1", work, gap) BLOCK(name "2", work, gap) BLOCK(name "3", work, gap)
#define BLOCKS_8(name, work, gap) BLOCKS_4(name "A", work, gap) BLOCKS_4(name "B", work, gap)

/// Blocks that are left out, and all behind them, unless there are more than `number` sections.
#define SECTION(number, blocks, work, gap) \
  "setp.eq.u32 last, %6, " #number ";\n\t@last bra END;\n\t" blocks(#number "_", work, gap)

/// A loop of `work` and three other instructions, `length` times, which is no number that all lanes share for a compiler, and four
/// instructions behind it: with an odd number from one loop to the next, eight of them begin everywhere in a line.
#define LOOP(name, work)                                     \
  "mov.u32 cold, %8;\n\tLOOP_" #name                         \
  ":\n\t.pragma \"nounroll\";\n\tsub.u32 cold, cold, 1;\n\t" \
  "setp.ne.u32 more, cold, 0;\n\t" work "@more bra LOOP_" #name ";\n\t" STEPS_4
#define LOOPS(work) \
  LOOP(0, work) LOOP(1, work) LOOP(2, work) LOOP(3, work) LOOP(4, work) LOOP(5, work) LOOP(6, work) LOOP(7, work)

/// `body` is executed `warm` times before it is timed and `rounds` times while it is. cycles[t] is what that took, results[t] the
/// sum of the chains of thread t.
#define KERNEL(name, body)                                                                                            \
  extern "C" __global__ void name(unsigned int warm, unsigned int rounds, unsigned int sections, unsigned int length, \
                                  float a, float b, float* results, unsigned int* cycles) {                           \
    float w = 0, x = 0, y = 0, z = 0;                                                                                 \
    const unsigned int trips = length + threadIdx.x / 1024;                                                           \
    unsigned int start = 0, stop;                                                                                     \
    _Pragma("unroll 1") for (unsigned int round = 0; round < warm + rounds; ++round) {                                \
      if (round == warm) {                                                                                            \
        __syncthreads();                                                                                              \
        asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");                                                 \
      }                                                                                                               \
      asm volatile(                                                                                                   \
          "{\n\t.reg .pred away, more, last;\n\t.reg .u32 cold;\n\tmov.u32 cold, 0;\n\t"                              \
          "setp.ne.u32 away, %7, 0;\n\t" body "END:\n\t}"                                                             \
          : "+f"(w), "+f"(x), "+f"(y), "+f"(z)                                                                        \
          : "f"(a), "f"(b), "r"(sections), "r"(length), "r"(trips)                                                    \
          : "memory");                                                                                                \
    }                                                                                                                 \
    asm volatile("{\n\t.reg .f32 used;\n\tadd.f32 used, %1, %1;\n\tmov.u32 %0, %%clock;\n\t}"                         \
                 : "=r"(stop)                                                                                         \
                 : "f"(w + x + y + z)                                                                                 \
                 : "memory");                                                                                         \
    results[blockDim.x * blockIdx.x + threadIdx.x] = w + x + y + z;                                                   \
    cycles[threadIdx.x] = stop - start;                                                                               \
    cycles[blockDim.x + threadIdx.x] = 0;                                                                             \
  }

#define SECTIONS_2(ten, blocks, work, gap) SECTION(ten##0, blocks, work, gap) SECTION(ten##1, blocks, work, gap)
#define SECTIONS_4(ten, blocks, work, gap) \
  SECTIONS_2(ten, blocks, work, gap) SECTION(ten##2, blocks, work, gap) SECTION(ten##3, blocks, work, gap)
#define SECTIONS_10(ten, blocks, work, gap)                                                                \
  SECTIONS_4(ten, blocks, work, gap)                                                                       \
  SECTION(ten##4, blocks, work, gap)                                                                       \
  SECTION(ten##5, blocks, work, gap)                                                                       \
  SECTION(ten##6, blocks, work, gap) SECTION(ten##7, blocks, work, gap) SECTION(ten##8, blocks, work, gap) \
      SECTION(ten##9, blocks, work, gap)

// Blocks of 2, 6, 30 and 2 multiply-adds, with 15, 31, 7 and 255 instructions between a branch and its target.
KERNEL(near, SECTIONS_10(, BLOCKS_8, STEPS_2, STEPS_12) SECTIONS_10(1, BLOCKS_8, STEPS_2, STEPS_12))
KERNEL(middle, SECTIONS_10(, BLOCKS_8, STEPS_6, STEPS_28) SECTIONS_2(1, BLOCKS_8, STEPS_6, STEPS_28))
KERNEL(full, SECTIONS_10(, BLOCKS_8, STEPS_30, STEPS_4) SECTIONS_2(1, BLOCKS_8, STEPS_30, STEPS_4))
KERNEL(far, SECTIONS_4(, BLOCKS_4, STEPS_2, STEPS_252))

KERNEL(loop_4, LOOPS(STEPS_1))
KERNEL(loop_8, LOOPS(STEPS_5))
KERNEL(loop_16, LOOPS(STEPS_13))
KERNEL(loop_32, LOOPS(STEPS_29))
