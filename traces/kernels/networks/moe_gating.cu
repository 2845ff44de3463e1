// Routing of tokens to experts: softmax over 64 experts and the best two for each token (a warp per token), prefix sum of the
// counts per expert, and the permutation of tokens by expert.
#include <cuda_runtime.h>

#define EXPERTS 64

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__device__ __forceinline__ void warp_argmax(float& v, int& i) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    const float ov = __shfl_xor_sync(0xffffffffu, v, o);
    const int oi = __shfl_xor_sync(0xffffffffu, i, o);
    if (ov > v || (ov == v && oi < i)) {
      v = ov;
      i = oi;
    }
  }
}

/// The best two experts of each token, their weights, and how many tokens each expert gets.
extern "C" __global__ void top2_gating(const float* __restrict__ logits, float2* __restrict__ weights, int2* __restrict__ experts,
                                       int* __restrict__ counts, int tokens) {
  __shared__ int local[EXPERTS];
  if (threadIdx.x < EXPERTS) local[threadIdx.x] = 0;
  __syncthreads();
  const int token = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  const int lane = threadIdx.x & 31;
  if (token < tokens) {
    float a = logits[token * EXPERTS + lane], b = logits[token * EXPERTS + 32 + lane];
    const float m = warp_max(fmaxf(a, b));
    a = __expf(a - m);
    b = __expf(b - m);
    const float inv = 1.f / warp_sum(a + b);
    float v1 = a >= b ? a : b;
    int i1 = a >= b ? lane : lane + 32;
    warp_argmax(v1, i1);
    if (i1 == lane) a = -1.f;
    if (i1 == lane + 32) b = -1.f;
    float v2 = a >= b ? a : b;
    int i2 = a >= b ? lane : lane + 32;
    warp_argmax(v2, i2);
    if (lane == 0) {
      const float p1 = v1 * inv, p2 = v2 * inv, n = 1.f / (p1 + p2);
      weights[token] = make_float2(p1 * n, p2 * n);
      experts[token] = make_int2(i1, i2);
      atomicAdd(&local[i1], 1);
      atomicAdd(&local[i2], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x < EXPERTS && local[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

/// Where the tokens of each expert begin. One block.
extern "C" __global__ void expert_offsets(const int* __restrict__ counts, int* __restrict__ offsets, int* __restrict__ cursor) {
  __shared__ int s[EXPERTS];
  const int t = threadIdx.x;
  s[t] = counts[t];
  __syncthreads();
  for (int d = 1; d < EXPERTS; d <<= 1) {
    const int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  offsets[t + 1] = s[t];
  cursor[t] = s[t] - counts[t];
  if (t == 0) offsets[0] = 0;
}

/// Gives each token a place at both of its experts.
extern "C" __global__ void permute_tokens(const int2* __restrict__ experts, int* __restrict__ cursor, int* __restrict__ slot_token,
                                          int2* __restrict__ token_slot, int tokens) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  const int2 e = experts[t];
  const int s0 = atomicAdd(&cursor[e.x], 1);
  const int s1 = atomicAdd(&cursor[e.y], 1);
  slot_token[s0] = t;
  slot_token[s1] = t;
  token_slot[t] = make_int2(s0, s1);
}

/// Rows of 256 floats go to the place of their expert, one block per slot.
extern "C" __global__ void gather_rows(const float4* __restrict__ hidden, const int* __restrict__ slot_token,
                                       float4* __restrict__ grouped) {
  const int token = slot_token[blockIdx.x];
  grouped[blockIdx.x * 64 + threadIdx.x] = hidden[token * 64 + threadIdx.x];
}
