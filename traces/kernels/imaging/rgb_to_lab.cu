// From sRGB (IEC 61966-2-1) to CIE L*a*b* for the white of D65: four pixels per thread, read as bytes side by side from three
// planes, written as four floats to each of three planes.
#include "lockstep_cuda.cuh"

__device__ __forceinline__ float linear(unsigned char level) {
  const float value = level / 255.0f;
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

__device__ __forceinline__ float lightness_curve(float t) {
  return t > 216.0f / 24389 ? cbrtf(t) : (24389.0f / 27 * t + 16) / 116;
}

__device__ __forceinline__ float3 lab(unsigned char red, unsigned char green, unsigned char blue) {
  const float r = linear(red), g = linear(green), b = linear(blue);
  const float x = lightness_curve((0.4124564f * r + 0.3575761f * g + 0.1804375f * b) / 0.95047f);
  const float y = lightness_curve(0.2126729f * r + 0.7151522f * g + 0.0721750f * b);
  const float z = lightness_curve((0.0193339f * r + 0.1191920f * g + 0.9503041f * b) / 1.08883f);
  return make_float3(116 * y - 16, 500 * (x - y), 200 * (y - z));
}

extern "C" __global__ void rgb_to_lab(const uchar4* __restrict__ planes, float4* __restrict__ output, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const uchar4 red = planes[i], green = planes[quads + i], blue = planes[2 * quads + i];
  const float3 p = lab(red.x, green.x, blue.x), q = lab(red.y, green.y, blue.y);
  const float3 r = lab(red.z, green.z, blue.z), s = lab(red.w, green.w, blue.w);
  output[i] = make_float4(p.x, q.x, r.x, s.x);
  output[quads + i] = make_float4(p.y, q.y, r.y, s.y);
  output[2 * quads + i] = make_float4(p.z, q.z, r.z, s.z);
}
