#pragma once
// Exponentials, logarithms, powers and hyperbolic functions of float. Polynomials are minimax fits (Lawson's iteration in
// multiple precision, each coefficient rounded before the later ones are fitted again).

// ---- exponentials ---------------------------------------------------------------------------------------------------

/// 2^power a, rounded once; |power| up to 250.
LOCKSTEP_DEVICE float lockstep_scaled(float a, int power) {
  const int half = power >> 1;
  return __fmul_rn(__fmul_rn(a, __int_as_float((half + 127) << 23)), __int_as_float((power - half + 127) << 23));
}

/// 2^a for |a| up to 1/2, by a polynomial: the special function unit is off by up to 2 units in the last place.
LOCKSTEP_DEVICE float lockstep_exp2(float a) {
  float p = fmaf(0x1.4189300p-13f, a, 0x1.5f108c0p-10f);
  p = fmaf(p, a, 0x1.3b2dcc0p-7f);
  p = fmaf(p, a, 0x1.c6af700p-5f);
  p = fmaf(p, a, 0x1.ebfbdc0p-3f);
  p = fmaf(p, a, 0x1.62e4300p-1f);
  return fmaf(p, a, 1.0f);
}
/// b^a for log2(b) = high + low, both positive. Cody and Waite, "Software Manual for the Elementary
/// Functions".
LOCKSTEP_DEVICE float lockstep_power_of(float a, float high, float low) {
  const float whole = rintf(fminf(fmaxf(__fmul_rn(a, high), -200.0f), 200.0f));
  // Where the whole part was limited, the fraction is too.
  const float fraction = fminf(fmaxf(fmaf(a, low, fmaf(a, high, -whole)), -0.51f), 0.51f);
  return isnan(a) ? a : lockstep_scaled(lockstep_exp2(fraction), __float2int_rn(whole));
}
LOCKSTEP_DEVICE float expf(float a) {
  return lockstep_power_of(a, 0x1.715476p+0f, 0x1.4ae0cp-26f);
}
LOCKSTEP_DEVICE float exp10f(float a) {
  return lockstep_power_of(a, 0x1.a934fp+1f, 0x1.2f346ep-24f);
}
LOCKSTEP_DEVICE float exp2f(float a) {
  return lockstep_power_of(a, 1.0f, 0.0f);
}
/// e^a - 1 as scale p + (scale - 1), scale a power of two; Tang, "Table-Driven Implementation of the Expm1 Function", ACM
/// TOMS 1992, without the table. |a| up to 89.
struct lockstep_exponential {
  float p;
  int power;
};
LOCKSTEP_DEVICE lockstep_exponential lockstep_expm1(float a) {
  const float whole = fabsf(a) < 0.5f ? 0.0f : rintf(__fmul_rn(a, 0x1.715476p+0f));
  const float r = fmaf(whole, -0x1.7f7d1cp-20f, fmaf(whole, -0x1.62e4p-1f, a));
  float p = fmaf(0x1.a6045p-13f, r, 0x1.6f2dc6p-10f);
  p = fmaf(p, r, 0x1.110b94p-7f);
  p = fmaf(p, r, 0x1.5551e4p-5f);
  p = fmaf(p, r, 0x1.55555ap-3f);
  p = fmaf(p, r, 0x1.000002p-1f);
  return {fmaf(__fmul_rn(r, r), p, r), __float2int_rn(whole)};
}
LOCKSTEP_DEVICE float expm1f(float a) {
  const lockstep_exponential e = lockstep_expm1(fminf(fmaxf(a, -30.0f), 89.0f));
  // One power of two less, so that 2^128 does not overflow before 1 is taken away.
  const float scale = __int_as_float((e.power + 126) << 23);
  const float half = e.power > 20 ? __fadd_rn(fmaf(scale, e.p, -0.5f), scale) : fmaf(scale, e.p, __fadd_rn(scale, -0.5f));
  return a == 0.0f || isnan(a) ? a : e.power == 0 ? e.p : __fadd_rn(half, half);
}
/// e^|a| / 2.
LOCKSTEP_DEVICE float lockstep_half_exp(float a) {
  const lockstep_exponential e = lockstep_expm1(fminf(fabsf(a), 89.5f));
  const float scale = __int_as_float((e.power + 125) << 23);
  return isnan(a) ? a : __fmul_rn(2.0f, fmaf(scale, e.p, scale));
}

// ---- logarithms -----------------------------------------------------------------------------------------------------

/// A number as 2^exponent (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1, and log(1 + f) = f + rest.
struct lockstep_logarithm {
  float exponent, f, rest;
};
/// log(1 + f) - f for such an f.
LOCKSTEP_DEVICE float lockstep_log_rest(float f) {
  float p = fmaf(0x1.13b51ep-4f, f, -0x1.dd94acp-4f);
  p = fmaf(p, f, 0x1.e6de04p-4f);
  p = fmaf(p, f, -0x1.fc3ec8p-4f);
  p = fmaf(p, f, 0x1.233af4p-3f);
  p = fmaf(p, f, -0x1.555b8ap-3f);
  p = fmaf(p, f, 0x1.99a478p-3f);
  p = fmaf(p, f, -0x1.000008p-2f);
  p = fmaf(p, f, 0x1.555548p-2f);
  const float square = __fmul_rn(f, f);
  return fmaf(__fmul_rn(square, f), p, __fmul_rn(square, -0.5f));
}
/// Of a positive finite number.
LOCKSTEP_DEVICE lockstep_logarithm lockstep_log(float a) {
  const bool tiny = a < 0x1p-126f;
  const int bits = __float_as_int(tiny ? __fmul_rn(a, 0x1p24f) : a), power = (bits - 0x3f3504f3) >> 23;
  const float f = __fadd_rn(__int_as_float(bits - (power << 23)), -1.0f);
  return {__int2float_rn(power - (tiny ? 24 : 0)), f, lockstep_log_rest(f)};
}
/// What logarithms are outside the positive finite numbers.
LOCKSTEP_DEVICE float lockstep_log_result(float a, float result) {
  if (a > 0.0f && a < __builtin_inff()) return result;
  return a == 0.0f ? -__builtin_inff() : a < 0.0f ? __builtin_nanf("") : __fadd_rn(a, a);
}
LOCKSTEP_DEVICE float logf(float a) {
  const lockstep_logarithm l = lockstep_log(a);
  return lockstep_log_result(a, fmaf(l.exponent, 0x1.62e43p-1f, __fadd_rn(l.f, fmaf(l.exponent, -0x1.05c61p-29f, l.rest))));
}
LOCKSTEP_DEVICE float log2f(float a) {
  const lockstep_logarithm l = lockstep_log(a);
  const float rest = fmaf(l.f, 0x1.4ae0cp-26f, __fmul_rn(l.rest, 0x1.715476p+0f));
  return lockstep_log_result(a, __fadd_rn(l.exponent, fmaf(l.f, 0x1.715476p+0f, rest)));
}
LOCKSTEP_DEVICE float log10f(float a) {
  const lockstep_logarithm l = lockstep_log(a);
  const float rest = fmaf(l.f, -0x1.5b235ep-27f, __fmul_rn(l.rest, 0x1.bcb7b2p-2f));
  return lockstep_log_result(a, fmaf(l.exponent, 0x1.344136p-2f,
                                     fmaf(l.exponent, -0x1.ec10cp-27f, fmaf(l.f, 0x1.bcb7b2p-2f, rest))));
}
LOCKSTEP_DEVICE float log1pf(float a) {
  // 1 + a only chooses the power of two; (1 + a) / 2^power - 1 is rounded once.
  const int power = (__float_as_int(__fadd_rn(a, 1.0f)) - 0x3f3504f3) >> 23;
  const float scale = __int_as_float((127 - power) << 23), exponent = __int2float_rn(power);
  const float less = __fadd_rn(scale, -1.0f), f = fmaf(scale, a, less);
  // What rounding took from f counts by the derivative, 1 / (1 + f).
  const float f_low = fmaf(scale, a, -__fadd_rn(f, -less));
  const float rest = __fadd_rn(fmaf(-f, f_low, f_low), lockstep_log_rest(f));
  const float result = fmaf(exponent, 0x1.62e43p-1f, __fadd_rn(f, fmaf(exponent, -0x1.05c61p-29f, rest)));
  if (a > -1.0f && a < 0x1p126f) return a == 0.0f ? a : result;
  return a > -1.0f ? logf(a) : lockstep_log_result(__fadd_rn(a, 1.0f), 0.0f);
}

// ---- powers ---------------------------------------------------------------------------------------------------------

/// A number as an unevaluated sum, the low part less than a unit in the last place of the high one.
struct lockstep_pair_f {
  float high, low;
};
/// log2(a) for positive finite a: the series of atanh, its head in pairs (Dekker, Numer. Math. 1971).
LOCKSTEP_DEVICE lockstep_pair_f lockstep_log2_pair(float a) {
  const bool tiny = a < 0x1p-126f;
  const int bits = __float_as_int(tiny ? __fmul_rn(a, 0x1p24f) : a), power = (bits - 0x3f3504f3) >> 23;
  const float m = __int_as_float(bits - (power << 23)), exponent = __int2float_rn(power - (tiny ? 24 : 0));
  // s = (m - 1) / (m + 1) as a pair.
  const float f = __fadd_rn(m, -1.0f), sum = __fadd_rn(m, 1.0f), sum_low = __fadd_rn(m, -__fadd_rn(sum, -1.0f));
  const float reciprocal = __frcp_rn(sum), near = __fmul_rn(f, reciprocal);
  const float more = __fmul_rn(fmaf(-near, sum_low, fmaf(-near, sum, f)), reciprocal);
  const float s = __fadd_rn(near, more), s_low = __fadd_rn(more, -__fadd_rn(s, -near));
  // log2(m) = 2 / ln(2) (s + s^3 / 3 + ...).
  const float square = __fmul_rn(s, s);
  float p = fmaf(0x1.58ae78p-2f, square, 0x1.a5ceep-2f);
  p = fmaf(p, square, 0x1.2776e2p-1f);
  p = fmaf(p, square, 0x1.ec709ep-1f);
  const float head = __fmul_rn(s, 0x1.715476p+1f);
  const float tail = fmaf(__fmul_rn(square, s), p,
                          fmaf(s, 0x1.4ae0cp-25f, fmaf(s_low, 0x1.715476p+1f, fmaf(s, 0x1.715476p+1f, -head))));
  const float log_high = __fadd_rn(exponent, head);
  const float log_low = __fadd_rn(__fadd_rn(head, -__fadd_rn(log_high, -exponent)), tail);
  // Normalized, so that no bit of a product is lost where head and exponent cancel.
  const float high = __fadd_rn(log_high, log_low);
  return {high, __fadd_rn(log_low, -__fadd_rn(high, -log_high))};
}
/// a^b for positive finite a.
LOCKSTEP_DEVICE float lockstep_pow(float a, float b) {
  const lockstep_pair_f log = lockstep_log2_pair(a);
  const float product = fminf(fmaxf(__fmul_rn(b, log.high), -200.0f), 200.0f), whole = rintf(product);
  const float product_low = fabsf(product) < 200.0f ? fmaf(b, log.low, fmaf(b, log.high, -product)) : 0.0f;
  return lockstep_scaled(lockstep_exp2(__fadd_rn(__fadd_rn(product, -whole), product_low)), __float2int_rn(whole));
}
LOCKSTEP_DEVICE float powf(float a, float b) {
  const float size = fabsf(a), half = __fmul_rn(b, 0.5f);
  if (a == 1.0f || b == 0.0f) return 1.0f;
  if (isnan(a) || isnan(b)) return __fadd_rn(a, b);
  const bool whole = truncf(b) == b, odd = whole && truncf(half) != half;
  float result;
  if (isinf(b))
    result = size == 1.0f ? 1.0f : (size > 1.0f) == (b > 0.0f) ? __builtin_inff() : 0.0f;
  else if (size == 0.0f || isinf(size))
    result = (size == 0.0f) == (b < 0.0f) ? __builtin_inff() : 0.0f;
  else
    result = a < 0.0f && !whole ? __builtin_nanf("") : lockstep_pow(size, b);
  return odd ? copysignf(result, a) : result;
}

// ---- hyperbolic functions -------------------------------------------------------------------------------------------

/// a + a^3 P(a^2) below 1; above, from half of e^|a|.
LOCKSTEP_DEVICE float sinhf(float a) {
  const float square = __fmul_rn(a, a);
  float p = fmaf(0x1.75e59cp-19f, square, 0x1.a01fe2p-13f);
  p = fmaf(p, square, 0x1.1110e4p-7f);
  p = fmaf(p, square, 0x1.555556p-3f);
  const float half = lockstep_half_exp(a);
  const float large = copysignf(__fsub_rn(half, __fdividef(0.25f, half)), a);
  return fabsf(a) < 1.0f ? fmaf(__fmul_rn(square, a), p, a) : large;
}
LOCKSTEP_DEVICE float coshf(float a) {
  const float half = lockstep_half_exp(a);
  return __fadd_rn(half, __fdividef(0.25f, half));
}
LOCKSTEP_DEVICE float tanhf(float a) {
  const float square = __fmul_rn(a, a);
  float p = fmaf(-0x1.9c95cep-8f, square, 0x1.59829ap-6f);
  p = fmaf(p, square, -0x1.b931fep-5f);
  p = fmaf(p, square, 0x1.110d6ap-3f);
  p = fmaf(p, square, -0x1.55554cp-2f);
  const float twice = __fmul_rn(fminf(fabsf(a), 20.0f), 0x1.715476p+1f);
  const float large = copysignf(fmaf(-2.0f, __frcp_rn(__fadd_rn(__exp2f(twice), 1.0f)), 1.0f), a);
  return fabsf(a) < 0.55f || isnan(a) ? copysignf(fmaf(__fmul_rn(square, a), p, a), a) : large;
}
LOCKSTEP_DEVICE float asinhf(float a) {
  const float size = fabsf(a), square = __fmul_rn(size, size);
  const float grown = fmaf(square, __frcp_rn(__fadd_rn(1.0f, sqrtf(__fadd_rn(square, 1.0f)))), size);
  const bool large = size > 0x1p60f;
  const float result = log1pf(large ? size : grown);
  return copysignf(large ? __fadd_rn(result, 0x1.62e43p-1f) : result, a);
}
LOCKSTEP_DEVICE float acoshf(float a) {
  const float above = __fadd_rn(a, -1.0f);
  const bool large = a > 0x1p60f;
  const float result = log1pf(large ? a : __fadd_rn(above, sqrtf(fmaf(above, above, __fadd_rn(above, above)))));
  return a < 1.0f ? __builtin_nanf("") : large ? __fadd_rn(result, 0x1.62e43p-1f) : result;
}
LOCKSTEP_DEVICE float atanhf(float a) {
  const float size = fabsf(a);
  return copysignf(__fmul_rn(0.5f, log1pf(__fdiv_rn(__fadd_rn(size, size), __fsub_rn(1.0f, size)))), a);
}
