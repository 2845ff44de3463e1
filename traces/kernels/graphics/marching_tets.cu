// Isosurface of a scalar field by marching tetrahedra: six tetrahedra in each cell. The field is a sum of metaballs; cells are
// classified and compacted (a block's place by one atomic), then triangles are written for the occupied cells.
#include <cuda_runtime.h>

#define N_BALLS 8

/// Samples of the field.
extern "C" __global__ void metaballs(const float4* __restrict__ balls, float* __restrict__ field, int n) {
  __shared__ float4 b[N_BALLS];
  if (threadIdx.y == 0 && threadIdx.x < N_BALLS) b[threadIdx.x] = balls[threadIdx.x];
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= n || y >= n) return;
  const float s = 1.f / (n - 1);
  float v = 0.f;
#pragma unroll
  for (int i = 0; i < N_BALLS; ++i) {
    const float dx = x * s - b[i].x, dy = y * s - b[i].y, dz = z * s - b[i].z;
    v += b[i].w / (dx * dx + dy * dy + dz * dz + 1e-4f);
  }
  field[(z * n + y) * n + x] = v;
}

// Corners of a cell by bits x, y, z; six tetrahedra around the diagonal 0-7
__constant__ unsigned char tets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                         {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
// The pairs of corners of the edges that are cut, by mask of inside corners: up to four, 255 ends
__constant__ unsigned char cuts[16][6] = {
    {255, 255, 255, 255, 255, 255},       {0x01, 0x02, 0x03, 255, 255, 255},    {0x10, 0x13, 0x12, 255, 255, 255},
    {0x02, 0x03, 0x12, 0x12, 0x03, 0x13}, {0x20, 0x21, 0x23, 255, 255, 255},    {0x01, 0x12, 0x03, 0x03, 0x12, 0x23},
    {0x10, 0x13, 0x20, 0x20, 0x13, 0x23}, {0x03, 0x13, 0x23, 255, 255, 255},    {0x30, 0x32, 0x31, 255, 255, 255},
    {0x01, 0x02, 0x13, 0x13, 0x02, 0x23}, {0x10, 0x03, 0x12, 0x12, 0x03, 0x23}, {0x02, 0x23, 0x12, 255, 255, 255},
    {0x02, 0x12, 0x03, 0x03, 0x12, 0x13}, {0x01, 0x13, 0x12, 255, 255, 255},    {0x01, 0x02, 0x03, 255, 255, 255},
    {255, 255, 255, 255, 255, 255}};

__device__ __forceinline__ void corners(const float* __restrict__ field, int cell, int n, float v[8]) {
  const int m = n - 1;
  const int x = cell % m, y = cell / m % m, z = cell / (m * m);
  const float* f = field + (z * n + y) * n + x;
  v[0] = f[0];
  v[1] = f[1];
  v[2] = f[n];
  v[3] = f[n + 1];
  v[4] = f[n * n];
  v[5] = f[n * n + 1];
  v[6] = f[n * n + n];
  v[7] = f[n * n + n + 1];
}

/// Cells that the surface cuts, and where the triangles of each begin, in an order that chance decides.
extern "C" __global__ void __launch_bounds__(256)
    classify(const float* __restrict__ field, int n, float level, int* __restrict__ occupied,
             int* __restrict__ first_triangle, int* __restrict__ counters) {
  __shared__ int warp_cells[8], warp_triangles[8], base_cell, base_triangle;
  const int cells = (n - 1) * (n - 1) * (n - 1);
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int triangles = 0;
  if (cell < cells) {
    float v[8];
    corners(field, cell, n, v);
    unsigned inside = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) inside |= (v[i] > level) << i;
    if (inside != 0 && inside != 255) {
#pragma unroll
      for (int t = 0; t < 6; ++t) {
        int c = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) c += (inside >> tets[t][k]) & 1;
        triangles += c == 2 ? 2 : (c & 1);
      }
    }
  }
  const unsigned active = __ballot_sync(0xffffffffu, triangles > 0);
  int s = triangles;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int u = __shfl_up_sync(0xffffffffu, s, o);
    if (lane >= o) s += u;
  }
  if (lane == 31) {
    warp_cells[warp] = __popc(active);
    warp_triangles[warp] = s;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int c = 0, t = 0;
    for (int w = 0; w < 8; ++w) {
      const int wc = warp_cells[w], wt = warp_triangles[w];
      warp_cells[w] = c;
      warp_triangles[w] = t;
      c += wc;
      t += wt;
    }
    base_cell = c ? atomicAdd(&counters[0], c) : 0;
    base_triangle = t ? atomicAdd(&counters[1], t) : 0;
  }
  __syncthreads();
  if (triangles) {
    const int at = base_cell + warp_cells[warp] + __popc(active & ((1u << lane) - 1));
    occupied[at] = cell;
    first_triangle[at] = base_triangle + warp_triangles[warp] + s - triangles;
  }
}

/// Three vertices of each triangle.
extern "C" __global__ void __launch_bounds__(128)
    triangulate(const float* __restrict__ field, int n, float level, const int* __restrict__ occupied,
                const int* __restrict__ first_triangle, const int* __restrict__ counters, float* __restrict__ vertices,
                int capacity) {
  const int count = counters[0];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const int cell = occupied[i];
    int triangle = first_triangle[i];
    float v[8];
    corners(field, cell, n, v);
    const int m = n - 1;
    const int x = cell % m, y = cell / m % m, z = cell / (m * m);
    for (int t = 0; t < 6; ++t) {
      unsigned mask = 0;
      for (int k = 0; k < 4; ++k) mask |= (v[tets[t][k]] > level) << k;
      for (int k = 0; k < 6; ++k) {
        const unsigned edge = cuts[mask][k];
        if (edge == 255) break;
        const int a = tets[t][edge >> 4], b = tets[t][edge & 15];
        const float w = (level - v[a]) / (v[b] - v[a]);
        const int place = triangle * 3 + k % 3;
        if (triangle < capacity) {
          vertices[3 * place] = x + (a & 1) + w * ((b & 1) - (a & 1));
          vertices[3 * place + 1] = y + (a >> 1 & 1) + w * ((b >> 1 & 1) - (a >> 1 & 1));
          vertices[3 * place + 2] = z + (a >> 2) + w * ((b >> 2) - (a >> 2));
        }
        if (k % 3 == 2) ++triangle;
      }
    }
  }
}
