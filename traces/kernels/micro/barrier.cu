// Cost of a barrier of the thread block: `length` barriers one after the other, a multiple of `chain`.
#include "timed.cuh"

/// arrivals[t] counts the barriers that thread t of the block left.
extern "C" __global__ void barrier(unsigned int length, unsigned int* arrivals, unsigned int* cycles) {
  unsigned int sink = 0, sum = 0, done = 0;
  __syncthreads();
#pragma unroll 1
  for (; done < length; done += chain) {
    unsigned int start, stop;
    asm volatile(READ_CLOCK("%0", "%2", "%3") TIMES_64("bar.sync 0;\n\t") READ_CLOCK("%1", "%2", "%3")
                 : "=&r"(start), "=&r"(stop), "+r"(sink)
                 : "r"(done)
                 : "memory");
    sum += stop - start;
  }
  arrivals[threadIdx.x] = done;
  cycles[threadIdx.x] = sum;
  cycles[blockDim.x + threadIdx.x] = sink;
}
