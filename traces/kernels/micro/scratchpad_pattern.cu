// One access of every warp to scratchpad words that the host chose, all warps at the same time.
//
// Gomez-Luna (2012): section 4.3.3, Listing 4.2 (load, add, store) and section 4.3.4 (atomic addition), with the warp
// access patterns of equations 4.1 to 4.3; van den Braak (2015), equation 5.1. A barrier stands before the access, so
// that all warps start together (Figure 4.9).
#include "timed.cuh"

extern __shared__ unsigned int table[];

/// Thread t accesses word words[t], or none when that is 0xffffffff. Dynamic scratchpad memory: `count` words, zero at first, which are
/// left in `after`. cycles[t] takes the interval of the thread's warp and cycles[threads + t] what keeps the access.
#define KERNEL(name, ACCESS)                                                                               \
  extern "C" __global__ void scratchpad_pattern_##name(const unsigned int* words, unsigned int count,      \
                                                       unsigned int* after, unsigned int* cycles) {        \
    for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) table[i] = 0;                           \
    const unsigned int word = words[threadIdx.x], address = shared_address(table) + 4 * word;              \
    unsigned int value = 1, start, stop, sink = 0;                                                         \
    __syncthreads();                                                                                       \
    asm volatile("{\n\t.reg .pred active;\n\tsetp.ne.u32 active, %4, -1;\n\t" READ_CLOCK("%1", "%3", "%0") \
                     ACCESS READ_CLOCK("%2", "%3", "%0") "}"                                               \
                 : "+r"(value), "=&r"(start), "=&r"(stop), "+r"(sink)                                      \
                 : "r"(word), "r"(address)                                                                 \
                 : "memory");                                                                              \
    cycles[threadIdx.x] = stop - start;                                                                    \
    cycles[blockDim.x + threadIdx.x] = sink;                                                               \
    __syncthreads();                                                                                       \
    for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) after[i] = table[i];                    \
  }

KERNEL(load, "@active ld.volatile.shared.u32 %0, [%5];\n\t")
KERNEL(store, "@active st.volatile.shared.u32 [%5], %0;\n\t")
KERNEL(update,
       "@active ld.volatile.shared.u32 %0, [%5];\n\tadd.u32 %0, %0, 1;\n\t@active st.volatile.shared.u32 [%5], %0;\n\t")
KERNEL(atomic, "@active atom.shared.add.u32 %0, [%5], 1;\n\t")
KERNEL(reduction, "@active red.shared.add.u32 [%5], 1;\n\t")

/// The same words `rounds` times, each vote read from global memory as in a histogram: words[round * threads + t].
extern "C" __global__ void scratchpad_pattern_votes(const unsigned int* words, unsigned int count, unsigned int* after,
                                                    unsigned int* cycles, unsigned int rounds) {
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) table[i] = 0;
  unsigned int start, stop, sink = 0, last = 0;
  __syncthreads();
  asm volatile(READ_CLOCK("%0", "%1", "%2") : "=&r"(start), "+r"(sink) : "r"(last) : "memory");
#pragma unroll 1
  for (unsigned int round = 0; round < rounds; ++round) atomicAdd(table + words[round * blockDim.x + threadIdx.x], 1u);
  asm volatile(READ_CLOCK("%0", "%1", "%2") : "=&r"(stop), "+r"(sink) : "r"(last) : "memory");
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) after[i] = table[i];
}
