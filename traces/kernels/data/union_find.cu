// Connected components by union-find with compare-and-swap hooking and pointer halving (as in ECL-CC), then each vertex takes
// its representative and components are counted.
#include <cuda_runtime.h>

__device__ __forceinline__ int representative(int v, int* __restrict__ parent) {
  int current = parent[v];
  if (current != v) {
    int previous = v, next;
    while (current > (next = parent[current])) {
      parent[previous] = next;
      previous = current;
      current = next;
    }
  }
  return current;
}

/// The first smaller neighbour of each vertex, or itself.
extern "C" __global__ void init_parents(const int* __restrict__ rows, const int* __restrict__ neighbours, int* __restrict__ parent, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int p = v;
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    const int w = neighbours[e];
    if (w < v) {
      p = w;
      break;
    }
  }
  parent[v] = p;
}

/// Unites the trees of both ends of each edge.
extern "C" __global__ void hook(const int* __restrict__ rows, const int* __restrict__ neighbours, int* parent, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int v_root = representative(v, parent);
  const int end = rows[v + 1];
  for (int e = rows[v]; e < end; ++e) {
    const int w = neighbours[e];
    if (v <= w) continue;
    int w_root = representative(w, parent);
    bool again;
    do {
      again = false;
      if (v_root != w_root) {
        int seen;
        if (v_root < w_root) {
          if ((seen = atomicCAS(&parent[w_root], w_root, v_root)) != w_root) {
            w_root = seen;
            again = true;
          }
        } else {
          if ((seen = atomicCAS(&parent[v_root], v_root, w_root)) != v_root) {
            v_root = seen;
            again = true;
          }
        }
      }
    } while (again);
  }
}

/// The root of each vertex, and how many roots there are.
extern "C" __global__ void flatten(int* parent, int* __restrict__ components, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool root = false;
  if (v < n) {
    int next, current = parent[v];
    const int old = current;
    while (current > (next = parent[current])) current = next;
    if (old != current) parent[v] = current;
    root = current == v;
  }
  const unsigned votes = __ballot_sync(0xffffffffu, root);
  if ((threadIdx.x & 31) == 0 && votes) atomicAdd(components, __popc(votes));
}
