// Sensor model of Monte Carlo localisation: for each particle (a pose) laser beams walk through an occupancy grid cell by cell
// (Amanatides and Woo), and the log-likelihood of the measured ranges is added up. A block per particle, a thread per beam.
#include <cuda_runtime.h>

__device__ __forceinline__ float cast(const unsigned char* __restrict__ grid, int width, int height, float x, float y,
                                      float dx, float dy, float range) {
  int cx = (int)floorf(x), cy = (int)floorf(y);
  const int step_x = dx > 0.f ? 1 : -1, step_y = dy > 0.f ? 1 : -1;
  const float inv_x = fabsf(dx) > 1e-6f ? fabsf(1.f / dx) : 1e9f, inv_y = fabsf(dy) > 1e-6f ? fabsf(1.f / dy) : 1e9f;
  float tx = (dx > 0.f ? cx + 1 - x : x - cx) * inv_x, ty = (dy > 0.f ? cy + 1 - y : y - cy) * inv_y;
  float t = 0.f;
  while (t < range) {
    if ((unsigned)cx >= (unsigned)width || (unsigned)cy >= (unsigned)height) return range;
    if (grid[cy * width + cx] > 128) return t;
    if (tx < ty) {
      t = tx;
      tx += inv_x;
      cx += step_x;
    } else {
      t = ty;
      ty += inv_y;
      cy += step_y;
    }
  }
  return range;
}

/// Log-likelihood of the measured ranges for each particle.
extern "C" __global__ void __launch_bounds__(192)
    sensor_model(const unsigned char* __restrict__ grid, int width, int height, const float* __restrict__ px,
                 const float* __restrict__ py, const float* __restrict__ heading, const float* __restrict__ measured,
                 int beams, float range, float* __restrict__ log_weight) {
  __shared__ float sums[6];
  const int particle = blockIdx.x, beam = threadIdx.x;
  float l = 0.f;
  if (beam < beams) {
    const float angle = heading[particle] + (beam - beams / 2) * (4.71238898f / beams);
    float s, c;
    sincosf(angle, &s, &c);
    const float expected = cast(grid, width, height, px[particle], py[particle], c, s, range);
    const float z = measured[beam], d = (z - expected) * 0.25f;
    float p = 0.75f * 0.0997f * expf(-0.5f * d * d) + 0.05f / range;
    if (z < expected) p += 0.15f * 0.05f * expf(-0.05f * z);
    if (z >= range) p += 0.05f;
    l = logf(p);
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) l += __shfl_down_sync(0xffffffffu, l, o);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = l;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 6; ++w) l += sums[w];
    log_weight[particle] = l;
  }
}

/// Weights from logarithms, one block.
extern "C" __global__ void __launch_bounds__(1024)
    normalise_weights(const float* __restrict__ log_weight, float* __restrict__ weight, int n) {
  __shared__ float scratch[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float m = -1e30f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, log_weight[i]);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (lane == 0) scratch[warp] = m;
  __syncthreads();
  m = scratch[lane];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  __syncthreads();
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += expf(log_weight[i] - m);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0) scratch[warp] = s;
  __syncthreads();
  s = scratch[lane];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  for (int i = threadIdx.x; i < n; i += blockDim.x) weight[i] = expf(log_weight[i] - m) / s;
}
