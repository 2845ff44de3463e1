// Areas that pairs of convex polygons have in common: one is clipped at each edge of the other (Sutherland and
// Hodgman, 1974), corners lie in local memory. A thread per pair.
#include <cuda_runtime.h>

#define CORNERS 8
#define LARGEST 16

/// Where the line through p and q meets the clipping line, from the distances of both.
__device__ __forceinline__ float2 meeting(float2 p, float2 q, float at_p, float at_q) {
  const float t = at_p / (at_p - at_q);
  return make_float2(p.x + t * (q.x - p.x), p.y + t * (q.y - p.y));
}

/// Polygons have eight corners and turn left.
extern "C" __global__ void __launch_bounds__(128)
    overlap_areas(const float2* __restrict__ polygons, const int2* __restrict__ pairs, float* __restrict__ areas,
                  int n) {
  float2 corners[2][LARGEST];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int2 pair = pairs[i];
  const float4* subject = (const float4*)(polygons + CORNERS * pair.x);
#pragma unroll
  for (int k = 0; k < CORNERS / 2; ++k) {
    const float4 two = __ldg(&subject[k]);
    corners[0][2 * k] = make_float2(two.x, two.y);
    corners[0][2 * k + 1] = make_float2(two.z, two.w);
  }
  int count = CORNERS, side = 0;
  const float2* window = polygons + CORNERS * pair.y;
  float2 a = __ldg(&window[CORNERS - 1]);
  for (int edge = 0; edge < CORNERS && count > 0; ++edge) {
    const float2 b = __ldg(&window[edge]);
    const float2* from = corners[side];
    float2* to = corners[side ^ 1];
    int kept = 0;
    float2 p = from[count - 1];
    float at_p = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    for (int k = 0; k < count; ++k) {
      const float2 q = from[k];
      const float at_q = (b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x);
      if ((at_p >= 0.f) != (at_q >= 0.f) && kept < LARGEST) to[kept++] = meeting(p, q, at_p, at_q);
      if (at_q >= 0.f && kept < LARGEST) to[kept++] = q;
      p = q;
      at_p = at_q;
    }
    count = kept;
    side ^= 1;
    a = b;
  }
  float twice = 0.f;
  const float2* left = corners[side];
  for (int k = 2; k < count; ++k) {
    const float ux = left[k - 1].x - left[0].x, uy = left[k - 1].y - left[0].y;
    const float vx = left[k].x - left[0].x, vy = left[k].y - left[0].y;
    twice += ux * vy - uy * vx;
  }
  areas[i] = 0.5f * twice;
}
