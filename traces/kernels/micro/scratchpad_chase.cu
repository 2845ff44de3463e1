// Latency of scratchpad loads with bank conflicts: every lane follows a chain of its own, all of them in step.
//
// Mei and Chu, "Dissecting GPU memory hierarchy through microbenchmarking" (TPDS 2017), Listing 4: one warp, thread i
// starts at word i * stride, `data = table[data]`; the conflict degree is gcd(stride, 32). Here the chain of thread i goes
// round the `stride` words from i * stride on, so that the last value tells how many loads there were; all lanes move by
// one word at a time, which leaves the degree as it is.
#include "timed.cuh"

extern __shared__ unsigned int table[];

/// Dynamic scratchpad memory: threads * max(stride, 1) words. `length` is a multiple of `chain`. The last address of
/// thread i in bytes goes to ends[i], the cycles of its interval to cycles[i], and what the xors left
/// (which is what keeps them) to cycles[threads + i].
template <bool by_index>
__device__ __forceinline__ void chase(unsigned int stride, unsigned int length, unsigned int* ends,
                                      unsigned int* cycles) {
  const unsigned int base = shared_address(table), unit = by_index ? 4 : 1;
  const unsigned int first = threadIdx.x * stride, words = max(stride, 1u);
  for (unsigned int word = 0; word < words; ++word) {
    const unsigned int next = stride == 0 || word + 1 == words ? first : first + word + 1;
    table[first + word] = (base + 4 * next) / unit;
  }
  __syncthreads();
  unsigned int data = (base + 4 * first) / unit, sink = 0, rounds = length / chain, start, stop;
  if (by_index) {
    asm volatile("{\n\t.reg .u32 address;\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "%0")
                     ROUNDS("%4", TIMES_64("shl.b32 address, %0, 2;\n\tld.shared.u32 %0, [address];\n\t"))
                         READ_CLOCK("%2", "%3", "%0") "}"
                 : "+r"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");
  } else {
    asm volatile("{\n\t.reg .pred more;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "%0")
                     ROUNDS("%4", TIMES_64("ld.shared.u32 %0, [%0];\n\t")) READ_CLOCK("%2", "%3", "%0") "}"
                 : "+r"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");
  }
  ends[threadIdx.x] = data * unit - base;
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
}

/// data = table[data]: an address computation and a load per link.
extern "C" __global__ void scratchpad_chase_index(unsigned int stride, unsigned int length, unsigned int* ends,
                                                  unsigned int* cycles) {
  chase<true>(stride, length, ends, cycles);
}

/// Each word holds the address of the next one: a load per link.
extern "C" __global__ void scratchpad_chase_byte(unsigned int stride, unsigned int length, unsigned int* ends,
                                                 unsigned int* cycles) {
  chase<false>(stride, length, ends, cycles);
}
