// Time of scratchpad loads of which some lanes of a warp are strided and the others linear.
//
// van den Braak (2015), section 6.1: `for (i = 0; i < repeat; i++) index = memory[index]` with GenerateIndex(thread, way,
// stride) = thread * stride for the first `way` threads and the thread's own number for the others. Each word holds its own
// number, so that every load of the chain asks for the same word.
#include "timed.cuh"

extern __shared__ unsigned int table[];

/// Dynamic scratchpad memory: `words` words. Every warp makes the pattern of its lanes 0 to 31. `repeat` is a multiple of
/// `chain`. ends[t] takes the last index of thread t, cycles[t] the interval of its warp, cycles[threads + t] what keeps it.
extern "C" __global__ void scratchpad_ways(unsigned int ways, unsigned int stride, unsigned int words,
                                           unsigned int repeat, unsigned int* ends, unsigned int* cycles) {
  const unsigned int base = shared_address(table), lane = threadIdx.x % 32;
  for (unsigned int word = threadIdx.x; word < words; word += blockDim.x) table[word] = word;
  __syncthreads();
  unsigned int index = lane < ways ? lane * stride : lane, sink = 0, rounds = repeat / chain, start, stop;
  asm volatile("{\n\t.reg .u32 address;\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "%0")
                   ROUNDS("%4", TIMES_64("mad.lo.u32 address, %0, 4, %5;\n\tld.shared.u32 %0, [address];\n\t"))
                       READ_CLOCK("%2", "%3", "%0") "}"
               : "+r"(index), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)
               : "r"(base)
               : "memory");
  ends[threadIdx.x] = index;
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
}
