// Values and slopes of a cubic spline with unequal knots at many points: a binary search for the interval of each, then
// Horner's scheme with its four coefficients. A grid-stride loop.
#include "lockstep_cuda.cuh"

extern "C" __global__ void __launch_bounds__(320)
    spline_lookup(const float* __restrict__ knots, const float4* __restrict__ coefficients, int intervals,
                  const float* __restrict__ points, float2* __restrict__ values, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = points[i];
    int low = 0, high = intervals;
    while (high - low > 1) {
      const int middle = (low + high) >> 1;
      if (__ldg(knots + middle) <= x)
        low = middle;
      else
        high = middle;
    }
    const float4 c = __ldg(coefficients + low);
    const float d = x - __ldg(knots + low);
    values[i] = make_float2(fmaf(fmaf(fmaf(c.w, d, c.z), d, c.y), d, c.x), fmaf(fmaf(3 * c.w, d, 2 * c.z), d, c.y));
  }
}
