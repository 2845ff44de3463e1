// Needs sm_80
// Fused residual add and RMS norm of half-precision hidden states, as in inference engines for Llama-like models. One warp per
// token, 16-byte loads, sums in float.
#include <cuda_fp16.h>

#define HIDDEN 1024
#define PER_LANE (HIDDEN / 8 / 32)

union Pack {
  uint4 u;
  __half2 h[4];
};

/// A token for each warp; both inputs are replaced.
extern "C" __global__ void __launch_bounds__(128)
    fused_add_rms_norm(uint4* __restrict__ hidden, uint4* __restrict__ residual, const uint4* __restrict__ weight, float eps,
                       int tokens) {
  const int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (token >= tokens) return;
  uint4* x_row = hidden + (size_t)token * (HIDDEN / 8);
  uint4* r_row = residual + (size_t)token * (HIDDEN / 8);

  Pack z[PER_LANE];
  float ss = 0.f;
#pragma unroll
  for (int k = 0; k < PER_LANE; ++k) {
    Pack x, r;
    x.u = x_row[k * 32 + lane];
    r.u = r_row[k * 32 + lane];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      z[k].h[j] = __hadd2(x.h[j], r.h[j]);
      const float2 f = __half22float2(z[k].h[j]);
      ss = fmaf(f.x, f.x, ss);
      ss = fmaf(f.y, f.y, ss);
    }
    r_row[k * 32 + lane] = z[k].u;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, o);
  const float scale = rsqrtf(ss / HIDDEN + eps);
#pragma unroll
  for (int k = 0; k < PER_LANE; ++k) {
    Pack w, out;
    w.u = __ldg(&weight[k * 32 + lane]);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 f = __half22float2(z[k].h[j]);
      out.h[j] = __hmul2(__floats2half2_rn(f.x * scale, f.y * scale), w.h[j]);
    }
    x_row[k * 32 + lane] = out.u;
  }
}
