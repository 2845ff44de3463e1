// Spectrogram: windowed frames of 512 samples, Fourier transforms of radix 8 in registers with exchanges through shared
// memory, and power in decibels. 64 threads per frame with eight points each, two frames per block.
#include <cuda_runtime.h>

#define N 512
#define FRAMES 2

__device__ __forceinline__ float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ __forceinline__ float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ __forceinline__ float2 mul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 minus_i(float2 a) {
  return make_float2(a.y, -a.x);
}

__device__ __forceinline__ void fft2(float2& a, float2& b) {
  const float2 t = a;
  a = t + b;
  b = t - b;
}
__device__ __forceinline__ void fft4(float2& a, float2& b, float2& c, float2& d) {
  fft2(a, c);
  fft2(b, d);
  d = minus_i(d);
  fft2(a, b);
  fft2(c, d);
  const float2 t = b;
  b = c;
  c = t;
}
// In natural order in and out.
__device__ __forceinline__ void fft8(float2 v[8]) {
  float2 e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6], o0 = v[1], o1 = v[3], o2 = v[5], o3 = v[7];
  fft4(e0, e1, e2, e3);
  fft4(o0, o1, o2, o3);
  const float r = 0.70710678f;
  o1 = make_float2(r * (o1.x + o1.y), r * (o1.y - o1.x));
  o2 = minus_i(o2);
  o3 = make_float2(r * (o3.y - o3.x), -r * (o3.x + o3.y));
  v[0] = e0 + o0;
  v[1] = e1 + o1;
  v[2] = e2 + o2;
  v[3] = e3 + o3;
  v[4] = e0 - o0;
  v[5] = e1 - o1;
  v[6] = e2 - o2;
  v[7] = e3 - o3;
}
__device__ __forceinline__ void twiddle(float2 v[8], float angle) {
  float s, c;
  __sincosf(angle, &s, &c);
  const float2 w = make_float2(c, s);
  float2 p = w;
#pragma unroll
  for (int k = 1; k < 8; ++k) {
    v[k] = mul(v[k], p);
    p = mul(p, w);
  }
}

/// Decibels of bins 0 to 256 of each frame.
extern "C" __global__ void __launch_bounds__(64 * FRAMES)
    stft_power(const float* __restrict__ signal, const float* __restrict__ window, float* __restrict__ power,
               int frames, int hop) {
  __shared__ float2 exchange[FRAMES][N + N / 8];
  const int t = threadIdx.x;
  const int frame = blockIdx.x * FRAMES + threadIdx.y;
  const int clamped = min(frame, frames - 1);
  const float* x = signal + (size_t)clamped * hop;
  float2* s = exchange[threadIdx.y];
  float2 v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = make_float2(x[t + 64 * k] * __ldg(&window[t + 64 * k]), 0.f);

  fft8(v);
  twiddle(v, -6.2831853f / 512.f * t);
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k * 72 + t + (t >> 3)] = v[k];
  __syncthreads();
  // t = 8 block + low; points at distance 8 within a block of 64
  const int block = t >> 3, low = t & 7;
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = s[block * 72 + k * 9 + low];
  fft8(v);
  twiddle(v, -6.2831853f / 64.f * low);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) s[block * 72 + k * 9 + low] = v[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = s[block * 72 + low * 9 + k];
  fft8(v);
  if (frame >= frames) return;
  float* out = power + (size_t)frame * (N / 2 + 1);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int bin = block + 8 * low + 64 * k;
    if (bin <= N / 2) out[bin] = 10.f * log10f(v[k].x * v[k].x + v[k].y * v[k].y + 1e-10f);
  }
}
