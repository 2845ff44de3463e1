// Voronoi diagram of seeds on a grid by jump flooding (Rong and Tan, 2006, section 3): passes with steps that halve,
// each pixel asking eight others for their nearest seed, and one more pass with step 1.
#include <cuda_runtime.h>

#define NONE 0xffffffffu

/// Puts seeds, x + 65536 y, onto the grid.
extern "C" __global__ void place_seeds(const unsigned short* __restrict__ x, const unsigned short* __restrict__ y,
                                       unsigned* __restrict__ grid, int width, int seeds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < seeds) grid[y[i] * width + x[i]] = x[i] | (unsigned)y[i] << 16;
}

/// A pass: the nearest of the seeds that the pixel and its neighbours at a distance of `step` know. Of equally near
/// ones the smallest.
extern "C" __global__ void __launch_bounds__(256)
    flood(const unsigned* __restrict__ from, unsigned* __restrict__ to, int width, int height, int step) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned nearest = NONE, least = NONE;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    const int v = y + dy * step;
    if (v < 0 || v >= height) continue;
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const int u = x + dx * step;
      if (u < 0 || u >= width) continue;
      const unsigned seed = from[v * width + u];
      if (seed == NONE) continue;
      const int sx = (int)(seed & 0xffff) - x, sy = (int)(seed >> 16) - y;
      const unsigned distance = sx * sx + sy * sy;
      if (distance < least || (distance == least && seed < nearest)) {
        least = distance;
        nearest = seed;
      }
    }
  }
  to[y * width + x] = nearest;
}
