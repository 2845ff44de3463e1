// Soft demapping of 64-QAM with Gray labels: log-likelihood ratios of the six bits of each symbol from exact sums of
// exponentials, separately for the two axes. F. Tosato and P. Bisaglia, "Simplified soft-output demapper for binary
// interleaved COFDM", ICC 2002; labels as in 3GPP TS 36.211, section 7.1.4.
#include <cuda_runtime.h>

/// Bits of one axis of a symbol. Level (1 - 2 b0)(4 - (1 - 2 b1)(2 - (1 - 2 b2))), in units of the spacing's half.
__device__ __forceinline__ void axis_ratios(float y, float weight, float ratio[3]) {
  float metric[8], best = -1e30f;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float d = y - (float)(2 * i - 7);
    metric[i] = -d * d * weight;
    best = fmaxf(best, metric[i]);
  }
  float e[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) e[i] = __expf(metric[i] - best) + 1e-20f;
  // levels from -7 to 7 carry b0 b1 b2 = 111 110 100 101 001 000 010 011
  ratio[0] = __logf(__fdividef(e[4] + e[5] + e[6] + e[7], e[0] + e[1] + e[2] + e[3]));
  ratio[1] = __logf(__fdividef(e[2] + e[3] + e[4] + e[5], e[0] + e[1] + e[6] + e[7]));
  ratio[2] = __logf(__fdividef(e[1] + e[2] + e[5] + e[6], e[0] + e[3] + e[4] + e[7]));
}

__device__ __forceinline__ unsigned quantise(float ratio, float scale) {
  return (unsigned)max(-127, min(127, __float2int_rn(ratio * scale))) & 255;
}

/// Ratios of eight bits for two symbols per thread; `noise` has the inverse variance of each symbol.
extern "C" __global__ void __launch_bounds__(256)
    qam_demap(const float4* __restrict__ symbols, const float2* __restrict__ noise, unsigned* __restrict__ ratios,
              int pairs, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const float4 s = symbols[i];
  const float2 w = noise[i];
  float re[3], im[3];
  unsigned bytes[12];
  axis_ratios(s.x * 6.480740698f, w.x, re);
  axis_ratios(s.y * 6.480740698f, w.x, im);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    bytes[2 * k] = quantise(re[k], scale);
    bytes[2 * k + 1] = quantise(im[k], scale);
  }
  axis_ratios(s.z * 6.480740698f, w.y, re);
  axis_ratios(s.w * 6.480740698f, w.y, im);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    bytes[6 + 2 * k] = quantise(re[k], scale);
    bytes[7 + 2 * k] = quantise(im[k], scale);
  }
#pragma unroll
  for (int k = 0; k < 3; ++k)
    ratios[(size_t)i * 3 + k] = bytes[4 * k] | bytes[4 * k + 1] << 8 | bytes[4 * k + 2] << 16 | bytes[4 * k + 3] << 24;
}
