// PageRank by pulling: contributions of vertices, then a warp per vertex adds up those of its incoming edges. The rank of
// vertices without outgoing edges is spread over all.
#include <cuda_runtime.h>

/// What each vertex gives along each edge, and the rank of those without edges.
extern "C" __global__ void contributions(const float* __restrict__ rank, const int* __restrict__ out_degree,
                                         float* __restrict__ contribution, float* __restrict__ dangling, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  float lost = 0.f;
  if (v < vertices) {
    const int d = out_degree[v];
    const float r = rank[v];
    contribution[v] = d ? r / d : 0.f;
    lost = d ? 0.f : r;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) lost += __shfl_down_sync(0xffffffffu, lost, o);
  if ((threadIdx.x & 31) == 0 && lost > 0.f) atomicAdd(dangling, lost);
}

/// New ranks and their changes.
extern "C" __global__ void __launch_bounds__(128)
    pull(const int* __restrict__ rows, const int* __restrict__ columns, const float* __restrict__ contribution,
         const float* __restrict__ dangling, float* __restrict__ rank, float* __restrict__ change, int vertices, float damping) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (v >= vertices) return;
  const int end = rows[v + 1];
  float sum = 0.f;
  for (int e = rows[v] + lane; e < end; e += 32) sum += __ldg(&contribution[columns[e]]);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) {
    const float r = (1.f - damping) / vertices + damping * (sum + *dangling / vertices);
    change[v] = fabsf(r - rank[v]);
    rank[v] = r;
  }
}
