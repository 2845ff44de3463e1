// Rasterisation of triangles by their edge functions (Pineda, 1988) in whole numbers with four bits of a pixel: a warp walks
// over the box around its triangle and keeps the nearest triangle of each pixel by a 64-bit atomic minimum of depth and number.
#include "lockstep_cuda.cuh"

#define SUBPIXELS 16

struct Vertex {
  int x, y, z;
};

__device__ __forceinline__ int edge(const Vertex& a, const Vertex& b, int x, int y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

extern "C" __global__ void __launch_bounds__(128)
    triangle_raster(const Vertex* __restrict__ vertices, int triangles, unsigned long long* __restrict__ nearest,
                    int width, int height) {
  const int triangle = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (triangle >= triangles) return;
  const Vertex a = vertices[3 * triangle];
  Vertex b = vertices[3 * triangle + 1], c = vertices[3 * triangle + 2];
  int area = edge(a, b, c.x, c.y);
  if (area == 0) return;
  if (area < 0) {
    const Vertex swapped = b;
    b = c;
    c = swapped;
    area = -area;
  }
  const int left = max(min(a.x, min(b.x, c.x)) / SUBPIXELS, 0),
            right = min(max(a.x, max(b.x, c.x)) / SUBPIXELS, width - 1);
  const int top = max(min(a.y, min(b.y, c.y)) / SUBPIXELS, 0),
            bottom = min(max(a.y, max(b.y, c.y)) / SUBPIXELS, height - 1);
  const int columns = right - left + 1, pixels = columns * (bottom - top + 1);
  for (int i = lane; i < pixels; i += 32) {
    const int column = left + i % columns, row = top + i / columns;
    const int x = column * SUBPIXELS + SUBPIXELS / 2, y = row * SUBPIXELS + SUBPIXELS / 2;
    const int wa = edge(b, c, x, y), wb = edge(c, a, x, y), wc = edge(a, b, x, y);
    if ((wa | wb | wc) < 0) continue;
    const long long depth = ((long long)wa * a.z + (long long)wb * b.z + (long long)wc * c.z) / area;
    atomicMin(nearest + row * width + column, (unsigned long long)depth << 32 | triangle);
  }
}
