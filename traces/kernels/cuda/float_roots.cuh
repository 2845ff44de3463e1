#pragma once
// Cube roots and norms of float.

/// Newton's iteration from the special function unit's logarithm and power, its residual in pairs of floats.
LOCKSTEP_DEVICE float cbrtf(float a) {
  const float size = fabsf(a);
  const bool tiny = size < 0x1p-120f;
  const float scaled = tiny ? __fmul_rn(size, 0x1p72f) : size;
  const float y = __exp2f(__fmul_rn(__log2f(scaled), 0x1.555556p-2f));
  const float square = __fmul_rn(y, y), square_low = fmaf(y, y, -square);
  const float residual = fmaf(-square_low, y, fmaf(-square, y, scaled));
  const float root = fmaf(residual, __fdividef(0x1.555556p-2f, square), y);
  const float result = copysignf(tiny ? __fmul_rn(root, 0x1p-24f) : root, a);
  return a == 0.0f || !isfinite(a) ? __fadd_rn(a, a) : result;
}
LOCKSTEP_DEVICE float rcbrtf(float a) {
  const float size = fabsf(a);
  const bool tiny = size < 0x1p-120f;
  const float scaled = tiny ? __fmul_rn(size, 0x1p72f) : size;
  const float y = __exp2f(__fmul_rn(__log2f(scaled), -0x1.555556p-2f));
  const float square = __fmul_rn(y, y), square_low = fmaf(y, y, -square);
  // 1 - a y^3, with a y rounded and its rest.
  const float product = __fmul_rn(scaled, y), product_low = fmaf(scaled, y, -product);
  const float residual = fmaf(-product_low, square, fmaf(-product, square_low, fmaf(-product, square, 1.0f)));
  const float root = fmaf(__fmul_rn(y, 0x1.555556p-2f), residual, y);
  const float result = copysignf(tiny ? __fmul_rn(root, 0x1p24f) : root, a);
  return a == 0.0f || !isfinite(a) ? __frcp_rn(a) : result;
}

/// Powers of two by which numbers up to `largest` are scaled to about 1, and back.
struct lockstep_scale_f {
  float down, up;
};
LOCKSTEP_DEVICE lockstep_scale_f lockstep_scale(float largest) {
  const int field = min(max(__float_as_int(largest) >> 23, 1), 253);
  return {__int_as_float((254 - field) << 23), __int_as_float(field << 23)};
}
#define LOCKSTEP_NORM(name, largest, any_infinite, sum, ...)                                             \
  LOCKSTEP_DEVICE float name(__VA_ARGS__) {                                                              \
    const lockstep_scale_f scale = lockstep_scale(largest);                                              \
    return any_infinite ? __builtin_inff() : __fmul_rn(sqrtf(sum), scale.up);                            \
  }                                                                                                      \
  LOCKSTEP_DEVICE float r##name(__VA_ARGS__) {                                                           \
    const lockstep_scale_f scale = lockstep_scale(largest);                                              \
    return any_infinite ? 0.0f : __fmul_rn(lockstep_rsqrt(sum), scale.down);                                     \
  }
LOCKSTEP_DEVICE float lockstep_squares(float down, float a, float b, float c, float d) {
  const float x = __fmul_rn(a, down), y = __fmul_rn(b, down), z = __fmul_rn(c, down), w = __fmul_rn(d, down);
  return fmaf(x, x, fmaf(y, y, fmaf(z, z, __fmul_rn(w, w))));
}
LOCKSTEP_NORM(hypotf, fmaxf(fabsf(a), fabsf(b)), (isinf(a) || isinf(b)),
              lockstep_squares(scale.down, a, b, 0.0f, 0.0f), float a, float b)
LOCKSTEP_NORM(norm3df, fmaxf(fmaxf(fabsf(a), fabsf(b)), fabsf(c)), (isinf(a) || isinf(b) || isinf(c)),
              lockstep_squares(scale.down, a, b, c, 0.0f), float a, float b, float c)
LOCKSTEP_NORM(norm4df, fmaxf(fmaxf(fabsf(a), fabsf(b)), fmaxf(fabsf(c), fabsf(d))),
              (isinf(a) || isinf(b) || isinf(c) || isinf(d)), lockstep_squares(scale.down, a, b, c, d), float a, float b,
              float c, float d)
#undef LOCKSTEP_NORM
