// The eight nearest of a set of points for each query: points pass through shared memory in tiles, each thread keeps a sorted list
// in registers and inserts what is nearer than its last.
#include "lockstep_cuda.cuh"

#define TILE 128

template <int K>
struct Nearest {
  float distances[K];
  int indices[K];

  __device__ Nearest() {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      distances[i] = 3e38f;
      indices[i] = -1;
    }
  }
  __device__ void insert(float distance, int index) {
    if (distance >= distances[K - 1]) return;
#pragma unroll
    for (int i = K - 1; i >= 0; --i) {
      const bool shifted = i > 0 && distance < distances[i > 0 ? i - 1 : 0];
      if (shifted) {
        distances[i] = distances[i - 1];
        indices[i] = indices[i - 1];
      } else if (distance < distances[i]) {
        distances[i] = distance;
        indices[i] = index;
      }
    }
  }
};

extern "C" __global__ void __launch_bounds__(TILE)
    nearest_neighbours(const float* __restrict__ queries, int query_count, const float* __restrict__ points, int count,
                       int* __restrict__ found) {
  __shared__ float xs[TILE], ys[TILE], zs[TILE];
  const int q = blockIdx.x * TILE + threadIdx.x, own = min(q, query_count - 1);
  const float x = queries[3 * own], y = queries[3 * own + 1], z = queries[3 * own + 2];
  Nearest<8> nearest;
  for (int base = 0; base < count; base += TILE) {
    const int p = base + threadIdx.x;
    if (p < count) {
      xs[threadIdx.x] = points[3 * p];
      ys[threadIdx.x] = points[3 * p + 1];
      zs[threadIdx.x] = points[3 * p + 2];
    }
    __syncthreads();
    const int end = min(TILE, count - base);
    for (int i = 0; i < end; ++i) {
      const float dx = xs[i] - x, dy = ys[i] - y, dz = zs[i] - z;
      nearest.insert(dx * dx + dy * dy + dz * dz, base + i);
    }
    __syncthreads();
  }
  if (q >= query_count) return;
#pragma unroll
  for (int i = 0; i < 8; ++i) found[8 * q + i] = nearest.indices[i];
}
