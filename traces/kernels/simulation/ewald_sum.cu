// Electrostatics of charges in a periodic box by Ewald's sum: the direct part with erfc over tiles of particles in shared
// memory and minimum images, the structure factor of each wave vector, and the forces from reciprocal space.
#include <cuda_runtime.h>

#define TILE 128

// exp(x^2) erfc(x), Abramowitz and Stegun 7.1.26
__device__ __forceinline__ float erfc_scaled(float x) {
  const float t = 1.f / (1.f + 0.3275911f * x);
  return t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
}

/// Direct part of forces and energy; blockIdx.y is a slice of the tiles.
extern "C" __global__ void __launch_bounds__(TILE)
    ewald_direct(const float4* __restrict__ atoms, float* __restrict__ forces, float* __restrict__ energy, int n,
                 float box, float beta, float cutoff2, int tiles_per_slice) {
  __shared__ float4 tile[TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const float4 a = atoms[i];
  const float inv_box = 1.f / box;
  float fx = 0.f, fy = 0.f, fz = 0.f, e = 0.f;
  const int last = min((int)(blockIdx.y + 1) * tiles_per_slice, n / TILE);
  for (int t = blockIdx.y * tiles_per_slice; t < last; ++t) {
    __syncthreads();
    tile[threadIdx.x] = atoms[t * TILE + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < TILE; ++k) {
      const float4 b = tile[k];
      float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      dx -= box * rintf(dx * inv_box);
      dy -= box * rintf(dy * inv_box);
      dz -= box * rintf(dz * inv_box);
      const float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < cutoff2 && r2 > 0.f) {
        const float inv_r = rsqrtf(r2), r = r2 * inv_r;
        const float br = beta * r, g = __expf(-br * br);
        const float qq = a.w * b.w;
        const float erfc_r = erfc_scaled(br) * g * inv_r;
        e += 0.5f * qq * erfc_r;
        const float f = qq * (erfc_r + 1.1283791671f * beta * g) * inv_r * inv_r;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
      }
    }
  }
  atomicAdd(&forces[3 * i], fx);
  atomicAdd(&forces[3 * i + 1], fy);
  atomicAdd(&forces[3 * i + 2], fz);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) e += __shfl_xor_sync(0xffffffffu, e, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(energy, e);
}

__device__ __forceinline__ float3 wave(int k, int kmax, float two_pi_over_box) {
  const int side = 2 * kmax + 1;
  return make_float3((k % side - kmax) * two_pi_over_box, (k / side % side - kmax) * two_pi_over_box,
                     (k / (side * side)) * two_pi_over_box);
}

/// Weighted structure factor of a wave vector per block, and its part of the energy.
extern "C" __global__ void __launch_bounds__(128)
    structure_factor(const float4* __restrict__ atoms, float4* __restrict__ factors, float* __restrict__ energy, int n,
                     int kmax, float two_pi_over_box, float inv_4beta2, float prefactor) {
  __shared__ float2 partial[4];
  const float3 k = wave(blockIdx.x, kmax, two_pi_over_box);
  float re = 0.f, im = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float4 a = __ldg(&atoms[i]);
    float s, c;
    __sincosf(k.x * a.x + k.y * a.y + k.z * a.z, &s, &c);
    re += a.w * c;
    im += a.w * s;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    re += __shfl_down_sync(0xffffffffu, re, o);
    im += __shfl_down_sync(0xffffffffu, im, o);
  }
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = make_float2(re, im);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 4; ++w) {
      re += partial[w].x;
      im += partial[w].y;
    }
    const float k2 = k.x * k.x + k.y * k.y + k.z * k.z;
    const float weight = k2 > 0.f ? prefactor * (k.z > 0.f ? 2.f : 1.f) * expf(-k2 * inv_4beta2) / k2 : 0.f;
    factors[blockIdx.x] = make_float4(re * weight, im * weight, 0.f, 0.f);
    atomicAdd(energy, 0.5f * weight * (re * re + im * im));
  }
}

/// Forces of the wave vectors of slice blockIdx.y.
extern "C" __global__ void __launch_bounds__(64)
    reciprocal_forces(const float4* __restrict__ atoms, const float4* __restrict__ factors, float* __restrict__ forces,
                      int n, int kmax, int vectors, float two_pi_over_box) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = atoms[i];
  float fx = 0.f, fy = 0.f, fz = 0.f;
  const int per = (vectors + gridDim.y - 1) / gridDim.y, first = blockIdx.y * per, last = min(first + per, vectors);
  for (int v = first; v < last; ++v) {
    const float3 k = wave(v, kmax, two_pi_over_box);
    const float4 f = __ldg(&factors[v]);
    float s, c;
    __sincosf(k.x * a.x + k.y * a.y + k.z * a.z, &s, &c);
    const float g = a.w * (s * f.x - c * f.y);
    fx += g * k.x;
    fy += g * k.y;
    fz += g * k.z;
  }
  atomicAdd(&forces[3 * i], fx);
  atomicAdd(&forces[3 * i + 1], fy);
  atomicAdd(&forces[3 * i + 2], fz);
}
