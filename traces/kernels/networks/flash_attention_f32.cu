// Forward attention with causal mask in tiles (Dao et al. 2022), float. A block of 128 threads owns 32 queries of a head; four
// neighbouring threads share a query: each of them computes 8 of the 32 scores of a tile and holds 16 of the 64 outputs.
#include <cuda_runtime.h>

#define BR 32
#define BC 32
#define D 64

/// Output of 32 queries for each block, and the logarithm of the sum of their weights.
extern "C" __global__ void __launch_bounds__(128)
    flash_attention_f32(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                        float* __restrict__ O, float* __restrict__ L, int seq, float scale) {
  __shared__ float Qs[BR][D + 1];
  __shared__ float Ks[BC][D + 1];
  __shared__ __align__(16) float Vs[BC][D];
  __shared__ float Ps[BR][BC + 1];

  const int head = blockIdx.y;
  const int q0 = blockIdx.x * BR;
  const size_t base = (size_t)head * seq * D;
  const int t = threadIdx.x;
  const int row = t / 4, part = t % 4;

  for (int i = t; i < BR * D / 4; i += 128) {
    const int r = i / (D / 4), c = (i % (D / 4)) * 4;
    const float4 v = *reinterpret_cast<const float4*>(Q + base + (size_t)(q0 + r) * D + c);
    Qs[r][c] = v.x * scale;
    Qs[r][c + 1] = v.y * scale;
    Qs[r][c + 2] = v.z * scale;
    Qs[r][c + 3] = v.w * scale;
  }

  float acc[D / 4];
#pragma unroll
  for (int j = 0; j < D / 4; ++j) acc[j] = 0.f;
  float m = -1e30f, l = 0.f;

  for (int k0 = 0; k0 <= q0; k0 += BC) {
    __syncthreads();
    for (int i = t; i < BC * D / 4; i += 128) {
      const int r = i / (D / 4), c = (i % (D / 4)) * 4;
      const float4 k = *reinterpret_cast<const float4*>(K + base + (size_t)(k0 + r) * D + c);
      Ks[r][c] = k.x;
      Ks[r][c + 1] = k.y;
      Ks[r][c + 2] = k.z;
      Ks[r][c + 3] = k.w;
      *reinterpret_cast<float4*>(&Vs[r][c]) = *reinterpret_cast<const float4*>(V + base + (size_t)(k0 + r) * D + c);
    }
    __syncthreads();

    float s[BC / 4];
#pragma unroll
    for (int j = 0; j < BC / 4; ++j) s[j] = 0.f;
#pragma unroll 8
    for (int d = 0; d < D; ++d) {
      const float q = Qs[row][d];
#pragma unroll
      for (int j = 0; j < BC / 4; ++j) s[j] += q * Ks[j * 4 + part][d];
    }
    float tile_max = -1e30f;
#pragma unroll
    for (int j = 0; j < BC / 4; ++j) {
      if (k0 + j * 4 + part > q0 + row) s[j] = -1e30f;
      tile_max = fmaxf(tile_max, s[j]);
    }
    tile_max = fmaxf(tile_max, __shfl_xor_sync(0xffffffffu, tile_max, 1));
    tile_max = fmaxf(tile_max, __shfl_xor_sync(0xffffffffu, tile_max, 2));
    const float m_new = fmaxf(m, tile_max);
    const float rescale = __expf(m - m_new);
    float tile_sum = 0.f;
#pragma unroll
    for (int j = 0; j < BC / 4; ++j) {
      const float p = __expf(s[j] - m_new);
      Ps[row][j * 4 + part] = p;
      tile_sum += p;
    }
    tile_sum += __shfl_xor_sync(0xffffffffu, tile_sum, 1);
    tile_sum += __shfl_xor_sync(0xffffffffu, tile_sum, 2);
    l = l * rescale + tile_sum;
    m = m_new;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < D / 4; ++j) acc[j] *= rescale;
#pragma unroll 4
    for (int c = 0; c < BC; ++c) {
      const float p = Ps[row][c];
#pragma unroll
      for (int j = 0; j < D / 16; ++j) {
        const float4 v = *reinterpret_cast<const float4*>(&Vs[c][j * 16 + part * 4]);
        acc[4 * j] += p * v.x;
        acc[4 * j + 1] += p * v.y;
        acc[4 * j + 2] += p * v.z;
        acc[4 * j + 3] += p * v.w;
      }
    }
  }

  const float inv = 1.f / l;
  float* out = O + base + (size_t)(q0 + row) * D;
#pragma unroll
  for (int j = 0; j < D / 16; ++j)
    *reinterpret_cast<float4*>(out + j * 16 + part * 4) =
        make_float4(acc[4 * j] * inv, acc[4 * j + 1] * inv, acc[4 * j + 2] * inv, acc[4 * j + 3] * inv);
  if (part == 0) L[(size_t)head * seq + q0 + row] = m + __logf(l);
}
