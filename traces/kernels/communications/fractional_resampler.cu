// Resampling by any ratio with a windowed sinc function from a table, whose entries are interpolated: J. O. Smith and
// P. Gossett, "A flexible sampling-rate conversion method", ICASSP 1984. The time of a sample is a fixed-point number
// with 32 bits of fraction. The table is in shared memory.
#include <cuda_runtime.h>

#define CROSSINGS 8
#define PER_CROSSING 128
#define ENTRIES (CROSSINGS * PER_CROSSING + 2)

/// Samples of channel blockIdx.y at the times of a clock that advances by `step` for each.
extern "C" __global__ void __launch_bounds__(256)
    resample(const float* __restrict__ input, const float* __restrict__ table, float* __restrict__ output,
             unsigned long long step, int input_length, int output_length) {
  __shared__ float sinc[ENTRIES];
  for (int i = threadIdx.x; i < ENTRIES; i += 256) sinc[i] = table[i];
  __syncthreads();
  const float* x = input + (size_t)blockIdx.y * input_length;
  float* y = output + (size_t)blockIdx.y * output_length;
  for (int n = blockIdx.x * 256 + threadIdx.x; n < output_length; n += gridDim.x * 256) {
    const unsigned long long time = n * step;
    const int at = (int)(time >> 32) + CROSSINGS - 1;
    const unsigned fraction = (unsigned)time;
    float sum = 0.f;
    // left wing, back in time
    unsigned place = fraction >> 25;
    float part = (float)(fraction & 0x1ffffff) * (1.f / 33554432.f);
#pragma unroll
    for (int k = 0; k < CROSSINGS; ++k) {
      const float a = sinc[place + k * PER_CROSSING], b = sinc[place + k * PER_CROSSING + 1];
      sum = fmaf(x[at - k], fmaf(part, b - a, a), sum);
    }
    // right wing
    const unsigned rest = 0u - fraction;
    place = fraction ? rest >> 25 : PER_CROSSING;
    part = (float)(rest & 0x1ffffff) * (1.f / 33554432.f);
#pragma unroll
    for (int k = 0; k < CROSSINGS; ++k) {
      const float a = sinc[place + k * PER_CROSSING], b = sinc[place + k * PER_CROSSING + 1];
      sum = fmaf(x[at + 1 + k], fmaf(part, b - a, a), sum);
    }
    y[n] = sum;
  }
}
