// A chase of pointers through local memory that the same threads have just written.
#include "../micro/timed.cuh"

/// Every thread of which the lane is below `lanes` writes a ring of pointers into an array of its own of 4096 bytes, one every `step` bytes, a
/// power of two, and follows 64 times `rounds` of them. ends[t]: how far behind the first word it has come.
extern "C" __global__ void local_chase(unsigned int rounds, unsigned int lanes, unsigned int step, unsigned int* ends,
                                       unsigned int* cycles) {
  unsigned int array[1024], base, at, start = 0, stop = 0, sink = 0;
  const unsigned int thread = threadIdx.x, threads = blockDim.x;
  asm volatile("{\n\t.reg .u64 wide;\n\tcvta.to.local.u64 wide, %1;\n\tcvt.u32.u64 %0, wide;\n\t}"
               : "=r"(base)
               : "l"(array)
               : "memory");
  at = base;
  if (thread % warpSize < lanes) {
    for (unsigned int to = 0; to < 4096; to += step)
      asm volatile("st.local.u32 [%0], %1;" ::"r"(base + to), "r"(base + (to + step) % 4096) : "memory");
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(at) : "memory");
    _Pragma("unroll 1") for (; rounds != 0; --rounds) {
      asm volatile(TIMES_64("ld.local.u32 %0, [%0];\n\t") : "+r"(at) : : "memory");
    }
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(at) : "memory");
  }
  ends[thread] = at - base;
  cycles[thread] = stop - start;
  cycles[threads + thread] = sink;
}
