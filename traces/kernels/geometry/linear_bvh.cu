// Linear bounding-volume hierarchy over sorted Morton codes: all inner nodes at once, each from the common prefixes
// of codes beside it (Karras, 2012, section 4), then boxes from the leaves up, where the second thread that comes to
// a node goes on.
#include <cuda_runtime.h>

/// Length of the common prefix of two codes, made different by their places; -1 where there is none.
__device__ __forceinline__ int common_prefix(const unsigned* __restrict__ codes, unsigned code, int i, int j, int n) {
  if (j < 0 || j >= n) return -1;
  const unsigned other = __ldg(&codes[j]);
  return code == other ? 32 + __clz(i ^ j) : __clz(code ^ other);
}

/// Children and parents. Node i of the n - 1 inner ones; leaf k is node n - 1 + k. A thread per inner node.
extern "C" __global__ void __launch_bounds__(256)
    build_nodes(const unsigned* __restrict__ codes, int2* __restrict__ children, int* __restrict__ parents, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  const unsigned code = codes[i];

  // Where the node's range lies, and how far it reaches.
  const int direction = common_prefix(codes, code, i, i + 1, n) > common_prefix(codes, code, i, i - 1, n) ? 1 : -1;
  const int outside = common_prefix(codes, code, i, i - direction, n);
  int bound = 2;
  while (common_prefix(codes, code, i, i + bound * direction, n) > outside) bound *= 2;
  int length = 0;
  for (int step = bound / 2; step > 0; step /= 2)
    if (common_prefix(codes, code, i, i + (length + step) * direction, n) > outside) length += step;
  const int end = i + length * direction;

  // The last place with more in common with the node's own than its whole range.
  const int whole = common_prefix(codes, code, i, end, n);
  int split = 0;
  for (int step = length; step > 1;) {
    step = (step + 1) / 2;
    if (split + step < length && common_prefix(codes, code, i, i + (split + step) * direction, n) > whole)
      split += step;
  }
  const int left = i + split * direction + min(direction, 0), right = left + 1;

  const int first = min(i, end) == left ? n - 1 + left : left;
  const int second = max(i, end) == right ? n - 1 + right : right;
  children[i] = make_int2(first, second);
  parents[first] = i;
  parents[second] = i;
  if (i == 0) parents[0] = -1;
}

/// Every third bit of a number, next to each other.
__device__ __forceinline__ unsigned compact(unsigned v) {
  v &= 0x09249249u;
  v = (v ^ v >> 2) & 0x030c30c3u;
  v = (v ^ v >> 4) & 0x0300f00fu;
  v = (v ^ v >> 8) & 0xff0000ffu;
  return (v ^ v >> 16) & 0x3ffu;
}

/// Boxes, lower corner and upper corner of a node. A thread per leaf, which has a ball around the place of its code.
extern "C" __global__ void __launch_bounds__(256)
    fit_boxes(const unsigned* __restrict__ codes, const float* __restrict__ radii, const int2* __restrict__ children,
              const int* __restrict__ parents, float4* __restrict__ boxes, int* __restrict__ arrivals, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  const unsigned code = codes[k];
  const float x = compact(code), y = compact(code >> 1), z = compact(code >> 2), r = radii[k];
  float4 lower = make_float4(x - r, y - r, z - r, 0.f), upper = make_float4(x + r, y + r, z + r, 0.f);
  int node = n - 1 + k;
  boxes[2 * node] = lower;
  boxes[2 * node + 1] = upper;
  while ((node = parents[node]) >= 0) {
    __threadfence();
    if (atomicAdd(&arrivals[node], 1) == 0) return;
    __threadfence();
    const int2 pair = children[node];
    const float4 a = __ldcg(&boxes[2 * pair.x]), b = __ldcg(&boxes[2 * pair.y]);
    const float4 c = __ldcg(&boxes[2 * pair.x + 1]), d = __ldcg(&boxes[2 * pair.y + 1]);
    lower = make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), 0.f);
    upper = make_float4(fmaxf(c.x, d.x), fmaxf(c.y, d.y), fmaxf(c.z, d.z), 0.f);
    boxes[2 * node] = lower;
    boxes[2 * node + 1] = upper;
  }
}
