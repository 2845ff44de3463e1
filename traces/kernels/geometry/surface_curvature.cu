// Principal curvatures of a surface of points on a grid: a quadratic polynomial is fitted to the 49 points around
// each one by least squares (jets of Cazals and Pouget, 2005, section 3), normal equations and their Cholesky factors
// in registers.
#include <cuda_runtime.h>

#define TERMS 6
#define REACH 3

/// Points are offsets from their places in the grid, and heights, all in steps of the grid. The larger and the
/// smaller curvature, 0 at the border. A thread per point.
extern "C" __global__ void __launch_bounds__(128)
    surface_curvature(const float2* __restrict__ offsets, const float* __restrict__ heights,
                      float2* __restrict__ curvatures, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  if (x < REACH || y < REACH || x + REACH >= width || y + REACH >= height) {
    curvatures[y * width + x] = make_float2(0.f, 0.f);
    return;
  }
  const float2 own = offsets[y * width + x];
  const float level = heights[y * width + x];

  float matrix[TERMS][TERMS], right[TERMS];
#pragma unroll
  for (int a = 0; a < TERMS; ++a) {
    right[a] = 0.f;
#pragma unroll
    for (int b = 0; b <= a; ++b) matrix[a][b] = 0.f;
  }
  for (int dy = -REACH; dy <= REACH; ++dy) {
#pragma unroll
    for (int dx = -REACH; dx <= REACH; ++dx) {
      const int at = (y + dy) * width + x + dx;
      const float2 offset = offsets[at];
      const float u = dx + offset.x - own.x, v = dy + offset.y - own.y, w = heights[at] - level;
      const float basis[TERMS] = {1.f, u, v, 0.5f * u * u, u * v, 0.5f * v * v};
#pragma unroll
      for (int a = 0; a < TERMS; ++a) {
        right[a] += basis[a] * w;
#pragma unroll
        for (int b = 0; b <= a; ++b) matrix[a][b] += basis[a] * basis[b];
      }
    }
  }

  // Lower triangle, with the inverse of its diagonal.
#pragma unroll
  for (int a = 0; a < TERMS; ++a) {
#pragma unroll
    for (int b = 0; b <= a; ++b) {
      float sum = matrix[a][b];
#pragma unroll
      for (int k = 0; k < b; ++k) sum -= matrix[a][k] * matrix[b][k];
      matrix[a][b] = a == b ? 1.f / sqrtf(sum) : sum * matrix[b][b];
    }
  }
#pragma unroll
  for (int a = 0; a < TERMS; ++a) {
#pragma unroll
    for (int k = 0; k < a; ++k) right[a] -= matrix[a][k] * right[k];
    right[a] *= matrix[a][a];
  }
#pragma unroll
  for (int a = TERMS - 1; a >= 0; --a) {
#pragma unroll
    for (int k = a + 1; k < TERMS; ++k) right[a] -= matrix[k][a] * right[k];
    right[a] *= matrix[a][a];
  }

  // Mean and Gaussian curvature from both fundamental forms.
  const float p = right[1], q = right[2], r = right[3], s = right[4], t = right[5];
  const float square = 1.f + p * p + q * q, root = sqrtf(square);
  const float gauss = (r * t - s * s) / (square * square);
  const float mean = ((1.f + q * q) * r - 2.f * p * q * s + (1.f + p * p) * t) / (2.f * square * root);
  const float spread = sqrtf(fmaxf(mean * mean - gauss, 0.f));
  curvatures[y * width + x] = make_float2(mean + spread, mean - spread);
}
