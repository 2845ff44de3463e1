// Rate of global loads that hit in the L1 cache, by the places of the lanes: lane i of every warp reads the element
// i / sharing * stride of eight rows, again and again.
#include "../micro/timed.cuh"

#define ROW "16384"  // Bytes from row to row: room for 32 lanes that lie 32 elements of 16 bytes apart.

/// `length` loads per thread, a multiple of `chain`. `step`, 0, is added to the address after every eight of them, so that no
/// compiler knows that they are the same. sums[t] is the sum of the words that thread t read, the first of each element.
#define KERNEL(bytes, LOAD)                                                                                       \
  extern "C" __global__ void l1_rate_##bytes(const char* buffer, unsigned int length, unsigned int sharing,       \
                                             unsigned int stride, unsigned long long step, unsigned int* sums,    \
                                             unsigned int* cycles) {                                              \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;          \
    const char* at = buffer + (unsigned long long)(threadIdx.x % warpSize / sharing * stride) * bytes;            \
    unsigned int rounds = length / chain, start, stop, sink = 0, sum = 0;                                         \
    asm volatile("{\n\t.reg .u32 a, b, c, d;\n\t" LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) \
                 "add.u64 %1, %1, %2;\n\t}"                                                                       \
                 : "+r"(sum), "+l"(at)                                                                            \
                 : "l"(step)                                                                                      \
                 : "memory");                                                                                     \
    sink = sum;                                                                                                   \
    sum = 0;                                                                                                      \
    __syncthreads();                                                                                              \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(sum) : "memory");                   \
    _Pragma("unroll 1") for (; rounds != 0; --rounds) {                                                           \
      asm volatile("{\n\t.reg .u32 a, b, c, d;\n\t" TIMES_4(                                                      \
                       LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) "add.u64 %1, %1, %2;\n\t"  \
                       LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) "add.u64 %1, %1, %2;\n\t") \
                   "}"                                                                                            \
                   : "+r"(sum), "+l"(at)                                                                          \
                   : "l"(step)                                                                                    \
                   : "memory");                                                                                   \
    }                                                                                                             \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(sum) : "memory");                    \
    sums[thread] = sum;                                                                                           \
    cycles[thread] = stop - start;                                                                                \
    cycles[threads + thread] = sink;                                                                              \
  }

// clang-format off
#define LOAD_4(n) "ld.global.u32 a, [%1 + " #n " * " ROW "];\n\tadd.u32 %0, %0, a;\n\t"
#define LOAD_8(n) "ld.global.v2.u32 {a, b}, [%1 + " #n " * " ROW "];\n\tadd.u32 %0, %0, a;\n\t"
#define LOAD_16(n) "ld.global.v4.u32 {a, b, c, d}, [%1 + " #n " * " ROW "];\n\tadd.u32 %0, %0, a;\n\t"
KERNEL(4, LOAD_4)
KERNEL(8, LOAD_8)
KERNEL(16, LOAD_16)
