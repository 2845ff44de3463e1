// Optical flow between two frames by Lucas and Kanade's method (1981): sums of products of derivatives over a window of 7x7,
// in whole numbers, then a system of two equations. Where it has no clear solution the flow is zero.
#include "lockstep_cuda.cuh"

#define BLOCK_X 32
#define BLOCK_Y 4
#define RADIUS 3

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    lucas_kanade(const unsigned char* __restrict__ first, const unsigned char* __restrict__ second,
                 float2* __restrict__ flow, int width, int height, long long least_determinant) {
  const int columns = BLOCK_X + 2 * RADIUS, rows = BLOCK_Y + 2 * RADIUS;
  __shared__ short gradient_x[rows][columns], gradient_y[rows][columns], change[rows][columns];
  const int t = threadIdx.y * BLOCK_X + threadIdx.x;
  for (int i = t; i < rows * columns; i += BLOCK_X * BLOCK_Y) {
    const int x = min(max((int)(blockIdx.x * BLOCK_X) + i % columns - RADIUS, 0), width - 1);
    const int y = min(max((int)(blockIdx.y * BLOCK_Y) + i / columns - RADIUS, 0), height - 1);
    const int left = max(x - 1, 0), right = min(x + 1, width - 1), up = max(y - 1, 0), down = min(y + 1, height - 1);
    gradient_x[i / columns][i % columns] = first[y * width + right] - first[y * width + left];
    gradient_y[i / columns][i % columns] = first[down * width + x] - first[up * width + x];
    change[i / columns][i % columns] = second[y * width + x] - first[y * width + x];
  }
  __syncthreads();
  const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  int xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
#pragma unroll
  for (int dy = 0; dy <= 2 * RADIUS; ++dy)
#pragma unroll
    for (int dx = 0; dx <= 2 * RADIUS; ++dx) {
      const int gx = gradient_x[threadIdx.y + dy][threadIdx.x + dx],
                gy = gradient_y[threadIdx.y + dy][threadIdx.x + dx];
      const int gt = change[threadIdx.y + dy][threadIdx.x + dx];
      xx += gx * gx;
      xy += gx * gy;
      yy += gy * gy;
      xt += gx * gt;
      yt += gy * gt;
    }
  const long long determinant = (long long)xx * yy - (long long)xy * xy;
  float2 result = make_float2(0, 0);
  if (determinant >= least_determinant) {
    // Derivatives are differences over two pixels, hence the 2.
    const float scale = 2.0f / determinant;
    result.x = ((long long)xy * yt - (long long)yy * xt) * scale;
    result.y = ((long long)xy * xt - (long long)xx * yt) * scale;
  }
  flow[y * width + x] = result;
}
