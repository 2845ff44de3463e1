// Throughput of atomic additions to global memory: Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
// microbenchmarking" (2018), section 4.2 and figure 4.1.
//
//   scenario 1  groups of `group` threads share a word; the words lie side by side
//   scenario 2  groups of `group` threads share a word; each word has a line of 128 bytes
//   scenario 3  all threads of all blocks share a word
//   scenario 4  the threads of a block share a word; each word has a line
#include "timed.cuh"

/// `length` additions per thread, a multiple of `chain`.
extern "C" __global__ void global_atomic_throughput(unsigned int scenario, unsigned int group, unsigned int length,
                                                    unsigned int* counters, unsigned int* cycles) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int word = 0;
  if (scenario == 1) word = threadIdx.x / group;
  if (scenario == 2) word = threadIdx.x / group * 32;
  if (scenario == 4) word = blockIdx.x * 32;
  unsigned int rounds = length / chain, start, stop, sink = 0;
  __syncthreads();
  // The fence waits until the additions are done.
  asm volatile("{\n\t.reg .pred more;\n\t" READ_CLOCK("%0", "%2", "%3")
               "AGAIN:\n\tsub.u32 %3, %3, 1;\n\tsetp.ne.u32 more, %3, 0;\n\t"
               TIMES_64("red.global.add.u32 [%4], 1;\n\t")
               "@more bra AGAIN;\n\tmembar.gl;\n\t" READ_CLOCK("%1", "%2", "%3") "}"
               : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds) : "l"(counters + word) : "memory");
  cycles[thread] = stop - start;
  cycles[threads + thread] = sink;
}
