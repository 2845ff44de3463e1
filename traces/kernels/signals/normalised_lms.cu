// Echo cancellation by the normalised least mean squares algorithm: S. Haykin, "Adaptive Filter Theory", 2002, chapter
// 6. A warp per channel; each lane has four of the 128 weights, and samples move from lane to lane.
#include <cuda_runtime.h>

#define TAPS 4
#define FULL 0xffffffffu

/// Errors, that is what remains of `microphone` when the echo of `loudspeaker` is taken away, and the weights at the
/// end.
extern "C" __global__ void __launch_bounds__(64)
    normalised_lms(const short* __restrict__ loudspeaker, const short* __restrict__ microphone,
                   float* __restrict__ errors, float4* __restrict__ weights, float rate, int length, int channels) {
  const int lane = threadIdx.x & 31, channel = blockIdx.x * 2 + (threadIdx.x >> 5);
  if (channel >= channels) return;
  const short* far = loudspeaker + (size_t)channel * length;
  const short* near = microphone + (size_t)channel * length;
  float w[TAPS] = {}, x[TAPS] = {};
  for (int from = 0; from < length; from += 32) {
    float far_here = 0.f, near_here = 0.f, mine = 0.f;
    if (from + lane < length) {
      far_here = far[from + lane] * (1.f / 32768.f);
      near_here = near[from + lane] * (1.f / 32768.f);
    }
    const int steps = min(32, length - from);
    for (int i = 0; i < steps; ++i) {
      float entering = __shfl_up_sync(FULL, x[TAPS - 1], 1);
      const float newest = __shfl_sync(FULL, far_here, i), desired = __shfl_sync(FULL, near_here, i);
      if (lane == 0) entering = newest;
#pragma unroll
      for (int k = TAPS - 1; k > 0; --k) x[k] = x[k - 1];
      x[0] = entering;
      float estimate = 0.f, power = 0.f;
#pragma unroll
      for (int k = 0; k < TAPS; ++k) {
        estimate = fmaf(w[k], x[k], estimate);
        power = fmaf(x[k], x[k], power);
      }
#pragma unroll
      for (int o = 16; o; o >>= 1) {
        estimate += __shfl_xor_sync(FULL, estimate, o);
        power += __shfl_xor_sync(FULL, power, o);
      }
      const float error = desired - estimate;
      const float factor = __fdividef(rate * error, power + 1e-2f);
#pragma unroll
      for (int k = 0; k < TAPS; ++k) w[k] = fmaf(factor, x[k], w[k]);
      if (i == lane) mine = error;
    }
    if (from + lane < length) errors[(size_t)channel * length + from + lane] = mine;
  }
  weights[channel * 32 + lane] = make_float4(w[0], w[1], w[2], w[3]);
}
