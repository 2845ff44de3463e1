// A step of cloth by position based dynamics (Mueller, Heidelberger, Hennix and Ratcliff, 2007, sections 3 and 4):
// particles move freely, then distances are corrected, colour after colour, no two constraints of a colour having a
// particle in common.
#include <cuda_runtime.h>

/// Where particles would be without constraints. The fourth component is the inverse of the mass, 0 for a particle
/// that is held.
extern "C" __global__ void __launch_bounds__(256)
    move_particles(const float4* __restrict__ positions, float4* __restrict__ velocities,
                   float4* __restrict__ predicted, float step, float damping, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = positions[i], v = velocities[i];
  if (p.w > 0.f) {
    v.x *= damping;
    v.y = (v.y - 9.81f * step) * damping;
    v.z *= damping;
    p.x += step * v.x;
    p.y += step * v.y;
    p.z += step * v.z;
    velocities[i] = v;
  }
  predicted[i] = p;
}

/// Corrects the distances of one colour. A thread per constraint.
extern "C" __global__ void __launch_bounds__(256)
    correct_distances(float4* __restrict__ predicted, const int2* __restrict__ constraints, float rest, float stiffness,
                      int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int2 pair = constraints[i];
  float4 p = predicted[pair.x], q = predicted[pair.y];
  const float mass = p.w + q.w;
  if (mass == 0.f) return;
  const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
  const float length = sqrtf(x * x + y * y + z * z);
  const float scale = stiffness * (length - rest) / (mass * length);
  p.x += p.w * scale * x;
  p.y += p.w * scale * y;
  p.z += p.w * scale * z;
  q.x -= q.w * scale * x;
  q.y -= q.w * scale * y;
  q.z -= q.w * scale * z;
  predicted[pair.x] = p;
  predicted[pair.y] = q;
}

/// Velocities from what particles have moved.
extern "C" __global__ void __launch_bounds__(256)
    finish_step(float4* __restrict__ positions, float4* __restrict__ velocities, const float4* __restrict__ predicted,
                float inverse_step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = positions[i], q = predicted[i];
  velocities[i] = make_float4((q.x - p.x) * inverse_step, (q.y - p.y) * inverse_step, (q.z - p.z) * inverse_step, 0.f);
  positions[i] = q;
}
