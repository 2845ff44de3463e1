// Inverses of a batch of 4x4 matrices (skinning, camera and joint transforms) by cofactors, one thread per matrix, loaded as
// four float4; singular ones become the identity.
#include <cuda_runtime.h>

/// Inverses of `n` matrices; `singular` counts those that have none.
extern "C" __global__ void __launch_bounds__(128)
    inverse_4x4(const float4* __restrict__ in, float4* __restrict__ out, int* __restrict__ singular, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
  const float s0 = a.x * b.y - b.x * a.y, s1 = a.x * b.z - b.x * a.z, s2 = a.x * b.w - b.x * a.w;
  const float s3 = a.y * b.z - b.y * a.z, s4 = a.y * b.w - b.y * a.w, s5 = a.z * b.w - b.z * a.w;
  const float c5 = c.z * d.w - d.z * c.w, c4 = c.y * d.w - d.y * c.w, c3 = c.y * d.z - d.y * c.z;
  const float c2 = c.x * d.w - d.x * c.w, c1 = c.x * d.z - d.x * c.z, c0 = c.x * d.y - d.x * c.y;
  const float det = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;
  if (fabsf(det) < 1e-12f) {
    out[4 * i] = make_float4(1.f, 0.f, 0.f, 0.f);
    out[4 * i + 1] = make_float4(0.f, 1.f, 0.f, 0.f);
    out[4 * i + 2] = make_float4(0.f, 0.f, 1.f, 0.f);
    out[4 * i + 3] = make_float4(0.f, 0.f, 0.f, 1.f);
    atomicAdd(singular, 1);
    return;
  }
  const float r = 1.f / det;
  out[4 * i] = make_float4((b.y * c5 - b.z * c4 + b.w * c3) * r, (-a.y * c5 + a.z * c4 - a.w * c3) * r,
                           (d.y * s5 - d.z * s4 + d.w * s3) * r, (-c.y * s5 + c.z * s4 - c.w * s3) * r);
  out[4 * i + 1] = make_float4((-b.x * c5 + b.z * c2 - b.w * c1) * r, (a.x * c5 - a.z * c2 + a.w * c1) * r,
                               (-d.x * s5 + d.z * s2 - d.w * s1) * r, (c.x * s5 - c.z * s2 + c.w * s1) * r);
  out[4 * i + 2] = make_float4((b.x * c4 - b.y * c2 + b.w * c0) * r, (-a.x * c4 + a.y * c2 - a.w * c0) * r,
                               (d.x * s4 - d.y * s2 + d.w * s0) * r, (-c.x * s4 + c.y * s2 - c.w * s0) * r);
  out[4 * i + 3] = make_float4((-b.x * c3 + b.y * c1 - b.z * c0) * r, (a.x * c3 - a.y * c1 + a.z * c0) * r,
                               (-d.x * s3 + d.y * s1 - d.z * s0) * r, (c.x * s3 - c.y * s1 + c.z * s0) * r);
}
