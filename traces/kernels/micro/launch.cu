// Cost of a launch: thread blocks that do nothing, or read the clock once.
#include "timed.cuh"

extern "C" __global__ void launch_empty(unsigned int*) {}

/// cycles[b]: the clock of the SM that executes block b, read as its first instruction by its first thread.
extern "C" __global__ void launch_clock(unsigned int* cycles) {
  unsigned int now;
  asm volatile("mov.u32 %0, %%clock;\n\t" : "=r"(now)::"memory");
  if (threadIdx.x == 0) cycles[blockIdx.x] = now;
}
