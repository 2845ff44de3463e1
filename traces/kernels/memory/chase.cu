// Latency of global loads: one thread follows a chain of pointers through a buffer.
//
// Saavedra and Smith (IEEE TC 1995), on GPUs: Wong et al., ISPASS 2010, section IV-F; Mei and Chu, TPDS 2017, section 4.
#include "../micro/timed.cuh"

/// Every `stride` bytes a pointer to the next one, the last one to the first.
extern "C" __global__ void chase_fill(unsigned long long links, unsigned long long stride, char* buffer) {
  const unsigned long long link = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (link >= links) return;
  *(char**)(buffer + link * stride) = buffer + (link + 1 == links ? 0 : link + 1) * stride;
}

/// `warm` rounds through all links first, not timed; then `length` links, a multiple of `chain`. ends[0] is the offset
/// of the last pointer; cycles[0] the interval, cycles[1] what keeps the xors.
#define KERNEL(name, LOAD)                                                                                         \
  extern "C" __global__ void chase_##name(unsigned int length, unsigned int warm, unsigned long long links,        \
                                          char* buffer, unsigned long long* ends, unsigned int* cycles) {          \
    unsigned long long next = (unsigned long long)buffer;                                                          \
    _Pragma("unroll 1") for (unsigned long long i = 0; i < warm * links; ++i) {                                    \
      asm volatile("{\n\t.reg .u32 low, high;\n\t" LOAD "}" : "+l"(next)::"memory");                                  \
    }                                                                                                              \
    unsigned int sink = 0, rounds = length / chain, start, stop;                                                   \
    asm volatile("{\n\t.reg .u32 low, high;\n\t.reg .pred more;\n\tcvt.u32.u64 low, %0;\n\t" READY("%4", "%1")     \
                     READ_CLOCK("%1", "%3", "low")                                                                 \
                         ROUNDS("%4", TIMES_64(LOAD)) "cvt.u32.u64 low, %0;\n\t" READ_CLOCK("%2", "%3", "low") "}" \
                 : "+l"(next), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");                     \
    ends[0] = next - (unsigned long long)buffer;                                                                   \
    cycles[0] = stop - start;                                                                                      \
    cycles[1] = sink;                                                                                              \
  }

KERNEL(ca, "ld.global.ca.u64 %0, [%0];\n\t")
KERNEL(cg, "ld.global.cg.u64 %0, [%0];\n\t")
// An instruction between two loads, as the address addition of a chain of array indices on addresses of 32 bits: here the
// moves, side by side, that make an address of its halves.
KERNEL(index_ca, "ld.global.ca.v2.u32 {low, high}, [%0];\n\tmov.b64 %0, {low, high};\n\t")
KERNEL(index_cg, "ld.global.cg.v2.u32 {low, high}, [%0];\n\tmov.b64 %0, {low, high};\n\t")
