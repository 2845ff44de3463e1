// Open-addressing hash table with linear probing: insertion with compare-and-swap of 64-bit slots (key in the upper half), and
// lookup of a probe column. Murmur3's finaliser is the hash.
#include <cuda_runtime.h>

typedef unsigned long long u64;
#define EMPTY 0xffffffffffffffffull

__device__ __forceinline__ unsigned murmur(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

/// Empties two slots per thread and round.
extern "C" __global__ void table_clear(ulonglong2* table, unsigned slots2) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < slots2; i += gridDim.x * blockDim.x)
    table[i] = make_ulonglong2(EMPTY, EMPTY);
}

/// Puts a key with its value into a free slot, or counts it as a duplicate.
extern "C" __global__ void table_insert(u64* __restrict__ table, unsigned mask, const unsigned* __restrict__ keys,
                                        const unsigned* __restrict__ values, unsigned n, unsigned* __restrict__ duplicates) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  const u64 entry = ((u64)key << 32) | values[i];
  unsigned slot = murmur(key) & mask;
  while (true) {
    const u64 old = atomicCAS(&table[slot], EMPTY, entry);
    if (old == EMPTY) return;
    if ((unsigned)(old >> 32) == key) {
      atomicAdd(duplicates, 1u);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

/// Values of keys, and how many of the keys are there.
extern "C" __global__ void table_lookup(const u64* __restrict__ table, unsigned mask, const unsigned* __restrict__ probes,
                                        unsigned* __restrict__ found, unsigned n, unsigned* __restrict__ hits) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool hit = false;
  if (i < n) {
    const unsigned key = probes[i];
    unsigned slot = murmur(key) & mask, value = 0xffffffffu;
    for (;;) {
      const u64 e = table[slot];
      if (e == EMPTY) break;
      if ((unsigned)(e >> 32) == key) {
        value = (unsigned)e;
        hit = true;
        break;
      }
      slot = (slot + 1) & mask;
    }
    found[i] = value;
  }
  const unsigned votes = __ballot_sync(0xffffffffu, hit);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, __popc(votes));
}
