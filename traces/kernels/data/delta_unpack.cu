// Decoding of a column: pages of 1024 values, bit-packed differences with a width for each page, a zigzag code, and the first
// value of the page. 128 threads unpack eight values each and add up with a block-wide prefix sum.
#include <cuda_runtime.h>

struct Page {
  unsigned word;   // first word of the page in the packed data
  unsigned width;  // bits of a difference
  int first;       // value before the page's first difference
  unsigned unused;
};

__device__ __forceinline__ unsigned bits_at(const unsigned* __restrict__ packed, unsigned bit, unsigned width) {
  const unsigned w = bit >> 5, s = bit & 31;
  const unsigned lo = packed[w];
  const unsigned hi = s + width > 32 ? packed[w + 1] : 0;
  return __funnelshift_r(lo, hi, s) & ((1u << width) - 1);
}

/// The values of a page for each block.
extern "C" __global__ void __launch_bounds__(128)
    delta_unpack(const uint4* __restrict__ pages, const unsigned* __restrict__ data, int4* __restrict__ values) {
  __shared__ int sums[4];
  __shared__ unsigned packed[1024];
  const uint4 raw = pages[blockIdx.x];
  Page p;
  p.word = raw.x;
  p.width = raw.y;
  p.first = (int)raw.z;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  for (unsigned i = t; i < 32 * p.width; i += 128) packed[i] = data[p.word + i];
  __syncthreads();
  int v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned z = bits_at(packed, (t * 8 + k) * p.width, p.width);
    const int d = (int)(z >> 1) ^ -(int)(z & 1);
    v[k] = k ? v[k - 1] + d : d;
  }
  int s = v[7];
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int u = __shfl_up_sync(0xffffffffu, s, o);
    if (lane >= o) s += u;
  }
  if (lane == 31) sums[warp] = s;
  __syncthreads();
  int before = p.first + s - v[7];
  for (int w = 0; w < warp; ++w) before += sums[w];
  int4* out = values + (size_t)blockIdx.x * 256 + 2 * t;
  out[0] = make_int4(before + v[0], before + v[1], before + v[2], before + v[3]);
  out[1] = make_int4(before + v[4], before + v[5], before + v[6], before + v[7]);
}
