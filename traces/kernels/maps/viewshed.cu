// What several observers see of a terrain of whole heights: a thread follows the line of sight from an observer to
// each cell at the edge of a square around it and interpolates where the line crosses rows or columns (the algorithm
// R2 of Franklin and Ray, 1994).
#include <cuda_runtime.h>

/// A block has rays of one observer. Visible cells are bits of the observer's square, in rows of `words` words.
extern "C" __global__ void __launch_bounds__(128)
    viewshed(const unsigned short* __restrict__ heights, const ushort2* __restrict__ observers,
             unsigned* __restrict__ visible, int side, int radius, int words, int eye) {
  const int rays = 8 * radius;
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= rays) return;
  const ushort2 at = observers[blockIdx.y];
  unsigned* seen = visible + (long long)blockIdx.y * words * (2 * radius + 1);

  // The target on the edge of the square; steps along the longer of both distances.
  const int edge = ray / (2 * radius), along = ray % (2 * radius) - radius;
  const int target_x = edge == 0 ? along : edge == 1 ? radius : edge == 2 ? -along : -radius;
  const int target_y = edge == 0 ? -radius : edge == 1 ? along : edge == 2 ? radius : -along;
  const bool wide = edge == 1 || edge == 3;
  const int minor = wide ? target_y : target_x, sign = edge == 1 || edge == 2 ? 1 : -1;

  const int base = (heights[at.y * side + at.x] + eye) * radius;
  int steepest = -(1 << 24), steepest_at = 1;  // Height times radius over the observer, and how many steps away.
  for (int k = 1; k <= radius; ++k) {
    // k * minor / radius, rounded down, and what is left of it.
    const int scaled = k * minor + radius * radius;
    const int whole = scaled / radius, part = scaled - whole * radius;
    const int low = whole - radius;
    const int x0 = wide ? sign * k : low, y0 = wide ? low : sign * k;
    const int x1 = x0 + (!wide && part > 0), y1 = y0 + (wide && part > 0);
    const int u0 = at.x + x0, v0 = at.y + y0, u1 = at.x + x1, v1 = at.y + y1;
    if (u0 < 0 || v0 < 0 || u1 >= side || v1 >= side) break;
    const int h = heights[v0 * side + u0] * (radius - part) + heights[v1 * side + u1] * part - base;
    // h / k >= steepest / steepest_at
    if ((long long)h * steepest_at >= (long long)steepest * k) {
      steepest = h;
      steepest_at = k;
      const bool later = 2 * part >= radius && part > 0;
      const int column = (later ? x1 : x0) + radius, row = (later ? y1 : y0) + radius;
      atomicOr(&seen[row * words + column / 32], 1u << column % 32);
    }
  }
}

/// Visible cells of each observer. A block per observer.
extern "C" __global__ void __launch_bounds__(256)
    count_visible(const unsigned* __restrict__ visible, int* __restrict__ counts, int words) {
  __shared__ int sums[8];
  int count = 0;
  for (int i = threadIdx.x; i < words; i += 256) count += __popc(visible[(long long)blockIdx.x * words + i]);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) count += __shfl_down_sync(0xffffffffu, count, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < 8; ++w) total += sums[w];
    counts[blockIdx.x] = total;
  }
}
