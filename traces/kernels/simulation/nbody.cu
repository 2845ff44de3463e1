// All pairs gravitation: positions of a block's width at a time in shared memory, softened; then a leapfrog step.
__device__ inline float3 body_interaction(float3 ai, float4 bi, float4 bj, float softening2) {
  const float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
  const float d2 = r.x * r.x + r.y * r.y + r.z * r.z + softening2;
  const float inv = rsqrtf(d2);
  const float s = bj.w * inv * inv * inv;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

/// Acceleration of a body by all others, then its new velocity and position.
extern "C" __global__ void integrate_bodies(float4* __restrict__ new_pos, const float4* __restrict__ old_pos,
                                            float4* __restrict__ vel, unsigned int num_bodies, float dt, float damping,
                                            float softening2) {
  extern __shared__ float4 shared_pos[];
  const unsigned int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= num_bodies) return;
  const float4 position = old_pos[index];
  float3 accel = make_float3(0.0f, 0.0f, 0.0f);
  for (unsigned int tile = 0; tile < gridDim.x; tile++) {
    shared_pos[threadIdx.x] = old_pos[tile * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll 32
    for (unsigned int counter = 0; counter < blockDim.x; counter++)
      accel = body_interaction(accel, position, shared_pos[counter], softening2);
    __syncthreads();
  }
  float4 velocity = vel[index];
  velocity.x = (velocity.x + accel.x * dt) * damping;
  velocity.y = (velocity.y + accel.y * dt) * damping;
  velocity.z = (velocity.z + accel.z * dt) * damping;
  new_pos[index] =
      make_float4(position.x + velocity.x * dt, position.y + velocity.y * dt, position.z + velocity.z * dt, position.w);
  vel[index] = velocity;
}
