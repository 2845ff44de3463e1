// Ray casting with a bounding-volume hierarchy in an array as a complete binary tree: boxes are refitted level by level from
// triangles in Morton order, then primary rays are traversed with a stack in local memory, near child first.
#include <cuda_runtime.h>

struct Box {
  float4 lo;
  float4 hi;
};

__device__ __forceinline__ unsigned compact(unsigned v) {
  v &= 0x55555555u;
  v = (v | v >> 1) & 0x33333333u;
  v = (v | v >> 2) & 0x0f0f0f0fu;
  v = (v | v >> 4) & 0x00ff00ffu;
  v = (v | v >> 8) & 0x0000ffffu;
  return v;
}

__device__ __forceinline__ float terrain(float x, float z) {
  return 2.5f * __sinf(0.31f * x) * __cosf(0.23f * z) + 0.9f * __sinf(0.9f * x + 0.5f * z);
}

/// Triangles of a terrain, two per cell of a grid in Morton order, with the boxes of the leaves.
extern "C" __global__ void build_leaves(float4* __restrict__ triangles, Box* __restrict__ nodes, int leaves) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= leaves) return;
  const unsigned cell = i >> 1;
  const float x = compact(cell), z = compact(cell >> 1);
  float3 a, b, c;
  if (i & 1) {
    a = make_float3(x + 1, terrain(x + 1, z + 1), z + 1);
    b = make_float3(x, terrain(x, z + 1), z + 1);
    c = make_float3(x + 1, terrain(x + 1, z), z);
  } else {
    a = make_float3(x, terrain(x, z), z);
    b = make_float3(x + 1, terrain(x + 1, z), z);
    c = make_float3(x, terrain(x, z + 1), z + 1);
  }
  triangles[3 * i] = make_float4(a.x, a.y, a.z, 0.f);
  triangles[3 * i + 1] = make_float4(b.x - a.x, b.y - a.y, b.z - a.z, 0.f);
  triangles[3 * i + 2] = make_float4(c.x - a.x, c.y - a.y, c.z - a.z, 0.f);
  Box box;
  box.lo = make_float4(fminf(a.x, fminf(b.x, c.x)), fminf(a.y, fminf(b.y, c.y)), fminf(a.z, fminf(b.z, c.z)), 0.f);
  box.hi = make_float4(fmaxf(a.x, fmaxf(b.x, c.x)), fmaxf(a.y, fmaxf(b.y, c.y)), fmaxf(a.z, fmaxf(b.z, c.z)), 0.f);
  nodes[leaves + i] = box;
}

/// Boxes of all inner nodes; each leaf climbs, and the second child to arrive computes the parent.
extern "C" __global__ void refit(Box* __restrict__ nodes, int first, int count, int* __restrict__ flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int node = (first + i) >> 1;
  while (node >= 1) {
    if (atomicAdd(&flags[node], 1) == 0) return;
    __threadfence();
    volatile const float* l = reinterpret_cast<volatile const float*>(&nodes[2 * node]);
    float v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = l[k];
    Box b;
    b.lo = make_float4(fminf(v[0], v[8]), fminf(v[1], v[9]), fminf(v[2], v[10]), 0.f);
    b.hi = make_float4(fmaxf(v[4], v[12]), fmaxf(v[5], v[13]), fmaxf(v[6], v[14]), 0.f);
    nodes[node] = b;
    __threadfence();
    node >>= 1;
  }
}

__device__ __forceinline__ float enter(const Box* __restrict__ nodes, int node, float3 o, float3 inv, float t_max) {
  const float4 lo = __ldg(&nodes[node].lo), hi = __ldg(&nodes[node].hi);
  const float x0 = (lo.x - o.x) * inv.x, x1 = (hi.x - o.x) * inv.x;
  const float y0 = (lo.y - o.y) * inv.y, y1 = (hi.y - o.y) * inv.y;
  const float z0 = (lo.z - o.z) * inv.z, z1 = (hi.z - o.z) * inv.z;
  const float near = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f));
  const float far = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), t_max));
  return near <= far ? near : 3e38f;
}

/// Distance and number of the first triangle that each ray hits; 1e30 and -1 if none.
extern "C" __global__ void __launch_bounds__(128)
    trace_rays(const Box* __restrict__ nodes, const float4* __restrict__ triangles, int leaves,
               float2* __restrict__ hits, int width, int height, float extent) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float3 o = make_float3(extent * 0.5f, 14.f, -extent * 0.35f);
  float3 d = make_float3((x + 0.5f) / width - 0.5f, 0.15f - 0.7f * (y + 0.5f) / height, 0.8f);
  const float len = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
  d = make_float3(d.x * len, d.y * len, d.z * len);
  const float3 inv = make_float3(1.f / d.x, 1.f / d.y, 1.f / d.z);

  int stack[32];
  int top = 0;
  float best = 1e30f;
  int best_id = -1;
  int node = enter(nodes, 1, o, inv, best) < 3e38f ? 1 : 0;
  while (node) {
    if (node >= leaves) {
      const int id = node - leaves;
      const float4 a = __ldg(&triangles[3 * id]), e1 = __ldg(&triangles[3 * id + 1]),
                   e2 = __ldg(&triangles[3 * id + 2]);
      const float px = d.y * e2.z - d.z * e2.y, py = d.z * e2.x - d.x * e2.z, pz = d.x * e2.y - d.y * e2.x;
      const float det = e1.x * px + e1.y * py + e1.z * pz;
      if (fabsf(det) > 1e-8f) {
        const float r = 1.f / det;
        const float tx = o.x - a.x, ty = o.y - a.y, tz = o.z - a.z;
        const float u = (tx * px + ty * py + tz * pz) * r;
        const float qx = ty * e1.z - tz * e1.y, qy = tz * e1.x - tx * e1.z, qz = tx * e1.y - ty * e1.x;
        const float v = (d.x * qx + d.y * qy + d.z * qz) * r;
        const float t = (e2.x * qx + e2.y * qy + e2.z * qz) * r;
        if (u >= 0.f && v >= 0.f && u + v <= 1.f && t > 1e-4f && t < best) {
          best = t;
          best_id = id;
        }
      }
      node = top ? stack[--top] : 0;
    } else {
      const int left = 2 * node, right = left + 1;
      const float tl = enter(nodes, left, o, inv, best), tr = enter(nodes, right, o, inv, best);
      if (tl < 3e38f && tr < 3e38f) {
        const bool left_first = tl <= tr;
        stack[top++] = left_first ? right : left;
        node = left_first ? left : right;
      } else if (tl < 3e38f) {
        node = left;
      } else if (tr < 3e38f) {
        node = right;
      } else {
        node = top ? stack[--top] : 0;
      }
    }
  }
  hits[y * width + x] = make_float2(best, __int_as_float(best_id));
}
