// A round of edge flips towards a Delaunay triangulation, on half-edges: the test whether a corner lies in the circle
// through a triangle, exact in whole numbers of 128 bits; of illegal edges those that are the first of both of their
// triangles are flipped (Navarro, Hitschfeld-Kahler and Scheihing, 2011, section 4).
#include <cuda_runtime.h>

#define NONE 0x7fffffff

/// A whole number of 128 bits.
struct Wide {
  unsigned long long low;
  long long high;
};

/// Adds a product of two numbers of 64 bits.
__device__ __forceinline__ Wide add_product(Wide sum, long long a, long long b) {
  const unsigned long long low = (unsigned long long)a * (unsigned long long)b;
  sum.high += __mul64hi(a, b);
  sum.low += low;
  sum.high += sum.low < low;
  return sum;
}

/// Whether d lies inside the circle through a, b and c, which turn left.
__device__ __forceinline__ bool in_circle(int2 a, int2 b, int2 c, int2 d) {
  const long long ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
  Wide determinant = {0, 0};
  determinant = add_product(determinant, ax * ax + ay * ay, bx * cy - by * cx);
  determinant = add_product(determinant, bx * bx + by * by, cx * ay - cy * ax);
  determinant = add_product(determinant, cx * cx + cy * cy, ax * by - ay * bx);
  return determinant.high > 0 || (determinant.high == 0 && determinant.low != 0);
}

__device__ __forceinline__ int next_of(int edge) {
  return edge % 3 == 2 ? edge - 2 : edge + 1;
}
__device__ __forceinline__ int previous_of(int edge) {
  return edge % 3 == 0 ? edge + 2 : edge - 1;
}

/// Notes for each triangle the first of its illegal edges. A thread per half-edge; the smaller one of two stands for
/// the edge.
extern "C" __global__ void __launch_bounds__(256)
    find_illegal(const int2* __restrict__ points, const int* __restrict__ corners, const int* __restrict__ twins,
                 int* __restrict__ first, unsigned* __restrict__ illegal, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  bool flip = false;
  if (e < edges) {
    const int twin = twins[e];
    if (twin > e) {
      const int2 a = points[corners[e]], b = points[corners[next_of(e)]], c = points[corners[previous_of(e)]];
      flip = in_circle(a, b, c, points[corners[previous_of(twin)]]);
      if (flip) {
        atomicMin(&first[e / 3], e);
        atomicMin(&first[twin / 3], e);
      }
    }
  }
  const unsigned bits = __ballot_sync(0xffffffffu, flip);
  if (threadIdx.x % 32 == 0 && e < edges) illegal[e / 32] = bits;
}

/// Flips the edges that are the first of both triangles: their corners change, the neighbours are left to the next
/// step.
extern "C" __global__ void __launch_bounds__(256)
    flip_edges(int* __restrict__ corners, const int* __restrict__ twins, const int* __restrict__ first,
               const unsigned* __restrict__ illegal, int* __restrict__ flips, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  bool flip = false;
  if (e < edges && illegal[e / 32] >> e % 32 & 1) {
    const int twin = twins[e];
    flip = first[e / 3] == e && first[twin / 3] == e;
    if (flip) {
      const int opposite = corners[previous_of(e)], other = corners[previous_of(twin)];
      corners[next_of(e)] = other;
      corners[next_of(twin)] = opposite;
    }
  }
  const unsigned bits = __ballot_sync(0xffffffffu, flip);
  if (threadIdx.x % 32 == 0 && bits != 0) atomicAdd(flips, __popc(bits));
}
