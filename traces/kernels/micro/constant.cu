// Latency and rate of constant loads: the lanes of each warp follow a chain of links through constant memory.
//
// Wong et al., ISPASS 2010, section IV-F; Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
// microbenchmarking" (2018), on constant caches: latency by footprint shows the three levels L1, L1.5 and L2, and words
// that differ between the lanes of a warp are served one after the other.
#include "timed.cuh"

/// Every `stride` bytes the offset of the next link, of the last one that of the first: initial contents, which no kernel can
/// write.
extern "C" {
__attribute__((used)) __constant__ unsigned int links_of[16384];
}

/// A load of the link at the offset in register `from`, which a compiler makes one instruction. Each step has registers of its own.
#define STEP(from, to)                                                                                       \
  "cvt.u64.u32 wide" #to ", at" #from ";\n\tadd.s64 place" #to ", base, wide" #to ";\n\tld.const.u32 at" #to \
  ", [place" #to "];\n\t"
// clang-format off
#define STEPS \
  STEP(64,1) STEP(1,2) STEP(2,3) STEP(3,4) STEP(4,5) STEP(5,6) STEP(6,7) STEP(7,8) STEP(8,9) STEP(9,10) STEP(10,11) \
  STEP(11,12) STEP(12,13) STEP(13,14) STEP(14,15) STEP(15,16) STEP(16,17) STEP(17,18) STEP(18,19) STEP(19,20) \
  STEP(20,21) STEP(21,22) STEP(22,23) STEP(23,24) STEP(24,25) STEP(25,26) STEP(26,27) STEP(27,28) STEP(28,29) \
  STEP(29,30) STEP(30,31) STEP(31,32) STEP(32,33) STEP(33,34) STEP(34,35) STEP(35,36) STEP(36,37) STEP(37,38) \
  STEP(38,39) STEP(39,40) STEP(40,41) STEP(41,42) STEP(42,43) STEP(43,44) STEP(44,45) STEP(45,46) STEP(46,47) \
  STEP(47,48) STEP(48,49) STEP(49,50) STEP(50,51) STEP(51,52) STEP(52,53) STEP(53,54) STEP(54,55) STEP(55,56) \
  STEP(56,57) STEP(57,58) STEP(58,59) STEP(59,60) STEP(60,61) STEP(61,62) STEP(62,63) STEP(63,64)
// clang-format on

/// Thread i starts at link i % distinct, so that the lanes of a warp read `distinct` words at each step. `warm` rounds
/// through all links first, not timed; then `length` links, a multiple of `chain`. ends[i] is the offset of the last link
/// of thread i; cycles[i] its interval, cycles[threads + i] what keeps the xors.
extern "C" __global__ void constant_chase(unsigned int length, unsigned int warm, unsigned int links,
                                          unsigned int stride, unsigned int distinct, unsigned int* ends,
                                          unsigned int* cycles) {
  unsigned int next = threadIdx.x % distinct * stride;
  unsigned int sink = 0, rounds = length / chain, start, stop;
  _Pragma("unroll 1") for (unsigned int i = 0; i < warm * links; ++i) {
    asm volatile(
        "{\n\t.reg .u32 at<2>;\n\t.reg .u64 base, wide<2>, place<2>;\n\tmov.u64 base, links_of;\n\tmov.u32 at0, "
        "%0;\n\t" STEP(0, 1) "mov.u32 %0, at1;\n\t}"
        : "+r"(next)::"memory");
  }
  asm volatile(
      "{\n\t.reg .pred more;\n\t.reg .u32 at<65>;\n\t.reg .u64 base, wide<65>, place<65>;\n\tmov.u64 base, "
      "links_of;\n\tmov.u32 at64, %0;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "at64") ROUNDS("%4", STEPS)
          READ_CLOCK("%2", "%3", "at64") "mov.u32 %0, at64;\n\t}"
      : "+r"(next), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");
  ends[threadIdx.x] = next;
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
}
