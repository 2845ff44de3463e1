// Latency of constant loads: the lanes of a warp follow a chain of pointers through constant memory.
//
// Wong et al., ISPASS 2010, section IV-F; Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
// microbenchmarking" (2018), on constant caches: latency by footprint shows the three levels L1, L1.5 and L2, and words
// that differ between the lanes of a warp are served one after the other.
#include "timed.cuh"

/// Every `stride` bytes the address of the next pointer, in the constant space, the last one of the first: initial
/// contents, which no kernel can write.
extern "C" {
__constant__ unsigned long long pointers[8192];
}

/// Lane i starts at link i % distinct, so that the lanes of a warp read `distinct` words at each step. `warm` rounds
/// through all links first, not timed; then `length` links, a multiple of `chain`. ends[i] is the offset of the last pointer
/// of thread i; cycles[i] its interval, cycles[threads + i] what keeps the xors.
extern "C" __global__ void constant_chase(unsigned int length, unsigned int warm, unsigned int links,
                                          unsigned int stride, unsigned int distinct, unsigned long long* ends,
                                          unsigned int* cycles) {
  unsigned long long base;
  asm("cvta.to.const.u64 %0, %1;" : "=l"(base) : "l"(pointers));
  unsigned long long next = base + threadIdx.x % distinct * stride;
  _Pragma("unroll 1") for (unsigned int i = 0; i < warm * links; ++i) {
    asm volatile("ld.const.u64 %0, [%0];" : "+l"(next)::"memory");
  }
  unsigned int sink = 0, rounds = length / chain, start, stop;
  asm volatile("{\n\t.reg .u32 low;\n\t.reg .pred more;\n\tcvt.u32.u64 low, %0;\n\t" READY("%4", "%1")
                   READ_CLOCK("%1", "%3", "low")
                       ROUNDS("%4", TIMES_64("ld.const.u64 %0, [%0];\n\t")) "cvt.u32.u64 low, %0;\n\t" READ_CLOCK(
                           "%2", "%3", "low") "}"
               : "+l"(next), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");
  ends[threadIdx.x] = next - base;
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
}
