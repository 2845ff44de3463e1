// Counting of canonical 21-mers of sequencing reads in a hash table in global memory. Each thread takes eight neighbouring
// k-mers of a read and rolls both strands along.
#include <cuda_runtime.h>

typedef unsigned long long u64;
#define K 21
#define STRIDE 8

__device__ __forceinline__ u64 mix(u64 x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  x ^= x >> 33;
  return x;
}

__device__ __forceinline__ unsigned code(unsigned char c) { return (c >> 1) & 3; }  // A 0, C 1, T 2, G 3

__device__ void count(u64* __restrict__ keys, unsigned* __restrict__ counts, unsigned mask, u64 kmer) {
  unsigned slot = (unsigned)mix(kmer) & mask;
  for (;;) {
    u64 seen = keys[slot];
    if (seen == 0) seen = atomicCAS(&keys[slot], 0ull, kmer + 1);
    if (seen == 0 || seen == kmer + 1) break;
    slot = (slot + 1) & mask;
  }
  atomicAdd(&counts[slot], 1u);
}

/// Counts eight neighbouring k-mers for each thread.
extern "C" __global__ void kmer_count(const unsigned char* __restrict__ reads, int length, int n_reads, u64* __restrict__ keys,
                                      unsigned* __restrict__ counts, unsigned mask) {
  const int kmers = length - K + 1;
  const int pieces = (kmers + STRIDE - 1) / STRIDE;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n_reads * pieces) return;
  const unsigned char* read = reads + (size_t)(id / pieces) * length;
  const int first = (id % pieces) * STRIDE, last = min(first + STRIDE, kmers);
  const u64 all = (1ull << (2 * K)) - 1;
  u64 forward = 0, reverse = 0;
  for (int i = first; i < last + K - 1; ++i) {
    const unsigned char c = read[i];
    const u64 b = code(c);
    forward = (forward << 2 | b) & all;
    reverse = reverse >> 2 | (b ^ 2) << (2 * (K - 1));
    if (i >= first + K - 1) count(keys, counts, mask, min(forward, reverse));
  }
}

/// How many k-mers occur once, twice, ...; all from 63 times on together.
extern "C" __global__ void count_spectrum(const unsigned* __restrict__ counts, unsigned* __restrict__ spectrum, unsigned slots) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < slots; i += gridDim.x * blockDim.x) {
    const unsigned c = counts[i];
    if (c) atomicAdd(&local[min(c, 63u)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64 && local[threadIdx.x]) atomicAdd(&spectrum[threadIdx.x], local[threadIdx.x]);
}
