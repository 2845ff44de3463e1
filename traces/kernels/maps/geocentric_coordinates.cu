// Geocentric coordinates of places on an ellipsoid from longitude, latitude and height (Bowring, 1976, equations 1 to
// 3), four places per thread, in arrays of components.
#include <cuda_runtime.h>

__device__ __forceinline__ void place(float longitude, float latitude, float height, float radius, float square,
                                      float& x, float& y, float& z) {
  float sine, cosine, sine_longitude, cosine_longitude;
  sincosf(latitude, &sine, &cosine);
  sincosf(longitude, &sine_longitude, &cosine_longitude);
  const float across = radius * rsqrtf(1.f - square * sine * sine);
  x = (across + height) * cosine * cosine_longitude;
  y = (across + height) * cosine * sine_longitude;
  z = (across * (1.f - square) + height) * sine;
}

/// Angles in radians; `square` is that of the eccentricity. A thread for four places.
extern "C" __global__ void __launch_bounds__(256)
    geocentric_coordinates(const float4* __restrict__ longitudes, const float4* __restrict__ latitudes,
                           const float4* __restrict__ heights, float4* __restrict__ x, float4* __restrict__ y,
                           float4* __restrict__ z, float radius, float square, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 longitude = longitudes[i], latitude = latitudes[i], height = heights[i];
  float4 a, b, c;
  place(longitude.x, latitude.x, height.x, radius, square, a.x, b.x, c.x);
  place(longitude.y, latitude.y, height.y, radius, square, a.y, b.y, c.y);
  place(longitude.z, latitude.z, height.z, radius, square, a.z, b.z, c.z);
  place(longitude.w, latitude.w, height.w, radius, square, a.w, b.w, c.w);
  x[i] = a;
  y[i] = b;
  z[i] = c;
}
