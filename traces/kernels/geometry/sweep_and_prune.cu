// Pairs of overlapping boxes among boxes sorted by their lower x: each thread sweeps along x until the boxes begin
// behind its own, as in the sweep and prune of Cohen, Lin, Manocha and Ponamgi (I-COLLIDE, 1995, section 3). A first
// sweep counts, a second one stores.
#include <cuda_runtime.h>

#define THREADS 128

__device__ __forceinline__ bool overlap_yz(float4 a_lower, float4 a_upper, float4 b_lower, float4 b_upper) {
  return a_lower.y <= b_upper.y && b_lower.y <= a_upper.y && a_lower.z <= b_upper.z && b_lower.z <= a_upper.z;
}

/// How many later boxes each box overlaps, and the sum of each block.
extern "C" __global__ void __launch_bounds__(THREADS)
    count_overlaps(const float4* __restrict__ lower, const float4* __restrict__ upper, int* __restrict__ counts,
                   int* __restrict__ block_sums, int n) {
  __shared__ int sums[THREADS / 32];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  int count = 0;
  if (i < n) {
    const float4 l = lower[i], u = upper[i];
    for (int j = i + 1; j < n; ++j) {
      const float4 other = __ldg(&lower[j]);
      if (other.x > u.x) break;
      if (overlap_yz(l, u, other, __ldg(&upper[j]))) ++count;
    }
    counts[i] = count;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) count += __shfl_down_sync(0xffffffffu, count, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < THREADS / 32; ++w) total += sums[w];
    block_sums[blockIdx.x] = total;
  }
}

/// Exclusive prefix sums of the sums of the blocks, and behind them the number of pairs. One block of 1024 threads.
extern "C" __global__ void __launch_bounds__(1024) scan_block_sums(int* __restrict__ block_sums, int blocks) {
  __shared__ int warp_sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int carry = 0;
  for (int base = 0; base < blocks; base += 1024) {
    const int i = base + threadIdx.x;
    const int value = i < blocks ? block_sums[i] : 0;
    int sum = value;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const int before = __shfl_up_sync(0xffffffffu, sum, o);
      if (lane >= o) sum += before;
    }
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      int w = warp_sums[lane];
#pragma unroll
      for (int o = 1; o < 32; o <<= 1) {
        const int before = __shfl_up_sync(0xffffffffu, w, o);
        if (lane >= o) w += before;
      }
      warp_sums[lane] = w;
    }
    __syncthreads();
    if (i < blocks) block_sums[i] = carry + sum - value + (warp > 0 ? warp_sums[warp - 1] : 0);
    carry += warp_sums[31];
    __syncthreads();
  }
  if (threadIdx.x == 0) block_sums[blocks] = carry;
}

/// Stores the pairs of each box behind those of the boxes before.
extern "C" __global__ void __launch_bounds__(THREADS)
    store_overlaps(const float4* __restrict__ lower, const float4* __restrict__ upper, const int* __restrict__ counts,
                   const int* __restrict__ block_sums, int2* __restrict__ pairs, int capacity, int n) {
  __shared__ int sums[THREADS / 32];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int count = i < n ? counts[i] : 0;
  int place = count;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int before = __shfl_up_sync(0xffffffffu, place, o);
    if (lane >= o) place += before;
  }
  if (lane == 31) sums[warp] = place;
  __syncthreads();
  place += block_sums[blockIdx.x] - count;
  for (int w = 0; w < warp; ++w) place += sums[w];
  if (count == 0) return;
  const int end = min(place + count, capacity);
  const float4 l = lower[i], u = upper[i];
  for (int j = i + 1; place < end; ++j)
    if (overlap_yz(l, u, __ldg(&lower[j]), __ldg(&upper[j]))) pairs[place++] = make_int2(i, j);
}
