// Softmax over the vocabulary of a language model's logits, one block per row, with the one-pass running maximum and running
// sum (Milakov and Gimelshein 2018), then a second pass that writes the probabilities. Temperature is applied on the fly.
#include <cuda_runtime.h>
#include <math_constants.h>

struct __align__(8) MaxSum {
  float m;
  float d;
};

__device__ __forceinline__ MaxSum combine(MaxSum a, MaxSum b) {
  const bool a_bigger = a.m > b.m;
  const MaxSum big = a_bigger ? a : b;
  const MaxSum small = a_bigger ? b : a;
  MaxSum r;
  r.m = big.m;
  r.d = big.d + small.d * __expf(small.m - big.m);
  return r;
}

template <int THREADS>
__device__ __forceinline__ void softmax_row(const float* __restrict__ x, float* __restrict__ y, int n, float inv_temperature) {
  constexpr int WARPS = THREADS / 32;
  __shared__ MaxSum partial[WARPS];
  __shared__ MaxSum total;

  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  const int n4 = n >> 2;

  MaxSum run = {-CUDART_INF_F, 0.f};
  for (int i = threadIdx.x; i < n4; i += THREADS) {
    float4 v = x4[i];
    v.x *= inv_temperature;
    v.y *= inv_temperature;
    v.z *= inv_temperature;
    v.w *= inv_temperature;
    const float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    const float m_new = fmaxf(run.m, m);
    run.d = run.d * __expf(run.m - m_new) + __expf(v.x - m_new) + __expf(v.y - m_new) + __expf(v.z - m_new) +
            __expf(v.w - m_new);
    run.m = m_new;
  }

#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    MaxSum other;
    other.m = __shfl_xor_sync(0xffffffffu, run.m, o);
    other.d = __shfl_xor_sync(0xffffffffu, run.d, o);
    run = combine(run, other);
  }
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = run;
  __syncthreads();
  if (warp == 0) {
    MaxSum r = lane < WARPS ? partial[lane] : MaxSum{-1e30f, 0.f};
#pragma unroll
    for (int o = WARPS / 2; o > 0; o >>= 1) {
      MaxSum other;
      other.m = __shfl_xor_sync(0xffffffffu, r.m, o);
      other.d = __shfl_xor_sync(0xffffffffu, r.d, o);
      r = combine(r, other);
    }
    if (lane == 0) total = r;
  }
  __syncthreads();

  const float m = total.m;
  const float inv = __fdividef(1.f, total.d);
  for (int i = threadIdx.x; i < n4; i += THREADS) {
    float4 v = x4[i];
    v.x = __expf(v.x * inv_temperature - m) * inv;
    v.y = __expf(v.y * inv_temperature - m) * inv;
    v.z = __expf(v.z * inv_temperature - m) * inv;
    v.w = __expf(v.w * inv_temperature - m) * inv;
    y4[i] = v;
  }
}

/// A row for each block of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    softmax_online_256(const float* __restrict__ logits, float* __restrict__ probs, int vocab, float inv_temperature) {
  const size_t row = blockIdx.x;
  softmax_row<256>(logits + row * vocab, probs + row * vocab, vocab, inv_temperature);
}
