// Latency of an atomic whose result is used: each gives the address of the next, or zero, which is added to it.
#include "../micro/timed.cuh"

#define WORDS 1024

// %0 start, %1 stop, %2 sink, %3 rounds, %4 address, %5 zero
#define CHAIN(ATOMIC, TO_SINK)                                                                            \
  asm volatile("{\n\t.reg .pred more;\n\t.reg .u32 old, low;\n\t.reg .u64 wide;\n\t.reg .f32 number;\n\t" \
               "mov.b32 number, %5;\n\t" TO_SINK READ_CLOCK("%0", "%2", "low")                            \
                   ROUNDS("%3", TIMES_64(ATOMIC)) TO_SINK READ_CLOCK("%1", "%2", "low") "}"               \
               : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), ADDRESS(at)                     \
               : "r"(zero)                                                                                \
               : "memory")

/// `length` atomics of each thread, a multiple of `chain`, on the word that `sharing` neighbours share. The word holds its own
/// address for operations that return it, zero for additions. ends[t]: how far thread t's address has moved.
#define SCRATCHPAD_KERNEL(name, holds_address, ATOMIC)                                                    \
  extern "C" __global__ void atomic_chain_scratchpad_##name(                                              \
      unsigned int length, unsigned int sharing, unsigned int zero, char*, unsigned int* ends,            \
      unsigned int* cycles) {                                                                             \
    __shared__ unsigned int words[WORDS];                                                                 \
    const unsigned int thread = threadIdx.x, first = shared_address(words + thread / sharing);            \
    words[thread / sharing] = holds_address ? first : 0;                                                  \
    unsigned int at = first, start, stop, sink = 0, rounds = length / chain;                              \
    __syncthreads();                                                                                      \
    CHAIN(ATOMIC, "mov.u32 low, %4;\n\t");                                                                \
    ends[thread] = at - first;                                                                            \
    cycles[thread] = stop - start;                                                                        \
    cycles[blockDim.x + thread] = sink;                                                                   \
  }

/// The same in global memory, with words of 64 bits.
#define GLOBAL_KERNEL(name, holds_address, ATOMIC)                                                        \
  extern "C" __global__ void atomic_chain_global_##name(                                                  \
      unsigned int length, unsigned int sharing, unsigned int zero, char* words, unsigned int* ends,      \
      unsigned int* cycles) {                                                                             \
    const unsigned int thread = threadIdx.x;                                                              \
    unsigned long long* word = (unsigned long long*)words + thread / sharing;                             \
    const unsigned long long first = (unsigned long long)word;                                            \
    *(volatile unsigned long long*)word = holds_address ? first : 0;                                      \
    unsigned long long at = first;                                                                        \
    unsigned int start, stop, sink = 0, rounds = length / chain;                                          \
    __threadfence();                                                                                      \
    __syncthreads();                                                                                      \
    CHAIN(ATOMIC, "cvt.u32.u64 low, %4;\n\t");                                                            \
    ends[thread] = (unsigned int)(at - first);                                                            \
    cycles[thread] = stop - start;                                                                        \
    cycles[blockDim.x + thread] = sink;                                                                   \
  }

// clang-format off
#define ADDRESS "+r"
SCRATCHPAD_KERNEL(load, true, "ld.volatile.shared.u32 %4, [%4];\n\t")
SCRATCHPAD_KERNEL(exch, true, "atom.shared.exch.b32 %4, [%4], %4;\n\t")
SCRATCHPAD_KERNEL(cas, true, "atom.shared.cas.b32 %4, [%4], %4, %4;\n\t")
SCRATCHPAD_KERNEL(add, false, "atom.shared.add.u32 old, [%4], %5;\n\tadd.u32 %4, %4, old;\n\t")
SCRATCHPAD_KERNEL(add_f32, false, "atom.shared.add.f32 number, [%4], 0f00000000;\n\tmov.b32 old, number;\n\tadd.u32 %4, %4, old;\n\t")

#undef ADDRESS
#define ADDRESS "+l"
#define ADD_OLD "cvt.u64.u32 wide, old;\n\tadd.u64 %4, %4, wide;\n\t"
GLOBAL_KERNEL(load, true, "ld.volatile.global.u64 %4, [%4];\n\t")
GLOBAL_KERNEL(exch, true, "atom.global.exch.b64 %4, [%4], %4;\n\t")
GLOBAL_KERNEL(cas, true, "atom.global.cas.b64 %4, [%4], %4, %4;\n\t")
GLOBAL_KERNEL(add, false, "atom.global.add.u32 old, [%4], %5;\n\t" ADD_OLD)
GLOBAL_KERNEL(add_f32, false, "atom.global.add.f32 number, [%4], 0f00000000;\n\tmov.b32 old, number;\n\t" ADD_OLD)
