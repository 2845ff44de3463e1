// Polyphase filter bank of a radio telescope: eight taps for each of 64 channels on complex 8-bit samples, then a 64-point
// Fourier transform in a warp by shuffles, two points per lane, and integration of power over time.
#include <cuda_runtime.h>

#define CHANNELS 64
#define TAPS 8

/// Weighted sums of eight samples of each channel; a thread keeps the coefficients of its channel and slides over time.
extern "C" __global__ void __launch_bounds__(128)
    pfb_fir(const char2* __restrict__ samples, const float* __restrict__ coefficients, float2* __restrict__ filtered,
            int spectra, int per_block) {
  const int channel = threadIdx.x % CHANNELS;
  const int first = (blockIdx.x * (blockDim.x / CHANNELS) + threadIdx.x / CHANNELS) * per_block;
  float c[TAPS];
  float2 x[TAPS];
#pragma unroll
  for (int t = 0; t < TAPS; ++t) c[t] = coefficients[t * CHANNELS + channel];
#pragma unroll
  for (int t = 0; t < TAPS - 1; ++t) {
    const char2 s = samples[(size_t)(first + t) * CHANNELS + channel];
    x[t] = make_float2(s.x, s.y);
  }
  for (int k = 0; k < per_block && first + k < spectra; ++k) {
    const char2 s = samples[(size_t)(first + k + TAPS - 1) * CHANNELS + channel];
    x[TAPS - 1] = make_float2(s.x, s.y);
    float re = 0.f, im = 0.f;
#pragma unroll
    for (int t = 0; t < TAPS; ++t) {
      re += c[t] * x[t].x;
      im += c[t] * x[t].y;
    }
    filtered[(size_t)(first + k) * CHANNELS + channel] = make_float2(re, im);
#pragma unroll
    for (int t = 0; t < TAPS - 1; ++t) x[t] = x[t + 1];
  }
}

/// Transforms of the spectra, their power added up over `integrate` of them, a warp for each sum.
extern "C" __global__ void __launch_bounds__(256)
    pfb_fft(const float2* __restrict__ filtered, float* __restrict__ power, int spectra, int integrate) {
  __shared__ float2 roots[CHANNELS / 2];
  if (threadIdx.x < CHANNELS / 2) {
    float s, c;
    sincospif(-(float)threadIdx.x / (CHANNELS / 2), &s, &c);
    roots[threadIdx.x] = make_float2(c, s);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int group = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int first = group * integrate;
  if (first >= spectra) return;
  float p0 = 0.f, p1 = 0.f;
  for (int k = first; k < min(first + integrate, spectra); ++k) {
    float2 a = filtered[(size_t)k * CHANNELS + lane], b = filtered[(size_t)k * CHANNELS + lane + 32];
    // First stage within the lane, the others between lanes; decimation in frequency
    {
      const float2 w = roots[lane];
      const float2 d = make_float2(a.x - b.x, a.y - b.y);
      a = make_float2(a.x + b.x, a.y + b.y);
      b = make_float2(d.x * w.x - d.y * w.y, d.x * w.y + d.y * w.x);
    }
#pragma unroll
    for (int half = 16; half > 0; half >>= 1) {
      const bool upper = lane & half;
      const float2 w = roots[(lane & (half - 1)) * (32 / half)];
      float2 oa, ob;
      oa.x = __shfl_xor_sync(0xffffffffu, a.x, half);
      oa.y = __shfl_xor_sync(0xffffffffu, a.y, half);
      ob.x = __shfl_xor_sync(0xffffffffu, b.x, half);
      ob.y = __shfl_xor_sync(0xffffffffu, b.y, half);
      if (upper) {
        const float2 da = make_float2(oa.x - a.x, oa.y - a.y), db = make_float2(ob.x - b.x, ob.y - b.y);
        a = make_float2(da.x * w.x - da.y * w.y, da.x * w.y + da.y * w.x);
        b = make_float2(db.x * w.x - db.y * w.y, db.x * w.y + db.y * w.x);
      } else {
        a = make_float2(a.x + oa.x, a.y + oa.y);
        b = make_float2(b.x + ob.x, b.y + ob.y);
      }
    }
    p0 += a.x * a.x + a.y * a.y;
    p1 += b.x * b.x + b.y * b.y;
  }
  const int reversed = __brev(lane) >> 27;
  power[(size_t)group * CHANNELS + 2 * reversed] = p0;
  power[(size_t)group * CHANNELS + 2 * reversed + 1] = p1;
}
