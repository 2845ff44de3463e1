// Cascaded integrator-comb decimation of many channels: E. B. Hogenauer, "An economical class of digital filters for
// decimation and interpolation", IEEE Trans. ASSP 29(2), 1981. Five stages, one sample in 32 remains. A thread per
// channel and stretch of time; integrators wrap, so that a stretch may begin anywhere, a few outputs before the first
// that counts.
#include <cuda_runtime.h>

#define STAGES 5
#define RATE 32

/// `outputs` results for each stretch and channel. Samples lie time by time; the first STAGES * RATE ones are history.
extern "C" __global__ void __launch_bounds__(128)
    cic_decimate(const short* __restrict__ samples, int* __restrict__ results, int channels, int outputs, int shift) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const int first = blockIdx.y * outputs;
  const short* in = samples + (size_t)first * RATE * channels + channel;
  int* out = results + (size_t)first * channels + channel;
  long long integrator[STAGES] = {}, comb[STAGES] = {};
  for (int n = -STAGES; n < outputs; ++n) {
#pragma unroll 8
    for (int i = 0; i < RATE; ++i) {
      integrator[0] += *in;
      in += channels;
#pragma unroll
      for (int s = 1; s < STAGES; ++s) integrator[s] += integrator[s - 1];
    }
    long long v = integrator[STAGES - 1];
#pragma unroll
    for (int s = 0; s < STAGES; ++s) {
      const long long before = comb[s];
      comb[s] = v;
      v -= before;
    }
    if (n >= 0) {
      *out = (int)((v + (1ll << (shift - 1))) >> shift);
      out += channels;
    }
  }
}
