// Counting of triangles in an oriented graph (edges lead to larger vertices, neighbours sorted): one thread per edge merges the
// lists of both ends; sums per block by shuffles and one atomic.
#include <cuda_runtime.h>

/// The source of each edge, for kernels with one thread per edge; distances to neighbours become their numbers, and the short
/// lists are sorted by insertion.
extern "C" __global__ void build_lists(const int* __restrict__ rows, int* __restrict__ neighbours, int* __restrict__ sources,
                                       int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const int begin = rows[v], end = rows[v + 1];
  for (int e = begin; e < end; ++e) {
    sources[e] = v;
    const int w = neighbours[e] + v;
    int k = e;
    while (k > begin && neighbours[k - 1] > w) {
      neighbours[k] = neighbours[k - 1];
      --k;
    }
    neighbours[k] = w;
  }
}

/// Triangles over each edge, added up.
extern "C" __global__ void __launch_bounds__(256)
    count_triangles(const int* __restrict__ rows, const int* __restrict__ neighbours, const int* __restrict__ sources, int edges,
                    int vertices, unsigned long long* __restrict__ total) {
  __shared__ unsigned partial[8];
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
  if (e < edges) {
    const int u = sources[e], v = neighbours[e];
    if (v < vertices) {
      int i = e + 1, j = rows[v];
      const int i_end = rows[u + 1], j_end = rows[v + 1];
      while (i < i_end && j < j_end) {
        const int a = __ldg(&neighbours[i]), b = __ldg(&neighbours[j]);
        found += a == b;
        i += a <= b;
        j += b <= a;
      }
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) found += __shfl_down_sync(0xffffffffu, found, o);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = found;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = 0;
    for (int w = 0; w < 8; ++w) s += partial[w];
    if (s) atomicAdd(total, (unsigned long long)s);
  }
}
