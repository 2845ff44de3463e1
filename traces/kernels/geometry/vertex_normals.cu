// Normals at the vertices of a triangle mesh with whole coordinates: each triangle adds its normal, as long as twice
// its area, to its corners by atomics (the area weights of Max, 1999, section 1); then they are stored as two numbers
// of 16 bits in the octahedral map of Meyer, Suessmuth, Sussner, Stamminger and Greiner (2010, section 3).
#include <cuda_runtime.h>

/// One thread per triangle.
extern "C" __global__ void __launch_bounds__(256)
    add_face_normals(const short4* __restrict__ positions, const int* __restrict__ corners, int* __restrict__ sums,
                     int triangles) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= triangles) return;
  const int a = corners[3 * t], b = corners[3 * t + 1], c = corners[3 * t + 2];
  const short4 p = positions[a], q = positions[b], r = positions[c];
  const int ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z;
  const int vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
  const int nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  atomicAdd(&sums[4 * a], nx);
  atomicAdd(&sums[4 * a + 1], ny);
  atomicAdd(&sums[4 * a + 2], nz);
  atomicAdd(&sums[4 * b], nx);
  atomicAdd(&sums[4 * b + 1], ny);
  atomicAdd(&sums[4 * b + 2], nz);
  atomicAdd(&sums[4 * c], nx);
  atomicAdd(&sums[4 * c + 1], ny);
  atomicAdd(&sums[4 * c + 2], nz);
}

/// One thread per vertex.
extern "C" __global__ void __launch_bounds__(256)
    encode_normals(const int4* __restrict__ sums, short2* __restrict__ normals, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const int4 n = sums[v];
  const float x = n.x, y = n.y, z = n.z;
  const float all = fabsf(x) + fabsf(y) + fabsf(z);
  const float scale = all > 0.f ? 1.f / all : 0.f;
  float u = x * scale, w = y * scale;
  if (n.z < 0) {
    const float folded = (1.f - fabsf(w)) * (u >= 0.f ? 1.f : -1.f);
    w = (1.f - fabsf(u)) * (w >= 0.f ? 1.f : -1.f);
    u = folded;
  }
  normals[v] = make_short2((short)__float2int_rn(u * 32767.f), (short)__float2int_rn(w * 32767.f));
}
