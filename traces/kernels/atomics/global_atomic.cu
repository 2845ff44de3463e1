// Latency of an atomic operation on global memory against contention: the method of scratchpad_atomic.cu, with a 64-bit
// pointer whose low half the operation is applied to.
#include "../micro/timed.cuh"

// %0 address, %1 start, %2 stop, %3 sink, %4 rounds, %5 operand, %6 low half of the address
#define READ_CLOCK_WIDE(to) "cvt.u32.u64 low, %0;\n\t" READ_CLOCK(to, "%3", "low")
#define KERNEL(name, ATOMIC)                                                                                           \
  extern "C" __global__ void global_atomic_##name(unsigned int pair, unsigned int own_address, unsigned int constant,  \
                                                  unsigned int length, unsigned long long* word,                       \
                                                  unsigned long long* ends, unsigned int* cycles) {                    \
    const unsigned long long address = (unsigned long long)word;                                                       \
    const unsigned int low_address = (unsigned int)address, operand = own_address ? low_address : constant;            \
    *(volatile unsigned long long*)word = address;                                                                     \
    __threadfence();                                                                                                   \
    __syncthreads();                                                                                                   \
    unsigned long long data = *(volatile unsigned long long*)word;                                                     \
    unsigned int sink = 0, rounds = length / chain, start, stop;                                                       \
    if (pair) {                                                                                                        \
      asm volatile("{\n\t.reg .u32 old, low;\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK_WIDE("%1")          \
                       ROUNDS("%4", TIMES_64(ATOMIC "ld.volatile.global.u64 %0, [%0];\n\t")) READ_CLOCK_WIDE("%2") "}" \
                   : "+l"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)                                   \
                   : "r"(operand), "r"(low_address)                                                                    \
                   : "memory");                                                                                        \
    } else {                                                                                                           \
      asm volatile("{\n\t.reg .u32 old, low;\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK_WIDE("%1")          \
                       ROUNDS("%4", TIMES_64("ld.volatile.global.u64 %0, [%0];\n\t")) READ_CLOCK_WIDE("%2") "}"        \
                   : "+l"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)                                   \
                   : "r"(operand), "r"(low_address)                                                                    \
                   : "memory");                                                                                        \
    }                                                                                                                  \
    ends[threadIdx.x] = data - address;                                                                                \
    cycles[threadIdx.x] = stop - start;                                                                                \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                           \
  }

KERNEL(add, "red.global.add.u32 [%0], %5;\n\t")
KERNEL(min, "red.global.min.u32 [%0], %5;\n\t")
KERNEL(max, "red.global.max.u32 [%0], %5;\n\t")
KERNEL(and, "red.global.and.b32 [%0], %5;\n\t")
KERNEL(or, "red.global.or.b32 [%0], %5;\n\t")
KERNEL(xor, "red.global.xor.b32 [%0], %5;\n\t")
KERNEL(exch, "atom.global.exch.b32 old, [%0], %5;\n\t")
KERNEL(cas, "atom.global.cas.b32 old, [%0], %6, %5;\n\t")
