// Queries of windows on an R-tree (Guttman, 1984, section 3.1) packed from sorted rectangles with 32 entries in a
// node: a warp per query tests the entries of a node at once, votes, and keeps nodes that are still to be visited on
// a stack in shared memory.
#include <cuda_runtime.h>

#define THREADS 128
#define DEPTH 160

/// The rectangle around each 32 entries. A thread per entry.
extern "C" __global__ void __launch_bounds__(256)
    pack_level(const int4* __restrict__ entries, int4* __restrict__ nodes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 r = i < count ? entries[i] : make_int4(0x7fffffff, 0x7fffffff, -0x7fffffff, -0x7fffffff);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    r.x = min(r.x, __shfl_xor_sync(0xffffffffu, r.x, o));
    r.y = min(r.y, __shfl_xor_sync(0xffffffffu, r.y, o));
    r.z = max(r.z, __shfl_xor_sync(0xffffffffu, r.z, o));
    r.w = max(r.w, __shfl_xor_sync(0xffffffffu, r.w, o));
  }
  if (threadIdx.x % 32 == 0 && i < count) nodes[i / 32] = r;
}

/// How many rectangles meet each window, and the sum of their numbers. The levels of the tree lie one behind the
/// other, the rectangles first; `starts` has the first entry of each level and, behind them, the number of all
/// entries.
extern "C" __global__ void __launch_bounds__(THREADS)
    window_query(const int4* __restrict__ tree, int4 starts, int levels, int entries, const int4* __restrict__ windows,
                 uint2* __restrict__ found, int queries) {
  __shared__ int stacks[THREADS / 32][DEPTH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int query = blockIdx.x * (THREADS / 32) + warp;
  if (query >= queries) return;
  int* stack = stacks[warp];
  const int4 w = windows[query];
  unsigned count = 0, sum = 0;

  // An element of the stack is 4 times the number of a node, plus the level of its entries.
  int size = 1;
  if (lane == 0) stack[0] = levels - 1;
  __syncwarp();
  while (size > 0) {
    const int element = stack[--size];
    __syncwarp();
    const int level = element & 3;
    const int first = level == 0 ? starts.x : level == 1 ? starts.y : level == 2 ? starts.z : starts.w;
    const int end = level == levels - 1 ? entries : level == 0 ? starts.y : level == 1 ? starts.z : starts.w;
    const int index = (element >> 2) * 32 + lane;
    bool meets = false;
    if (first + index < end) {
      const int4 r = __ldg(&tree[first + index]);
      meets = r.x <= w.z && w.x <= r.z && r.y <= w.w && w.y <= r.w;
    }
    const unsigned votes = __ballot_sync(0xffffffffu, meets);
    if (level == 0) {
      count += __popc(votes);
      sum += meets ? index : 0;
    } else {
      if (meets) stack[size + __popc(votes & ((1u << lane) - 1))] = index << 2 | (level - 1);
      size += __popc(votes);
      __syncwarp();
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (lane == 0) found[query] = make_uint2(count, sum);
}
