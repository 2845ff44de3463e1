// Cost of a barrier of the thread block: `length` barriers one after the other, a multiple of `chain`.
#include "timed.cuh"

/// arrivals[t] counts the barriers that thread t of the block left.
extern "C" __global__ void barrier(unsigned int length, unsigned int* arrivals, unsigned int* cycles) {
  unsigned int sink = 0, rounds = length / chain, start, stop;
  __syncthreads();
  asm volatile("{\n\t.reg .pred more;\n\t" READ_CLOCK("%0", "%2", "%3") ROUNDS("%3", TIMES_64("bar.sync 0;\n\t"))
                   READ_CLOCK("%1", "%2", "%3") "}"
               : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");
  arrivals[threadIdx.x] = length - rounds;
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
}
