// Needs sm_70
// Fences one after the other, with a store in front of each or none.
#include "../micro/timed.cuh"

/// Every thread stores to a word of its own, `stride` words from the next thread's.
#define KERNEL(name, STORE, FENCE)                                                                                    \
  extern "C" __global__ void fence_##name(unsigned int length, unsigned int stride, unsigned int* words,             \
                                          unsigned int* cycles) {                                                    \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;             \
    unsigned int* const word = words + thread * stride;                                                              \
    unsigned int rounds = length, start, stop, sink = 0;                                                             \
    __syncthreads();                                                                                                 \
    asm volatile("{\n\t.reg .pred more;\n\t" READ_CLOCK("%0", "%2", "%3") ROUNDS("%3", STORE FENCE)                  \
                     READ_CLOCK("%1", "%2", "%3") "}"                                                                \
                 : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)                                               \
                 : "l"(word)                                                                                         \
                 : "memory");                                                                                        \
    cycles[thread] = stop - start;                                                                                   \
    cycles[threads + thread] = sink;                                                                                 \
  }

#define STORE "st.global.u32 [%4], 1;\n\t"
KERNEL(block, "", "membar.cta;\n\t")
KERNEL(gpu, "", "membar.gl;\n\t")
KERNEL(system, "", "membar.sys;\n\t")
KERNEL(store_block, STORE, "membar.cta;\n\t")
KERNEL(store_gpu, STORE, "membar.gl;\n\t")
KERNEL(store_system, STORE, "membar.sys;\n\t")
