// Needs sm_80
// Stable partition of (key, payload) pairs by seven bits of the hashed key, as for a partitioned join: counts per block, prefix
// sums by digit and block, and scatter with ranks within warps from __match_any_sync.
#include <cuda_runtime.h>

#define BITS 7
#define RADIX (1 << BITS)
#define THREADS 256
#define WARPS (THREADS / 32)
#define ITEMS 12
#define TILE (THREADS * ITEMS)

__device__ __forceinline__ unsigned digit_of(unsigned key) { return (key * 2654435761u) >> (32 - BITS); }

/// How often each digit occurs in a block's part.
extern "C" __global__ void __launch_bounds__(THREADS)
    partition_count(const unsigned* __restrict__ keys, unsigned* __restrict__ counts, int n) {
  __shared__ unsigned histogram[RADIX];
  for (int i = threadIdx.x; i < RADIX; i += THREADS) histogram[i] = 0;
  __syncthreads();
  const int base = blockIdx.x * TILE;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = base + k * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&histogram[digit_of(keys[i])], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < RADIX; i += THREADS) counts[i * gridDim.x + blockIdx.x] = histogram[i];
}

/// Exclusive prefix sum of each digit's row of counts, and its total; a block per digit.
extern "C" __global__ void __launch_bounds__(THREADS)
    partition_scan_rows(unsigned* __restrict__ counts, unsigned* __restrict__ totals, int blocks) {
  __shared__ unsigned warp_sums[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned carry = 0;
  unsigned* row = counts + blockIdx.x * blocks;
  for (int base = 0; base < blocks; base += THREADS) {
    const int i = base + threadIdx.x;
    const unsigned v = i < blocks ? row[i] : 0;
    unsigned s = v;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const unsigned u = __shfl_up_sync(0xffffffffu, s, o);
      if (lane >= o) s += u;
    }
    if (lane == 31) warp_sums[warp] = s;
    __syncthreads();
    unsigned before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
      if (w < warp) before += warp_sums[w];
      all += warp_sums[w];
    }
    if (i < blocks) row[i] = carry + before + s - v;
    carry += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = carry;
}

/// Stores the pairs of a block's part at their places.
extern "C" __global__ void __launch_bounds__(THREADS)
    partition_scatter(const unsigned* __restrict__ keys, const unsigned* __restrict__ payloads,
                      const unsigned* __restrict__ counts, const unsigned* __restrict__ totals, unsigned* __restrict__ out_keys,
                      unsigned* __restrict__ out_payloads, int n) {
  __shared__ unsigned warp_counts[WARPS][RADIX];
  __shared__ unsigned digit_base[RADIX];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < WARPS * RADIX; i += THREADS) (&warp_counts[0][0])[i] = 0;
  if (threadIdx.x < RADIX) digit_base[threadIdx.x] = totals[threadIdx.x];
  __syncthreads();

  // where each digit begins
  if (warp == 0) {
    unsigned running = 0;
    for (int c = 0; c < RADIX; c += 32) {
      const unsigned v = digit_base[c + lane];
      unsigned s = v;
#pragma unroll
      for (int o = 1; o < 32; o <<= 1) {
        const unsigned u = __shfl_up_sync(0xffffffffu, s, o);
        if (lane >= o) s += u;
      }
      digit_base[c + lane] = running + s - v;
      running += __shfl_sync(0xffffffffu, s, 31);
    }
  }

  unsigned key[ITEMS], value[ITEMS], rank[ITEMS];
  const int base = blockIdx.x * TILE + warp * 32 * ITEMS;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = base + k * 32 + lane;
    const bool valid = i < n;
    key[k] = valid ? keys[i] : 0;
    value[k] = valid ? payloads[i] : 0;
    const unsigned d = valid ? digit_of(key[k]) : RADIX;
    const unsigned peers = __match_any_sync(0xffffffffu, d);
    const int leader = __ffs(peers) - 1;
    unsigned start = 0;
    if (lane == leader && valid) {
      start = warp_counts[warp][d];
      warp_counts[warp][d] = start + __popc(peers);
    }
    start = __shfl_sync(0xffffffffu, start, leader);
    rank[k] = start + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
  }
  __syncthreads();
  for (int d = threadIdx.x; d < RADIX; d += THREADS) {
    unsigned sum = digit_base[d] + counts[d * gridDim.x + blockIdx.x];
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
      const unsigned c = warp_counts[w][d];
      warp_counts[w][d] = sum;
      sum += c;
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (base + k * 32 + lane < n) {
      const unsigned to = warp_counts[warp][digit_of(key[k])] + rank[k];
      out_keys[to] = key[k];
      out_payloads[to] = value[k];
    }
  }
}
