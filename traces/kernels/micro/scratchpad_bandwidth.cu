// Bandwidth of scratchpad loads of 4, 8 or 16 bytes: every thread reads its own place, neighbours side by side.
#include "timed.cuh"

extern __shared__ unsigned int table[];

/// `length` loads per thread, a multiple of `chain`, eight of them independent. The words of a thread's place hold its
/// number in the block; sums[t] is what the last eight loads of thread t of the grid add up to.
#define KERNEL(bits, words, LOAD, REGISTERS, SUM)                                                                      \
  extern "C" __global__ void scratchpad_bandwidth_##bits(unsigned int length, unsigned int* sums,                      \
                                                         unsigned int* cycles) {                                       \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;               \
    for (unsigned int word = 0; word < words; ++word) table[threadIdx.x * words + word] = threadIdx.x;                 \
    const unsigned int address = shared_address(table) + 4 * words * threadIdx.x;                                      \
    unsigned int rounds = length / chain, start, stop, sink = 0, sum = 0;                                              \
    __syncthreads();                                                                                                   \
    asm volatile(                                                                                                      \
        "{\n\t.reg .pred more;\n\t" REGISTERS READY("%3", "%0")                                                        \
            READ_CLOCK("%0", "%2", "%5") "AGAIN:\n\tsub.u32 %3, %3, 1;\n\tsetp.ne.u32 more, %3, 0;\n\t" TIMES_4(       \
                LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) LOAD(0) LOAD(1) LOAD(2) LOAD(3)        \
                    LOAD(4) LOAD(5) LOAD(6) LOAD(7)) "@more bra AGAIN;\n\t" READ_CLOCK("%1", "%2", "x7") SUM(0) SUM(1) \
                SUM(2) SUM(3) SUM(4) SUM(5) SUM(6) SUM(7) "}"                                                          \
        : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), "+r"(sum)                                               \
        : "r"(address)                                                                                                 \
        : "memory");                                                                                                   \
    sums[thread] = sum;                                                                                                \
    cycles[thread] = stop - start;                                                                                     \
    cycles[threads + thread] = sink;                                                                                   \
  }

// clang-format off
#define LOAD_32(n) "ld.volatile.shared.u32 x" #n ", [%5];\n\t"
#define LOAD_64(n) "ld.volatile.shared.v2.u32 {x" #n ", y" #n "}, [%5];\n\t"
#define LOAD_128(n) "ld.volatile.shared.v4.u32 {x" #n ", y" #n ", z" #n ", w" #n "}, [%5];\n\t"
#define SUM_32(n) "add.u32 %4, %4, x" #n ";\n\t"
#define SUM_64(n) SUM_32(n) "add.u32 %4, %4, y" #n ";\n\t"
#define SUM_128(n) SUM_64(n) "add.u32 %4, %4, z" #n ";\n\tadd.u32 %4, %4, w" #n ";\n\t"
KERNEL(32, 1, LOAD_32, ".reg .u32 x<8>;\n\t", SUM_32)
KERNEL(64, 2, LOAD_64, ".reg .u32 x<8>, y<8>;\n\t", SUM_64)
KERNEL(128, 4, LOAD_128, ".reg .u32 x<8>, y<8>, z<8>, w<8>;\n\t", SUM_128)
