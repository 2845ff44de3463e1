// Bandwidth of global loads: the grid reads a buffer `repeats` times, each thread 8 loads at a time of 4, 8 or 16 bytes.
// How much of the buffer fits into which cache says whose bandwidth it is.
#include "../micro/timed.cuh"

#ifndef CACHE
#define CACHE ""  // As loads are cached that say nothing.
#endif

/// `pieces` loads in all, a multiple of 8 times the number of threads. Thread t of the grid reads pieces t,
/// t + threads, ...; sums[t] is the sum of the words that it read.
#define KERNEL(bits, bytes, LOAD, REGISTERS, SUM)                                                                       \
  extern "C" __global__ void bandwidth_##bits(const char* buffer, unsigned int pieces, unsigned int repeats,            \
                                              unsigned int* sums, unsigned int* cycles) {                               \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;                \
    const unsigned long long step = (unsigned long long)threads * bytes;                                                \
    unsigned int start, stop, sink = 0, sum = 0;                                                                        \
    __syncthreads();                                                                                                    \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(thread) : "memory");                      \
    _Pragma("unroll 1") for (unsigned int repeat = 0; repeat < repeats; ++repeat) {                                     \
      const char* at = buffer + (unsigned long long)thread * bytes;                                                     \
      _Pragma("unroll 1") for (unsigned int piece = thread; piece < pieces; piece += 8 * threads) {                     \
        asm volatile("{\n\t.reg .u64 a;\n\t" REGISTERS "mov.u64 a, %1;\n\t"                                           \
                     LOAD(0) "add.u64 a, a, %2;\n\t" LOAD(1) "add.u64 a, a, %2;\n\t" LOAD(2) "add.u64 a, a, %2;\n\t"  \
                     LOAD(3) "add.u64 a, a, %2;\n\t" LOAD(4) "add.u64 a, a, %2;\n\t" LOAD(5) "add.u64 a, a, %2;\n\t"  \
                     LOAD(6) "add.u64 a, a, %2;\n\t" LOAD(7) "add.u64 %1, a, %2;\n\t"                                 \
                     SUM(0) SUM(1) SUM(2) SUM(3) SUM(4) SUM(5) SUM(6) SUM(7) "}"                                      \
                     : "+r"(sum), "+l"(at) : "l"(step) : "memory"); \
      }                                                                                                                 \
    }                                                                                                                   \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(sum) : "memory");                          \
    sums[thread] = sum;                                                                                                 \
    cycles[thread] = stop - start;                                                                                      \
    cycles[threads + thread] = sink;                                                                                    \
  }

// clang-format off
#define LOAD_32(n) "ld.global" CACHE ".u32 x" #n ", [a];\n\t"
#define LOAD_64(n) "ld.global" CACHE ".v2.u32 {x" #n ", y" #n "}, [a];\n\t"
#define LOAD_128(n) "ld.global" CACHE ".v4.u32 {x" #n ", y" #n ", z" #n ", w" #n "}, [a];\n\t"
#define SUM_32(n) "add.u32 %0, %0, x" #n ";\n\t"
#define SUM_64(n) SUM_32(n) "add.u32 %0, %0, y" #n ";\n\t"
#define SUM_128(n) SUM_64(n) "add.u32 %0, %0, z" #n ";\n\tadd.u32 %0, %0, w" #n ";\n\t"
KERNEL(32, 4, LOAD_32, ".reg .u32 x<8>;\n\t", SUM_32)
KERNEL(64, 8, LOAD_64, ".reg .u32 x<8>, y<8>;\n\t", SUM_64)
KERNEL(128, 16, LOAD_128, ".reg .u32 x<8>, y<8>, z<8>, w<8>;\n\t", SUM_128)
