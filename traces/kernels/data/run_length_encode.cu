// Run-length encoding of bytes: heads of runs are counted per tile, a scan over tiles gives each tile its first run, then heads
// are written, and a last kernel takes differences for the lengths.
#include <cuda_runtime.h>

#define THREADS 256
#define PER 8
#define TILE (THREADS * PER)

__device__ __forceinline__ unsigned heads_mask(const unsigned char* __restrict__ in, int at, int n) {
  unsigned mask = 0;
  if (at < n) {
    const uint2 w = *reinterpret_cast<const uint2*>(in + at);
    unsigned previous = at ? in[at - 1] : 256;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
      const unsigned b = ((k < 4 ? w.x : w.y) >> (8 * (k & 3))) & 255;
      if (b != previous && at + k < n) mask |= 1u << k;
      previous = b;
    }
  }
  return mask;
}

__device__ __forceinline__ int block_exclusive(int v, int* total) {
  __shared__ int sums[THREADS / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int s = v;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int u = __shfl_up_sync(0xffffffffu, s, o);
    if (lane >= o) s += u;
  }
  __syncthreads();
  if (lane == 31) sums[warp] = s;
  __syncthreads();
  int before = 0, all = 0;
#pragma unroll
  for (int w = 0; w < THREADS / 32; ++w) {
    before += w < warp ? sums[w] : 0;
    all += sums[w];
  }
  *total = all;
  return before + s - v;
}

/// How many runs begin in each tile.
extern "C" __global__ void count_heads(const unsigned char* __restrict__ in, int* __restrict__ tile_heads, int n) {
  const unsigned m = heads_mask(in, blockIdx.x * TILE + threadIdx.x * PER, n);
  int total;
  block_exclusive(__popc(m), &total);
  if (threadIdx.x == 0) tile_heads[blockIdx.x] = total;
}

/// Exclusive prefix sums of tiles, and the number of runs. One block.
extern "C" __global__ void scan_tiles(int* __restrict__ tile_heads, int* __restrict__ runs, int tiles) {
  int carry = 0;
  for (int base = 0; base < tiles; base += THREADS) {
    const int i = base + threadIdx.x;
    int total;
    const int v = i < tiles ? tile_heads[i] : 0;
    const int e = block_exclusive(v, &total);
    if (i < tiles) tile_heads[i] = carry + e;
    carry += total;
  }
  if (threadIdx.x == 0) *runs = carry;
}

/// Byte and place of each run.
extern "C" __global__ void write_heads(const unsigned char* __restrict__ in, const int* __restrict__ tile_heads,
                                       unsigned char* __restrict__ symbols, int* __restrict__ starts, int n) {
  const int at = blockIdx.x * TILE + threadIdx.x * PER;
  unsigned m = heads_mask(in, at, n);
  int total;
  int to = tile_heads[blockIdx.x] + block_exclusive(__popc(m), &total);
  while (m) {
    const int k = __ffs(m) - 1;
    m &= m - 1;
    symbols[to] = in[at + k];
    starts[to] = at + k;
    ++to;
  }
}

/// Differences of neighbouring places.
extern "C" __global__ void run_lengths(const int* __restrict__ starts, const int* __restrict__ runs, int* __restrict__ lengths,
                                       int n) {
  const int count = *runs;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    lengths[i] = (i + 1 < count ? starts[i + 1] : n) - starts[i];
}
