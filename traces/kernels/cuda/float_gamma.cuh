#pragma once
// The gamma function of float and its logarithm.

/// The gamma function less Stirling's formula, as an exponent: a (mu(a)) by a^-2, for a of at least 3.
LOCKSTEP_DEVICE float lockstep_stirling(float reciprocal) {
  const float square = __fmul_rn(reciprocal, reciprocal);
  float p = fmaf(-0x1.045814p-11f, square, 0x1.9f672ep-11f);
  p = fmaf(p, square, -0x1.6c1c84p-9f);
  p = fmaf(p, square, 0x1.555556p-4f);
  return __fmul_rn(p, reciprocal);
}
/// log(gamma(a)) for positive finite a: a polynomial with the zeros at 1 and 2 taken out, Stirling's formula from 3 on.
LOCKSTEP_DEVICE float lockstep_lgamma(float a) {
  if (a >= 3.0f) {
    const float log = logf(a), rest = lockstep_stirling(__frcp_rn(a));
    // (a - 1/2) (log(a) - 1) + (log(2 pi) - 1) / 2 + rest.
    return fmaf(__fadd_rn(a, -0.5f), __fadd_rn(log, -1.0f), __fadd_rn(0x1.acfe38p-2f, rest));
  }
  // Below 1 by gamma(a) = gamma(a + 1) / a.
  const bool below = a < 1.0f;
  const float t = below ? a : __fadd_rn(a, -1.0f), v = __fadd_rn(t, -0.5f);
  float p = fmaf(-0x1.35ceaap-15f, v, 0x1.270bd6p-12f);
  p = fmaf(p, v, -0x1.f592d6p-11f);
  p = fmaf(p, v, 0x1.0a4f52p-9f);
  p = fmaf(p, v, -0x1.bd2202p-9f);
  p = fmaf(p, v, 0x1.6802acp-8f);
  p = fmaf(p, v, -0x1.33ca46p-7f);
  p = fmaf(p, v, 0x1.12f48ap-6f);
  p = fmaf(p, v, -0x1.007e2ap-5f);
  p = fmaf(p, v, 0x1.01b098p-4f);
  p = fmaf(p, v, -0x1.2aed04p-3f);
  p = fmaf(p, v, 0x1.eeb95ap-2f);
  const float product = __fmul_rn(__fmul_rn(t, __fadd_rn(t, -1.0f)), p);
  return below ? __fsub_rn(product, logf(a)) : __fadd_rn(product, 0.0f);
}
/// Left of 0 by reflection: gamma(-a) = -pi / (a sin(pi a) gamma(a)).
LOCKSTEP_DEVICE float lgammaf(float a) {
  if (isnan(a)) return a;
  const float size = fabsf(a);
  if (isinf(a) || (a <= 0.0f && truncf(a) == a)) return __builtin_inff();
  const float of_size = lockstep_lgamma(size);
  if (a > 0.0f) return of_size;
  if (size < 0x1p-20f) return -logf(size);
  return __fsub_rn(0x1.250d04p+0f, __fadd_rn(logf(fabsf(__fmul_rn(size, sinpif(size)))), of_size));
}
/// For a from 1 to 4: a polynomial around 1.5 and products.
LOCKSTEP_DEVICE float lockstep_small_gamma(float a) {
  const float steps = a < 2.0f ? 0.0f : a < 3.0f ? 1.0f : 2.0f;
  const float v = __fadd_rn(__fadd_rn(a, -steps), -1.5f);
  float p = fmaf(-0x1.8ff5d6p-6f, v, 0x1.1ad93p-5f);
  p = fmaf(p, v, -0x1.25f94ep-5f);
  p = fmaf(p, v, 0x1.cfb9dp-5f);
  p = fmaf(p, v, -0x1.3ea0bap-4f);
  p = fmaf(p, v, 0x1.289b36p-3f);
  p = fmaf(p, v, -0x1.b76c48p-4f);
  p = fmaf(p, v, 0x1.a8c36p-2f);
  p = fmaf(p, v, 0x1.08ea1cp-5f);
  p = fmaf(p, v, 0x1.c5bf8ap-1f);
  const float once = __fadd_rn(a, -1.0f), twice = __fadd_rn(a, -2.0f);
  return a < 2.0f ? p : a < 3.0f ? __fmul_rn(once, p) : __fmul_rn(__fmul_rn(once, twice), p);
}
/// gamma(a) factor for a of at least 4 by Stirling's formula, (a / e)^a sqrt(2 pi / a) e^mu, whose power is 2 to a pair.
LOCKSTEP_DEVICE float lockstep_large_gamma(float a, float factor) {
  const lockstep_pair_f log = lockstep_log2_pair(a);
  // a (log2(a) - log2(e)), and the rest of the exponent.
  const float less = __fadd_rn(log.high, -0x1.715476p+0f);
  const float less_low = __fadd_rn(__fadd_rn(__fadd_rn(log.high, -less), -0x1.715476p+0f), __fadd_rn(log.low, -0x1.4ae0cp-26f));
  const float product = __fmul_rn(a, less);
  const float low = fmaf(lockstep_stirling(__frcp_rn(a)), 0x1.715476p+0f, fmaf(a, less_low, fmaf(a, less, -product)));
  const float whole = rintf(product), power = lockstep_exp2(__fadd_rn(__fadd_rn(product, -whole), low));
  return lockstep_scaled(__fmul_rn(__fmul_rn(power, __fmul_rn(0x1.40d932p+1f, lockstep_rsqrt(a))), factor), __float2int_rn(whole));
}
LOCKSTEP_DEVICE float tgammaf(float a) {
  if (isnan(a) || a == __builtin_inff()) return a;
  if (a == 0.0f) return __frcp_rn(a);
  // Beyond 45 the result is infinite, or zero.
  const float size = fminf(fabsf(a), 45.0f);
  if (a < 0.0f) {
    if (truncf(a) == a) return __builtin_nanf("");
    // Left of 0 by reflection: gamma(-a) = -pi / (a sin(pi a) gamma(a)).
    const float sine = sinpif(a);
    if (size < 1.0f) return __fdiv_rn(0x1.921fb6p+1f, __fmul_rn(sine, lockstep_small_gamma(__fadd_rn(size, 1.0f))));
    const float gamma = size < 4.0f ? __fmul_rn(lockstep_small_gamma(size), 0x1p-60f) : lockstep_large_gamma(size, 0x1p-60f);
    return __fmul_rn(__fdiv_rn(0x1.921fb6p+1f, __fmul_rn(__fmul_rn(sine, size), gamma)), 0x1p-60f);
  }
  if (size < 1.0f) return __fdiv_rn(lockstep_small_gamma(__fadd_rn(size, 1.0f)), size);
  return size < 4.0f ? lockstep_small_gamma(size) : lockstep_large_gamma(size, 1.0f);
}
