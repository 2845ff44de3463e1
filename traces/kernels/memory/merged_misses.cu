// Loads of several warps from one line that misses in the L1 cache: do all join the miss that is on its way, or do some wait for
// its end and keep the loads behind them from other lines?
#include "../micro/timed.cuh"

/// In each of `rounds` rounds all warps meet at a barrier; then warp w makes `loads` loads from line w / sharing of the round, of words that no load of
/// an earlier round touched: 32 words from word w % parts * (32 / parts) of the line on, those behind its end from its beginning
/// on, so that with `parts` 4 neighbouring warps begin in different sectors; lane l of load n reads word l + 8 n of these where
/// `whole`, else word l % 8. `stride`: bytes from a round's lines to the next round's. Before, all lines come into the L2 cache
/// past the L1 cache. sums[t]: of the words of thread t, which hold 1.
#define KERNEL(loads, LOADS)                                                                                      \
  extern "C" __global__ void merged_misses_##loads(const char* buffer, unsigned int rounds, unsigned int stride,  \
                                                   unsigned int sharing, unsigned int parts, unsigned int whole,  \
                                                   unsigned int* sums, unsigned int* cycles) {                    \
    const unsigned int threads = blockDim.x, thread = threadIdx.x, warp = thread / warpSize;                      \
    const unsigned int lane = thread % warpSize, first = warp % parts * (32 / parts) + (whole ? lane : lane % 8); \
    unsigned int sum = 0, sink = 0, start, stop;                                                                  \
    for (unsigned int at = thread * 32; at < rounds * stride; at += threads * 32)                                 \
      asm volatile("{\n\t.reg .u32 a;\n\tld.global.cg.u32 a, [%1];\n\txor.b32 %0, %0, a;\n\t}"                    \
                   : "+r"(sink)                                                                                   \
                   : "l"(buffer + at)                                                                             \
                   : "memory");                                                                                   \
    unsigned long long line = (unsigned long long)buffer + warp / sharing * 128, a = line + first % 32 * 4,       \
                       b = line + (first + 8) % 32 * 4, c = line + (first + 16) % 32 * 4,                         \
                       d = line + (first + 24) % 32 * 4;                                                          \
    __syncthreads();                                                                                              \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(sum) : "memory");                   \
    _Pragma("unroll 1") for (unsigned int round = 0; round < rounds; ++round) {                                   \
      asm volatile("{\n\t.reg .u32 p, q, r, s;\n\tbar.sync 0;\n\t" LOADS "}"                                      \
                   : "+r"(sum), "+l"(a), "+l"(b), "+l"(c), "+l"(d)                                                \
                   : "l"((unsigned long long)stride)                                                              \
                   : "memory");                                                                                   \
    }                                                                                                             \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(sum) : "memory");                    \
    sums[thread] = sum;                                                                                           \
    cycles[thread] = stop - start;                                                                                \
    cycles[threads + thread] = sink;                                                                              \
  }

// clang-format off
KERNEL(1, "ld.global.u32 p, [%1];\n\tadd.u64 %1, %1, %5;\n\tadd.u32 %0, %0, p;\n\t")
KERNEL(4, "ld.global.u32 p, [%1];\n\tld.global.u32 q, [%2];\n\tld.global.u32 r, [%3];\n\tld.global.u32 s, [%4];\n\t"
          "add.u64 %1, %1, %5;\n\tadd.u64 %2, %2, %5;\n\tadd.u64 %3, %3, %5;\n\tadd.u64 %4, %4, %5;\n\t"
          "add.u32 %0, %0, p;\n\tadd.u32 %0, %0, q;\n\tadd.u32 %0, %0, r;\n\tadd.u32 %0, %0, s;\n\t")
