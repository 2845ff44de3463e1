// Latency of an atomic operation on scratchpad memory against contention.
//
// Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (2018), section 4.2: a pair of an
// atomic A and a load B of the same word, where B's value is the address of the next pair, takes latency(A) +
// latency(B); the chain of B alone gives latency(B). Here all threads of the block (one warp) use one word: their
// number is the contention. The word holds its own address, and `operand` is such that the operation leaves it as it is.
#include "../micro/timed.cuh"

extern __shared__ unsigned int table[];

// %0 address, %1 start, %2 stop, %3 sink, %4 rounds, %5 operand, %6 the address again
#define KERNEL(name, ATOMIC)                                                                                           \
  extern "C" __global__ void scratchpad_atomic_##name(unsigned int pair, unsigned int own_address,                     \
                                                      unsigned int constant, unsigned int length, unsigned int* ends,  \
                                                      unsigned int* cycles) {                                          \
    const unsigned int address = shared_address(table);                                                                \
    const unsigned int operand = own_address ? address : constant;                                                     \
    table[0] = address;                                                                                                \
    __syncthreads();                                                                                                   \
    unsigned int data = address, sink = 0, rounds = length / chain, start, stop;                                       \
    if (pair) {                                                                                                        \
      asm volatile("{\n\t.reg .u32 old;\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "%0")        \
                       ROUNDS("%4", TIMES_64(ATOMIC "ld.volatile.shared.u32 %0, [%0];\n\t"))                           \
                           READ_CLOCK("%2", "%3", "%0") "}"                                                            \
                   : "+r"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)                                   \
                   : "r"(operand), "r"(address)                                                                        \
                   : "memory");                                                                                        \
    } else {                                                                                                           \
      asm volatile("{\n\t.reg .u32 old;\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "%0")        \
                       ROUNDS("%4", TIMES_64("ld.volatile.shared.u32 %0, [%0];\n\t")) READ_CLOCK("%2", "%3", "%0") "}" \
                   : "+r"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)                                   \
                   : "r"(operand), "r"(address)                                                                        \
                   : "memory");                                                                                        \
    }                                                                                                                  \
    ends[threadIdx.x] = data - address;                                                                                \
    cycles[threadIdx.x] = stop - start;                                                                                \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                           \
  }

KERNEL(add, "red.shared.add.u32 [%0], %5;\n\t")
KERNEL(min, "red.shared.min.u32 [%0], %5;\n\t")
KERNEL(max, "red.shared.max.u32 [%0], %5;\n\t")
KERNEL(and, "red.shared.and.b32 [%0], %5;\n\t")
KERNEL(or, "red.shared.or.b32 [%0], %5;\n\t")
KERNEL(xor, "red.shared.xor.b32 [%0], %5;\n\t")
KERNEL(exch, "atom.shared.exch.b32 old, [%0], %5;\n\t")
KERNEL(cas, "atom.shared.cas.b32 old, [%0], %6, %5;\n\t")
