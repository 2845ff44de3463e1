// Bilateral filter of a colour photograph (Tomasi and Manduchi, 1998): weights fall with the distance in the image and in
// colour. Pixels of four bytes in a tile with its border; the nearest pixel stands for those outside.
#include "lockstep_cuda.cuh"

#define TILE 16
#define MOST_RADIUS 4

// Weights by distance along one axis.
__constant__ float spatial[MOST_RADIUS + 1];

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    bilateral_filter(const uchar4* __restrict__ pixels, uchar4* __restrict__ filtered, int width, int height,
                     int radius, float range) {
  __shared__ uchar4 tile[TILE + 2 * MOST_RADIUS][TILE + 2 * MOST_RADIUS];
  const int left = blockIdx.x * TILE - radius, top = blockIdx.y * TILE - radius, side = TILE + 2 * radius;
  for (int y = threadIdx.y; y < side; y += TILE)
    for (int x = threadIdx.x; x < side; x += TILE) {
      const int px = min(max(left + x, 0), width - 1), py = min(max(top + y, 0), height - 1);
      tile[y][x] = pixels[py * width + px];
    }
  __syncthreads();
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 centre = tile[threadIdx.y + radius][threadIdx.x + radius];
  float red = 0, green = 0, blue = 0, total = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const uchar4 p = tile[threadIdx.y + radius + dy][threadIdx.x + radius + dx];
      const int r = p.x - centre.x, g = p.y - centre.y, b = p.z - centre.z;
      const float weight = spatial[abs(dx)] * spatial[abs(dy)] * __expf(-range * (r * r + g * g + b * b));
      red += weight * p.x;
      green += weight * p.y;
      blue += weight * p.z;
      total += weight;
    }
  const float scale = __fdividef(1.0f, total);
  filtered[y * width + x] = make_uchar4(__float2uint_rn(red * scale), __float2uint_rn(green * scale),
                                        __float2uint_rn(blue * scale), centre.w);
}
