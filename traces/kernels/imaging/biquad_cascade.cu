// An equaliser of many audio channels: a cascade of four filters of second order in transposed direct form II, a thread per
// channel from the first sample to the last; samples of 16 bits, those of all channels side by side.
#include "lockstep_cuda.cuh"

#define SECTIONS 4

struct Section {
  float b0, b1, b2, a1, a2;
};

struct Equaliser {
  Section sections[SECTIONS];
};

extern "C" __global__ void biquad_cascade(const short* __restrict__ input, short* __restrict__ output, int channels,
                                          int samples, Equaliser equaliser) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float s1[SECTIONS] = {}, s2[SECTIONS] = {};
  for (int t = 0; t < samples; ++t) {
    float value = input[t * channels + channel];
#pragma unroll
    for (int k = 0; k < SECTIONS; ++k) {
      const Section& c = equaliser.sections[k];
      const float result = fmaf(c.b0, value, s1[k]);
      s1[k] = fmaf(c.b1, value, fmaf(-c.a1, result, s2[k]));
      s2[k] = fmaf(c.b2, value, -c.a2 * result);
      value = result;
    }
    output[t * channels + channel] = (short)min(max(__float2int_rn(value), -32768), 32767);
  }
}
