// Joins two tables of a database by a hash table with linear probing: rows of the smaller one are put into slots of 64 bits by
// compare and swap, rows of the larger one look their partners up. Keys of the smaller table are unique.
#include "lockstep_cuda.cuh"

#define EMPTY 0xffffffffffffffffull
#define NONE 0xffffffffu

/// The finaliser of MurmurHash3.
__device__ __forceinline__ unsigned int mixed(unsigned int key) {
  key = (key ^ key >> 16) * 0x85ebca6bu;
  key = (key ^ key >> 13) * 0xc2b2ae35u;
  return key ^ key >> 16;
}

extern "C" __global__ void build(const unsigned int* __restrict__ keys, const unsigned int* __restrict__ values,
                                 unsigned int rows, unsigned long long* slots, unsigned int mask) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const unsigned long long row = (unsigned long long)keys[i] << 32 | values[i];
  unsigned int slot = mixed(keys[i]) & mask;
  while (atomicCAS(&slots[slot], EMPTY, row) != EMPTY) slot = (slot + 1) & mask;
}

extern "C" __global__ void probe(const unsigned int* __restrict__ keys, unsigned int rows,
                                 const unsigned long long* __restrict__ slots, unsigned int mask,
                                 unsigned int* __restrict__ partners, unsigned int* matches) {
  unsigned int found = 0;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    const unsigned int key = keys[i];
    unsigned int partner = NONE;
    for (unsigned int slot = mixed(key) & mask;; slot = (slot + 1) & mask) {
      const unsigned long long row = slots[slot];
      if (row == EMPTY) break;
      if (row >> 32 == key) {
        partner = (unsigned int)row;
        ++found;
        break;
      }
    }
    partners[i] = partner;
  }
  for (int distance = 16; distance > 0; distance >>= 1) found += __shfl_down_sync(0xffffffffu, found, distance);
  if ((threadIdx.x & 31) == 0) atomicAdd(matches, found);
}
