// What the kernels of this folder share: tiles of an array on their way through a buffer of STAGES tiles in scratchpad memory,
// while the tiles before them are worked on. Each element is added to the one that lies opposite in its tile, the first to the
// last. Thread block b has `tiles` tiles from the b * tiles-th on, and the array is read once.
#pragma once
#include "lockstep_cuda.cuh"

#define STAGES 4

extern __shared__ unsigned int buffer[];

__device__ __forceinline__ unsigned int place_of(const void* pointer) {
  unsigned long long address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(pointer));
  return (unsigned int)address;
}

__device__ __forceinline__ void copy_word(unsigned int* to, const unsigned int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place_of(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ __forceinline__ unsigned int folded(const unsigned int* tile, unsigned int element, unsigned int size) {
  return tile[element] + tile[size - 1 - element];
}
