// Coordinates on the transverse Mercator projection of an ellipsoid, by Krueger's series of the third flattening in
// double precision, summed by Clenshaw's recurrence (Karney, 2011, sections 2 and 3).
#include <cuda_runtime.h>

#define ORDER 6

/// Coefficients of the series, the radius of the rectifying sphere times the scale, and the eccentricity of the
/// ellipsoid.
struct Projection {
  double alpha[ORDER];
  double radius;
  double eccentricity;
};

/// Easting and northing from longitude (from the central meridian) and latitude, in radians. A thread per point.
extern "C" __global__ void __launch_bounds__(128)
    transverse_mercator(const double2* __restrict__ places, double2* __restrict__ projected, Projection projection,
                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double2 place = places[i];
  double sine_longitude, cosine_longitude;
  sincos(place.x, &sine_longitude, &cosine_longitude);

  // The tangent of the conformal latitude.
  const double e = projection.eccentricity;
  const double tau = tan(place.y);
  const double sigma = sinh(e * atanh(e * tau / sqrt(1.0 + tau * tau)));
  const double conformal = tau * sqrt(1.0 + sigma * sigma) - sigma * sqrt(1.0 + tau * tau);

  // On the sphere.
  const double xi = atan2(conformal, cosine_longitude);
  const double eta = asinh(sine_longitude / sqrt(conformal * conformal + cosine_longitude * cosine_longitude));

  // Sum of alpha[j] sin(2 j z) with z = xi + i eta.
  double sine, cosine;
  sincos(2.0 * xi, &sine, &cosine);
  const double s = sinh(2.0 * eta), c = cosh(2.0 * eta);
  const double twice_real = 2.0 * cosine * c, twice_imaginary = -2.0 * sine * s;
  double real = 0.0, imaginary = 0.0, real_before = 0.0, imaginary_before = 0.0;
#pragma unroll
  for (int j = ORDER - 1; j >= 0; --j) {
    const double r = twice_real * real - twice_imaginary * imaginary - real_before + projection.alpha[j];
    const double m = twice_real * imaginary + twice_imaginary * real - imaginary_before;
    real_before = real;
    imaginary_before = imaginary;
    real = r;
    imaginary = m;
  }
  const double sine_real = sine * c, sine_imaginary = cosine * s;
  const double north = xi + sine_real * real - sine_imaginary * imaginary;
  const double east = eta + sine_real * imaginary + sine_imaginary * real;
  projected[i] = make_double2(projection.radius * east, projection.radius * north);
}
