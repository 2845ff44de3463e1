// Radix sort of 32-bit keys with values, four bits a pass: each block sorts 1024 keys by their digit with four splits in shared
// memory and counts the digits; the counts are scanned column by column; each block then scatters its sorted keys.
#define THREADS 256
#define ITEMS 4
#define TILE (THREADS * ITEMS)

__device__ inline int warp_inclusive(int v) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int o = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += o;
  }
  return v;
}

__device__ inline int block_exclusive(int v, int* warp_sums, int& total) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int inclusive = warp_inclusive(v);
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  if (warp == 0) {
    const int s = lane < THREADS / 32 ? warp_sums[lane] : 0;
    const int i = warp_inclusive(s);
    if (lane < THREADS / 32) warp_sums[lane] = i;
  }
  __syncthreads();
  total = warp_sums[THREADS / 32 - 1];
  const int before = warp ? warp_sums[warp - 1] : 0;
  __syncthreads();
  return before + inclusive - v;
}

/// Sorts the keys of each block by a digit; counts of digits, and where they start.
extern "C" __global__ void radix_sort_blocks(const uint4* __restrict__ keys_in, const uint4* __restrict__ values_in,
                                             uint4* __restrict__ keys_out, uint4* __restrict__ values_out,
                                             int* __restrict__ counts, int* __restrict__ starts, int shift) {
  __shared__ unsigned int skeys[TILE], svalues[TILE];
  __shared__ int warp_sums[32];
  __shared__ int first[16], last[16];
  const int t = threadIdx.x, index = blockIdx.x * THREADS + t;
  uint4 k = keys_in[index], v = values_in[index];
  if (t < 16) first[t] = last[t] = 0;
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const int bit = shift + b;
    const unsigned int key[4] = {k.x, k.y, k.z, k.w}, value[4] = {v.x, v.y, v.z, v.w};
    int zero[4], mine = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) mine += zero[i] = !(key[i] >> bit & 1);
    int zeros;
    int rank = block_exclusive(mine, warp_sums, zeros);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int position = zero[i] ? rank : zeros + (t * 4 + i) - rank;
      skeys[position] = key[i];
      svalues[position] = value[i];
      rank += zero[i];
    }
    __syncthreads();
    k = reinterpret_cast<uint4*>(skeys)[t];
    v = reinterpret_cast<uint4*>(svalues)[t];
    __syncthreads();
  }
  keys_out[index] = k;
  values_out[index] = v;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int p = t + i * THREADS;
    const int digit = skeys[p] >> shift & 15;
    if (p == 0 || (skeys[p - 1] >> shift & 15) != digit) first[digit] = p;
    if (p == TILE - 1 || (skeys[p + 1] >> shift & 15) != digit) last[digit] = p + 1;
  }
  __syncthreads();
  if (t < 16) {
    counts[t * gridDim.x + blockIdx.x] = last[t] - first[t];
    starts[blockIdx.x * 16 + t] = first[t];
  }
}

/// Exclusive prefix sums by one block.
extern "C" __global__ void scan_counts(int* counts, int n) {
  __shared__ int warp_sums[32];
  int carry = 0;
  for (int base = 0; base < n; base += THREADS) {
    const int i = base + threadIdx.x;
    const int v = i < n ? counts[i] : 0;
    int total;
    const int before = block_exclusive(v, warp_sums, total);
    if (i < n) counts[i] = carry + before;
    carry += total;
  }
}

/// Stores the keys of each block at their places.
extern "C" __global__ void scatter_keys(const unsigned int* __restrict__ keys_in, const unsigned int* __restrict__ values_in,
                                        unsigned int* __restrict__ keys_out, unsigned int* __restrict__ values_out,
                                        const int* __restrict__ counts, const int* __restrict__ starts, int shift) {
  __shared__ int global[16], local[16];
  if (threadIdx.x < 16) {
    global[threadIdx.x] = counts[threadIdx.x * gridDim.x + blockIdx.x];
    local[threadIdx.x] = starts[blockIdx.x * 16 + threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int p = threadIdx.x + i * THREADS;
    const unsigned int key = keys_in[blockIdx.x * TILE + p];
    const int digit = key >> shift & 15;
    const int to = global[digit] + p - local[digit];
    keys_out[to] = key;
    values_out[to] = values_in[blockIdx.x * TILE + p];
  }
}
