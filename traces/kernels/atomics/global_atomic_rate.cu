// Rate of atomic additions to global memory: every thread of a block adds to a word of its own, which it shares with the
// thread of the same number in every other block.
#include "../micro/timed.cuh"

/// `length` additions per thread, a multiple of `chain`.
extern "C" __global__ void global_atomic_rate(unsigned int length, unsigned int* counters, unsigned int* cycles) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int rounds = length / chain, start, stop, sink = 0;
  __syncthreads();
  // The fence waits until the additions are done.
  asm volatile("{\n\t.reg .pred more;\n\t" READ_CLOCK("%0", "%2", "%3")
               ROUNDS("%3", TIMES_64("red.global.add.u32 [%4], 1;\n\t"))
               "membar.gl;\n\t" READ_CLOCK("%1", "%2", "%3") "}"
               : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds) : "l"(counters + threadIdx.x) : "memory");
  cycles[thread] = stop - start;
  cycles[threads + thread] = sink;
}
