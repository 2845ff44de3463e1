// Bandwidth of a copy in global memory against occupancy and instruction-level parallelism: Volkov, "Better performance
// at lower occupancy" (GTC 2010). A thread copies `ilp` words at a time; dynamic scratchpad memory that nobody uses
// limits how many blocks an SM takes.
#include "timed.cuh"

// %0 start or stop, %1 sink, %2 an address or the last word
template <int ilp>
__device__ __forceinline__ void copy(const unsigned int* from, unsigned int* to, unsigned int rounds,
                                     unsigned int* cycles) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int start, stop, sink = 0;
  unsigned int words[ilp];
  for (int k = 0; k < ilp; ++k) words[k] = 0;
  __syncthreads();
  asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(thread) : "memory");
#pragma unroll 1
  for (unsigned int round = 0; round < rounds; ++round) {
    const unsigned int first = round * ilp * threads + thread;
#pragma unroll
    for (int k = 0; k < ilp; ++k) words[k] = from[first + k * threads];
#pragma unroll
    for (int k = 0; k < ilp; ++k) to[first + k * threads] = words[k];
  }
  asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(words[ilp - 1]) : "memory");
  cycles[thread] = stop - start;
  cycles[threads + thread] = sink;
}

#define KERNEL(ilp)                                                                                           \
  extern "C" __global__ void occupancy_##ilp(const unsigned int* from, unsigned int* to, unsigned int rounds, \
                                             unsigned int* cycles) {                                          \
    copy<ilp>(from, to, rounds, cycles);                                                                      \
  }

KERNEL(1)
KERNEL(2)
KERNEL(4)
KERNEL(8)
