#pragma once
// Roots and norms of double.

/// A step of third order from the approximation of 20 bits, its residual 1 - (a + low) y^2 in pairs. Of normal numbers.
LOCKSTEP_DEVICE double lockstep_rsqrt(double a, double low = 0.0) {
  const double y = __nvvm_rsqrt_approx_d(a), product = __dmul_rn(a, y), product_low = fma(a, y, -product);
  const double residual = fma(-fma(low, y, product_low), y, fma(-product, y, 1.0));
  const double more = fma(fma(0.3125, residual, 0.375), __dmul_rn(residual, residual), __dmul_rn(0.5, residual));
  return a > 0.0 && a < __builtin_inf() ? fma(y, more, y) : y;
}
LOCKSTEP_DEVICE double rsqrt(double a) {
  const bool tiny = fabs(a) < 0x1p-1000;
  return __dmul_rn(lockstep_rsqrt(__dmul_rn(a, tiny ? 0x1p100 : 1.0)), tiny ? 0x1p50 : 1.0);
}
/// a^(-1/3) to 45 bits, for a from 1/2 to 4: the special function unit's, and a step of Newton.
LOCKSTEP_DEVICE double lockstep_rcbrt_near(double a) {
  const double y = __exp2f(-0x1.555556p-2f * __log2f(__double2float_rn(a)));
  const double residual = fma(-a, __dmul_rn(__dmul_rn(y, y), y), 1.0);
  return fma(__dmul_rn(y, 0x1.5555555555555p-2), residual, y);
}
/// A positive number as a 2^(3 third), a from 1/2 to 4.
struct lockstep_thirds {
  double a;
  int third;
};
LOCKSTEP_DEVICE lockstep_thirds lockstep_split_thirds(double a) {
  const lockstep_scaled_d parts = lockstep_split(a);
  const int third = __double2int_rn(floor(__dmul_rn(__int2double_rn(parts.power) + 0.5, 0x1.5555555555555p-2)));
  return {__dmul_rn(parts.mantissa, __hiloint2double((parts.power - 3 * third + 1023) << 20, 0)), third};
}
LOCKSTEP_DEVICE double cbrt(double a) {
  const lockstep_thirds parts = lockstep_split_thirds(fabs(a));
  const double inverse = lockstep_rcbrt_near(parts.a), y = __dmul_rn(parts.a, __dmul_rn(inverse, inverse));
  const double square = __dmul_rn(y, y), square_low = fma(y, y, -square);
  const double residual = fma(-square_low, y, fma(-square, y, parts.a));
  const double root = fma(residual, __dmul_rn(__dmul_rn(inverse, inverse), 0x1.5555555555555p-2), y);
  const double result = copysign(lockstep_scaled(root, parts.third), a);
  return a == 0.0 || !isfinite(a) ? __dadd_rn(a, a) : result;
}
LOCKSTEP_DEVICE double rcbrt(double a) {
  const lockstep_thirds parts = lockstep_split_thirds(fabs(a));
  const double y = lockstep_rcbrt_near(parts.a), square = __dmul_rn(y, y), square_low = fma(y, y, -square);
  const double product = __dmul_rn(parts.a, y), product_low = fma(parts.a, y, -product);
  const double residual = fma(-product_low, square, fma(-product, square_low, fma(-product, square, 1.0)));
  const double root = fma(__dmul_rn(y, 0x1.5555555555555p-2), residual, y);
  const double result = copysign(lockstep_scaled(root, -parts.third), a);
  return a == 0.0 || !isfinite(a) ? __drcp_rn(a) : result;
}

/// Powers of two by which numbers up to `largest` are scaled to about 1, and back.
struct lockstep_scale_d {
  double down, up;
};
LOCKSTEP_DEVICE lockstep_scale_d lockstep_scale(double largest) {
  const int field = min(max(__double2hiint(largest) >> 20, 1), 2045);
  return {__hiloint2double((2046 - field) << 20, 0), __hiloint2double(field << 20, 0)};
}
/// A sum of squares as a pair.
LOCKSTEP_DEVICE lockstep_pair_d lockstep_squares(double down, double a, double b, double c, double d) {
  const double x = __dmul_rn(a, down), y = __dmul_rn(b, down), z = __dmul_rn(c, down), w = __dmul_rn(d, down);
  const double sum = fma(x, x, fma(y, y, fma(z, z, __dmul_rn(w, w))));
  // What the sum lacks: all terms but for it cancel almost.
  const double xx = __dmul_rn(x, x), yy = __dmul_rn(y, y), zz = __dmul_rn(z, z), ww = __dmul_rn(w, w);
  const double large = fmax(xx, yy), small = fmin(xx, yy), larger = fmax(zz, ww), smaller = fmin(zz, ww);
  const double lows = __dadd_rn(fma(x, x, -xx), fma(y, y, -yy)) + __dadd_rn(fma(z, z, -zz), fma(w, w, -ww));
  const double first = fmax(large, larger), second = fmin(large, larger);
  return {sum, __dadd_rn(__dadd_rn(__dadd_rn(first, -sum), second), __dadd_rn(__dadd_rn(small, smaller), lows))};
}
#define LOCKSTEP_NORM(name, largest, any_infinite, sum, ...)                                             \
  LOCKSTEP_DEVICE double name(__VA_ARGS__) {                                                             \
    const lockstep_scale_d scale = lockstep_scale(largest);                                              \
    return any_infinite ? __builtin_inf() : __dmul_rn(sqrt(sum.high), scale.up);                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE double r##name(__VA_ARGS__) {                                                          \
    const lockstep_scale_d scale = lockstep_scale(largest);                                              \
    const lockstep_pair_d squares = sum;                                                                 \
    return any_infinite ? 0.0 : __dmul_rn(lockstep_rsqrt(squares.high, squares.low), scale.down);        \
  }
LOCKSTEP_NORM(hypot, fmax(fabs(a), fabs(b)), (isinf(a) || isinf(b)), lockstep_squares(scale.down, a, b, 0.0, 0.0),
              double a, double b)
LOCKSTEP_NORM(norm3d, fmax(fmax(fabs(a), fabs(b)), fabs(c)), (isinf(a) || isinf(b) || isinf(c)),
              lockstep_squares(scale.down, a, b, c, 0.0), double a, double b, double c)
LOCKSTEP_NORM(norm4d, fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d))),
              (isinf(a) || isinf(b) || isinf(c) || isinf(d)), lockstep_squares(scale.down, a, b, c, d), double a, double b,
              double c, double d)
#undef LOCKSTEP_NORM
