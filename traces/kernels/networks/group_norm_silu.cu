// Group norm followed by SiLU in the U-Net of a diffusion model, NCHW. One block per group of an image; two passes over the
// data: sums of values and squares, then normalise.
#include <cuda_runtime.h>

__device__ __forceinline__ float2 block_sum2(float2 v) {
  __shared__ float2 scratch[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    v.x += __shfl_down_sync(0xffffffffu, v.x, o);
    v.y += __shfl_down_sync(0xffffffffu, v.y, o);
  }
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? scratch[lane] : make_float2(0.f, 0.f);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
      v.x += __shfl_down_sync(0xffffffffu, v.x, o);
      v.y += __shfl_down_sync(0xffffffffu, v.y, o);
    }
    if (lane == 0) scratch[0] = v;
  }
  __syncthreads();
  return scratch[0];
}

__device__ __forceinline__ float silu(float x) { return x / (1.f + __expf(-x)); }

/// A group of an image for each block.
extern "C" __global__ void group_norm_silu(const float4* __restrict__ x, const float* __restrict__ gamma,
                                           const float* __restrict__ beta, float4* __restrict__ y, int groups, int per_group,
                                           int hw4, float eps) {
  const int g = blockIdx.x % groups;
  const int n4 = per_group * hw4;
  const size_t base = (size_t)blockIdx.x * n4;
  float2 s = make_float2(0.f, 0.f);
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    const float4 v = x[base + i];
    s.x += v.x + v.y + v.z + v.w;
    s.y += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  s = block_sum2(s);
  const float count = 4.f * n4;
  const float mean = s.x / count;
  const float rstd = rsqrtf(fmaxf(s.y / count - mean * mean, 0.f) + eps);
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    const int c = g * per_group + i / hw4;
    const float a = rstd * gamma[c], b = beta[c] - mean * a;
    float4 v = x[base + i];
    v.x = silu(v.x * a + b);
    v.y = silu(v.y * a + b);
    v.z = silu(v.z * a + b);
    v.w = silu(v.w * a + b);
    y[base + i] = v;
  }
}
