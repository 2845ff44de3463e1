// How accesses of several warps of an SM overlap: each lane accesses an element of its own again and again, some warps in another
// way than the first, which is the one that is looked at. Elements keep their values.
#include "timed.cuh"

enum Operation : unsigned int { load, store, exchange, chase, global_load, shuffle };

/// How a warp accesses memory: `base` is the address of its lane's element in scratchpad memory, `elements` the same in global memory.
struct Lane {
  unsigned int base, value;
  const unsigned int* elements;
  unsigned int nothing;  ///< Zero, which no compiler knows.
};

static const unsigned int round_accesses = 16;

template <unsigned int Words>
__device__ __forceinline__ unsigned int load_words(unsigned int address) {
  unsigned int a, b = 0, c = 0, d = 0;
  if (Words == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address));
  if (Words == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
  if (Words == 4)
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address));
  return a ^ b ^ c ^ d;
}

template <unsigned int Words>
__device__ __forceinline__ void store_words(unsigned int address, unsigned int value) {
  if (Words == 1) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value));
  if (Words == 2) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(value), "r"(value + 1));
  if (Words == 4)
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value), "r"(value + 1),
                 "r"(value + 2), "r"(value + 3));
}

/// `rounds` times sixteen accesses. What is returned depends on all that is loaded; of a chase it is zero, as its elements hold their
/// own addresses.
template <unsigned int Kind, unsigned int Words>
__device__ __forceinline__ unsigned int accesses(Lane lane, unsigned int rounds) {
  const unsigned int own = lane.base;
  unsigned int sum = 0;
  const unsigned int* elements = lane.elements;
  for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned int n = 0; n < round_accesses; ++n) {
      unsigned int word = 0;
      if (Kind == load) word = load_words<Words>(lane.base);
      if (Kind == store) store_words<Words>(lane.base, lane.value);
      if (Kind == exchange)
        asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(word) : "r"(lane.base), "r"(lane.value));
      if (Kind == chase) lane.base = load_words<Words>(lane.base);
      if (Kind == global_load)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(elements + n * 1024) : "memory");
      if (Kind == shuffle)
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(word) : "r"(lane.value + sum * lane.nothing));
      sum += word;
    }
    elements += lane.nothing;
  }
  return sum + (lane.base - own);
}

__device__ __forceinline__ unsigned int access(unsigned int operation, unsigned int words, const Lane& lane,
                                               unsigned int rounds) {
  switch (operation * 8 + words) {
    case load * 8 + 1: return accesses<load, 1>(lane, rounds);
    case load * 8 + 2: return accesses<load, 2>(lane, rounds);
    case load * 8 + 4: return accesses<load, 4>(lane, rounds);
    case store * 8 + 1: return accesses<store, 1>(lane, rounds);
    case store * 8 + 2: return accesses<store, 2>(lane, rounds);
    case store * 8 + 4: return accesses<store, 4>(lane, rounds);
    case exchange * 8 + 1: return accesses<exchange, 1>(lane, rounds);
    case chase * 8 + 1: return accesses<chase, 1>(lane, rounds);
    case chase * 8 + 2: return accesses<chase, 2>(lane, rounds);
    case chase * 8 + 4: return accesses<chase, 4>(lane, rounds);
    case global_load * 8 + 1: return accesses<global_load, 1>(lane, rounds);
    default: return accesses<shuffle, 1>(lane, rounds);
  }
}

/// Of every `apart` warps one accesses memory, `rounds` times sixteen times: the first with `operation`, elements of `words` that are
/// `stride` words apart, the others with `other`, words that are `other_stride` apart. An element's words are the lane's number
/// and the next ones, those of a chase all zero but the last, which is its address.
/// cycles[w]: what warp w took. ends[t]: of thread t the first word of its element in the end, or of a chase that less the address.
extern "C" __global__ void access_overlap(unsigned int operation, unsigned int words, unsigned int stride,
                                          unsigned int other, unsigned int other_stride, unsigned int apart,
                                          unsigned int rounds, unsigned int nothing, const unsigned int* elements,
                                          unsigned int* ends, unsigned int* sums, unsigned int* cycles) {
  extern __shared__ unsigned int memory[];
  const unsigned int warp = threadIdx.x / 32, number = threadIdx.x % 32;
  const bool first = warp == 0;
  if (!first) operation = other, words = 1, stride = other_stride;
  // What the others access lies behind what the first does.
  const unsigned int place = (first ? 0 : 1028) + number * stride;
  Lane lane = {shared_address(memory + place), number, elements + number * stride, nothing};
  const unsigned int own = lane.base;
  if (warp < 2 * apart)
    for (unsigned int n = 0; n < words; ++n)
      memory[place + n] = operation == chase ? (n + 1 == words ? lane.base : 0) : number + n;
  __syncthreads();
  unsigned int sum = 0, start = 0, stop = 0;
  if (warp % apart == 0) {
    // The code of all kinds comes into the instruction cache, and global memory into the data cache.
    sum = access(operation, words, lane, 1);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
    sum += access(operation, words, lane, rounds);
    sum += (sum & nothing);
    asm volatile("xor.b32 %1, %1, %2;\n\tmov.u32 %0, %%clock;" : "=r"(stop), "+r"(sum) : "r"(nothing) : "memory");
  }
  __syncthreads();
  ends[threadIdx.x] = warp % apart == 0 ? memory[place + (operation == chase ? words - 1 : 0)] -
                                              (operation == chase ? own : 0)
                                        : 0;
  sums[threadIdx.x] = sum;
  if (number == 0) cycles[warp] = stop - start;
}
