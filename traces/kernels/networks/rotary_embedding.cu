// Needs sm_80
// Rotary position embedding (NeoX layout: halves of a head are rotated together) of queries and keys in place, half precision,
// grouped-query attention. One block per token; cos and sin come from a table by position.
#include <cuda_fp16.h>

template <int HEAD>
__device__ __forceinline__ void rotate(__half* __restrict__ head, const __half* __restrict__ cache, int offset) {
  const float c = __half2float(__ldg(cache + offset));
  const float s = __half2float(__ldg(cache + HEAD / 2 + offset));
  const float x = __half2float(head[offset]);
  const float y = __half2float(head[HEAD / 2 + offset]);
  head[offset] = __float2half(x * c - y * s);
  head[HEAD / 2 + offset] = __float2half(y * c + x * s);
}

template <int HEAD>
__device__ __forceinline__ void rotary(const long long* positions, __half* q, __half* k, const __half* cache, int q_heads,
                                       int kv_heads) {
  const int token = blockIdx.x;
  const __half* row = cache + positions[token] * HEAD;
  const int nq = q_heads * (HEAD / 2);
  for (int i = threadIdx.x; i < nq; i += blockDim.x) {
    const int h = i / (HEAD / 2), o = i % (HEAD / 2);
    rotate<HEAD>(q + ((size_t)token * q_heads + h) * HEAD, row, o);
  }
  const int nk = kv_heads * (HEAD / 2);
  for (int i = threadIdx.x; i < nk; i += blockDim.x) {
    const int h = i / (HEAD / 2), o = i % (HEAD / 2);
    rotate<HEAD>(k + ((size_t)token * kv_heads + h) * HEAD, row, o);
  }
}

/// cache: [max_position][HEAD], first half cos, second half sin
extern "C" __global__ void make_cache(__half* __restrict__ cache, int positions, float base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= positions * 64) return;
  const int p = i / 64, j = i % 64;
  const float freq = powf(base, -(float)j / 64.f);
  float s, c;
  sincosf((float)p * freq, &s, &c);
  cache[p * 128 + j] = __float2half(c);
  cache[p * 128 + 64 + j] = __float2half(s);
}

/// Turns queries and keys of a token, heads of 128 elements.
extern "C" __global__ void rotary_embedding_128(const long long* __restrict__ positions, __half* __restrict__ query,
                                                __half* __restrict__ key, const __half* __restrict__ cache, int q_heads,
                                                int kv_heads) {
  rotary<128>(positions, query, key, cache, q_heads, kv_heads);
}
