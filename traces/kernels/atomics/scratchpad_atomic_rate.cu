// Rate of scratchpad atomics: every thread of a block updates its word `length` times, a multiple of `chain`. Updates of one warp
// do not wait for each other.
#include "../micro/timed.cuh"

#define WORDS 8192

/// `sharing` neighbouring lanes share a word; the words of neighbours lie `stride` words apart. results[t] is the word of
/// thread t in the end.
#define KERNEL(name, UPDATE)                                                                                  \
  extern "C" __global__ void scratchpad_atomic_rate_##name(unsigned int length, unsigned int sharing,         \
                                                           unsigned int stride, unsigned int value,           \
                                                           unsigned int* results, unsigned int* cycles) {     \
    __shared__ unsigned long long words[WORDS / 2];                                                           \
    const unsigned int threads = blockDim.x, thread = threadIdx.x, place = thread / sharing * stride % WORDS; \
    for (unsigned int i = thread; i < WORDS / 2; i += threads) words[i] = 0;                                  \
    unsigned int sink = 0, rounds = length / chain, start, stop, x = 0;                                       \
    const unsigned int at = shared_address(words) + 4 * place;                                                \
    __syncthreads();                                                                                          \
    asm volatile("{\n\t.reg .pred more;\n\t" READ_CLOCK("%0", "%2", "%3") ROUNDS("%3", TIMES_64(UPDATE))      \
                     READ_CLOCK("%1", "%2", "%4") "}"                                                         \
                 : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), "+r"(x)                               \
                 : "r"(at), "r"(value)                                                                        \
                 : "memory");                                                                                 \
    __syncthreads();                                                                                          \
    results[thread] = ((const unsigned int*)words)[place];                                                    \
    cycles[thread] = stop - start;                                                                            \
    cycles[threads + thread] = sink + x;                                                                      \
  }

KERNEL(increment, "red.shared.add.u32 [%5], 1;\n\t")
KERNEL(add, "red.shared.add.u32 [%5], %6;\n\t")
KERNEL(max, "red.shared.max.u32 [%5], %6;\n\t")
KERNEL(add_result, "atom.shared.add.u32 %4, [%5], %6;\n\t")
KERNEL(exch, "atom.shared.exch.b32 %4, [%5], %6;\n\t")
KERNEL(cas, "atom.shared.cas.b32 %4, [%5], %6, %6;\n\t")
KERNEL(add_f32, "{\n\t.reg .f32 f;\n\tmov.b32 f, %6;\n\tred.shared.add.f32 [%5], f;\n\t}\n\t")
KERNEL(load, "ld.volatile.shared.u32 %4, [%5];\n\t")
KERNEL(store, "st.volatile.shared.u32 [%5], %6;\n\t")
