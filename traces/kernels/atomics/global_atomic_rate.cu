// Rate of additions and stores to global memory: every thread of a block updates a word, which it shares with its
// neighbours and with the thread of the same number in every other block.
#include "../micro/timed.cuh"

/// `length` updates per thread, a multiple of `chain`. `sharing` neighbouring threads share a word; the words of neighbours lie
/// `stride` words apart.
#define KERNEL(name, UPDATE)                                                                                    \
  extern "C" __global__ void global_atomic_rate_##name(unsigned int length, unsigned int sharing,               \
                                                       unsigned int stride, unsigned int* counters,             \
                                                       unsigned int* cycles) {                                  \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;        \
    unsigned int* const word = counters + threadIdx.x / sharing * stride;                                       \
    unsigned int rounds = length / chain, start, stop, sink = 0;                                                \
    __syncthreads();                                                                                            \
    /* The fence waits until the updates are done. */                                                           \
    asm volatile("{\n\t.reg .pred more;\n\t" READ_CLOCK("%0", "%2", "%3") ROUNDS("%3", TIMES_64(UPDATE))        \
                 "membar.gl;\n\t" READ_CLOCK("%1", "%2", "%3") "}"                                              \
                 : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)                                          \
                 : "l"(word)                                                                                    \
                 : "memory");                                                                                   \
    cycles[thread] = stop - start;                                                                              \
    cycles[threads + thread] = sink;                                                                            \
  }

KERNEL(add, "red.global.add.u32 [%4], 1;\n\t")
KERNEL(add_f32, "red.global.add.f32 [%4], 0f3F800000;\n\t")
KERNEL(add_u64, "red.global.add.u64 [%4], 1;\n\t")
KERNEL(store, "st.volatile.global.u32 [%4], 1;\n\t")
