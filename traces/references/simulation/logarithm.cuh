#pragma once

/// The natural logarithm of a positive normal number: of its power of two and of the rest by the series of the inverse hyperbolic
/// tangent.
static inline __device__ double logarithm(double x) {
  int power = 0;
  while (x > 1.4142135623730950488) x *= 0.5, ++power;
  while (x < 0.7071067811865475244) x *= 2, --power;
  const double ratio = (x - 1) / (x + 1), square = ratio * ratio;
  double sum = 0;
#pragma unroll
  for (int n = 21; n > 0; n -= 2) sum = sum * square + 1.0 / n;
  return power * 0x1.62e42fefa39efp-1 + 2 * ratio * sum;
}
