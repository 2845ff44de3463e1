#pragma once
// The polar form of a line: distance = x cosine + y sine, with `angles` angles from 0 to 180 degrees, both included.

/// Cosine and sine of an angle, times `scale`.
static __device__ __forceinline__ float2 direction_of(unsigned int angle, unsigned int angles, float scale) {
  float sine, cosine;
  sincosf((float)angle * (3.14159265f / (float)(angles - 1)), &sine, &cosine);
  return make_float2(cosine * scale, sine * scale);
}

/// The bin of the lines through a pixel in this direction. origin: the bin of distance 0, such that no sum is negative.
static __device__ __forceinline__ int bin_of(float x, float y, float2 direction, float origin) {
  return __float2int_rz(fmaf(x, direction.x, fmaf(y, direction.y, origin)));
}
