// Fused bias, GELU (tanh form) and dropout of a transformer's feed-forward layer. Random bits from Philox4x32-10, one call for
// each four values; the mask is stored as bytes for the backward pass.
#include <cuda_runtime.h>

struct Philox {
  static constexpr unsigned M0 = 0xD2511F53u, M1 = 0xCD9E8D57u, W0 = 0x9E3779B9u, W1 = 0xBB67AE85u;
  __device__ __forceinline__ static uint4 draw(uint4 ctr, uint2 key) {
#pragma unroll
    for (int r = 0; r < 10; ++r) {
      const unsigned hi0 = __umulhi(M0, ctr.x), lo0 = M0 * ctr.x;
      const unsigned hi1 = __umulhi(M1, ctr.z), lo1 = M1 * ctr.z;
      ctr = make_uint4(hi1 ^ ctr.y ^ key.x, lo1, hi0 ^ ctr.w ^ key.y, lo0);
      key.x += W0;
      key.y += W1;
    }
    return ctr;
  }
};

__device__ __forceinline__ float gelu(float x) {
  const float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.f + tanhf(inner));
}

/// Four elements for each thread.
extern "C" __global__ void __launch_bounds__(256)
    bias_gelu_dropout(const float4* __restrict__ in, const float4* __restrict__ bias, float4* __restrict__ out,
                      uchar4* __restrict__ mask, int total4, int cols4, float p, unsigned long long seed,
                      unsigned long long offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total4) return;
  const float4 x = in[i];
  const float4 b = __ldg(&bias[i % cols4]);
  const uint4 r = Philox::draw(make_uint4((unsigned)offset, (unsigned)(offset >> 32), i, 0),
                               make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
  const float keep_scale = 1.f / (1.f - p);
  const float to_unit = 2.3283064365386963e-10f;
  uchar4 m;
  m.x = (float)r.x * to_unit >= p;
  m.y = (float)r.y * to_unit >= p;
  m.z = (float)r.z * to_unit >= p;
  m.w = (float)r.w * to_unit >= p;
  float4 y;
  y.x = gelu(x.x + b.x) * (float)m.x * keep_scale;
  y.y = gelu(x.y + b.y) * (float)m.y * keep_scale;
  y.z = gelu(x.z + b.z) * (float)m.z * keep_scale;
  y.w = gelu(x.w + b.w) * (float)m.w * keep_scale;
  out[i] = y;
  mask[i] = m;
}
