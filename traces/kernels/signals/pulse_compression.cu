// Pulse compression of radar echoes: correlation with a transmitted chirp, in the time domain. M. A. Richards,
// "Fundamentals of Radar Signal Processing", 2005, chapter 4. Eight results per thread, whose samples move through
// registers; samples of a block in padded shared memory, the chirp in constant memory.
#include <cuda_runtime.h>

#define TAPS 128
#define EACH 8
#define THREADS 128
#define SPAN (THREADS * EACH + TAPS)

__constant__ float2 chirp[TAPS];

__device__ __forceinline__ int padded(int i) {
  return i + i / EACH;
}

/// Correlations of a pulse blockIdx.y at each range, where a target's echo begins.
extern "C" __global__ void __launch_bounds__(THREADS)
    compress_pulses(const float2* __restrict__ echoes, float2* __restrict__ profiles, int samples) {
  __shared__ float2 x[SPAN + SPAN / EACH + 1];
  const int t = threadIdx.x, first = blockIdx.x * THREADS * EACH;
  const float2* in = echoes + (size_t)blockIdx.y * samples;
  for (int i = t; i < SPAN; i += THREADS) x[padded(i)] = first + i < samples ? in[first + i] : make_float2(0.f, 0.f);
  __syncthreads();
  float2 sum[EACH], window[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    sum[k] = make_float2(0.f, 0.f);
    window[k] = x[padded(t * EACH + k)];
  }
  for (int n = 0; n < TAPS; n += EACH) {
#pragma unroll
    for (int j = 0; j < EACH; ++j) {
      const float2 c = chirp[n + j];
#pragma unroll
      for (int k = 0; k < EACH; ++k) {
        const float2 v = window[(j + k) % EACH];
        sum[k].x = fmaf(v.x, c.x, sum[k].x);
        sum[k].x = fmaf(v.y, c.y, sum[k].x);
        sum[k].y = fmaf(v.y, c.x, sum[k].y);
        sum[k].y = fmaf(-v.x, c.y, sum[k].y);
      }
      window[j] = x[padded(t * EACH + n + EACH + j)];
    }
  }
  float4* out = (float4*)(profiles + (size_t)blockIdx.y * samples + first + t * EACH);
#pragma unroll
  for (int k = 0; k < EACH; k += 2)
    if (first + t * EACH + k + 1 < samples) out[k / 2] = make_float4(sum[k].x, sum[k].y, sum[k + 1].x, sum[k + 1].y);
}
