#pragma once
// Trigonometric functions of float and their inverses.

// ---- reduction ------------------------------------------------------------------------------------------------------

/// 2/pi in bits: a word of zeros, then those of weight 2^-1 and less.
static __constant__ unsigned int lockstep_two_over_pi_f[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                                              0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/// An angle less whole quarter turns: from -pi/4 to pi/4, and the number of quarter turns modulo 4.
struct lockstep_angle_f {
  float rest;
  int quarters;
};
/// Payne and Hanek, "Radian Reduction for Trigonometric Functions", SIGNUM 1983, for |a| of at least 2^-7: of 2/pi only the 96
/// bits from which parts of a turn come are multiplied.
LOCKSTEP_DEVICE lockstep_angle_f lockstep_reduce_large(float a) {
  const int bits = __float_as_int(a);
  const unsigned int mantissa = (bits & 0x7fffff) | 0x800000;
  // |a| = mantissa 2^exponent; bits of 2/pi of weight 2^(2 - exponent) and more make whole turns.
  const int exponent = ((bits >> 23) & 0xff) - 150, first = exponent + 30, word = first >> 5;
  const unsigned int w0 = lockstep_two_over_pi_f[word], w1 = lockstep_two_over_pi_f[word + 1],
                     w2 = lockstep_two_over_pi_f[word + 2], w3 = lockstep_two_over_pi_f[word + 3];
  const unsigned int high = __funnelshift_l(w1, w0, first), middle = __funnelshift_l(w2, w1, first),
                     low = __funnelshift_l(w3, w2, first);
  // In units of 2^-62 quarter turns, modulo 4 of them.
  const unsigned long long product = ((unsigned long long)(mantissa * high) << 32) + (unsigned long long)mantissa * middle +
                                     ((unsigned long long)mantissa * low >> 32);
  const int quarters = (int)((product + (1ull << 61)) >> 62);
  const float angle = __double2float_rn(__dmul_rn(__ll2double_rn((long long)(product << 2)), 0x1.921fb54442d18p-64));
  return {bits < 0 ? -angle : angle, bits < 0 ? -quarters : quarters};
}
/// Cody and Waite with pi/2 in three floats, which is enough below 2^17. Infinities and NaN give NaN.
LOCKSTEP_DEVICE lockstep_angle_f lockstep_reduce(float a) {
  if (fabsf(a) >= 0x1p17f && !isinf(a)) return lockstep_reduce_large(a);
  const float whole = rintf(__fmul_rn(a, 0x1.45f306p-1f));
  const float rest = fmaf(whole, 0x1.ee59dap-50f, fmaf(whole, 0x1.777a5cp-25f, fmaf(whole, -0x1.921fb6p+0f, a)));
  return {rest, __float2int_rn(whole)};
}

// ---- sine, cosine, tangent ------------------------------------------------------------------------------------------
// Minimax polynomials on -pi/4 to pi/4.

LOCKSTEP_DEVICE float lockstep_sine(float r) {
  const float square = __fmul_rn(r, r);
  const float p = fmaf(fmaf(-0x1.99537ap-13f, square, 0x1.110778p-7f), square, -0x1.555546p-3f);
  return fmaf(__fmul_rn(square, r), p, r);
}
LOCKSTEP_DEVICE float lockstep_cosine(float r) {
  const float square = __fmul_rn(r, r);
  const float p = fmaf(fmaf(0x1.99e7fcp-16f, square, -0x1.6c0c28p-10f), square, 0x1.55554ap-5f);
  return fmaf(square, fmaf(square, p, -0.5f), 1.0f);
}
/// Sine of an angle and some quarter turns.
LOCKSTEP_DEVICE float lockstep_sine_of(lockstep_angle_f angle, int more) {
  const int quarters = angle.quarters + more;
  const float result = quarters & 1 ? lockstep_cosine(angle.rest) : lockstep_sine(angle.rest);
  return quarters & 2 ? -result : result;
}
LOCKSTEP_DEVICE float sinf(float a) {
  return a == 0.0f ? a : lockstep_sine_of(lockstep_reduce(a), 0);
}
LOCKSTEP_DEVICE float cosf(float a) {
  return lockstep_sine_of(lockstep_reduce(a), 1);
}
LOCKSTEP_DEVICE void sincosf(float a, float* sine, float* cosine) {
  const lockstep_angle_f angle = lockstep_reduce(a);
  const float s = lockstep_sine(angle.rest), c = lockstep_cosine(angle.rest);
  const float first = angle.quarters & 1 ? c : s, second = angle.quarters & 1 ? s : c;
  *sine = a == 0.0f ? a : angle.quarters & 2 ? -first : first;
  *cosine = (angle.quarters + 1) & 2 ? -second : second;
}
LOCKSTEP_DEVICE float tanf(float a) {
  const lockstep_angle_f angle = lockstep_reduce(a);
  const float r = angle.rest, square = __fmul_rn(r, r);
  float p = fmaf(0x1.21ec5p-8f, square, -0x1.a422dap-17f);
  p = fmaf(p, square, 0x1.65e1aep-7f);
  p = fmaf(p, square, 0x1.5c1a28p-6f);
  p = fmaf(p, square, 0x1.baebbap-5f);
  p = fmaf(p, square, 0x1.110d2ap-3f);
  p = fmaf(p, square, 0x1.555562p-2f);
  const float tangent = fmaf(__fmul_rn(square, r), p, r);
  return a == 0.0f ? a : angle.quarters & 1 ? -__frcp_rn(tangent) : tangent;
}

// ---- of half turns --------------------------------------------------------------------------------------------------

/// Exact.
LOCKSTEP_DEVICE lockstep_angle_f lockstep_reduce_half_turns(float a) {
  // Whole turns of large numbers, whose halves are whole, are taken away first.
  const float below = fmaf(-2.0f, truncf(__fmul_rn(a, 0.5f)), a), whole = rintf(__fadd_rn(below, below));
  return {fmaf(whole, -0.5f, below), __float2int_rn(whole)};
}
/// Of pi r for |r| up to 1/4.
LOCKSTEP_DEVICE float lockstep_sine_pi(float r) {
  const float square = __fmul_rn(r, r);
  float p = fmaf(0x1.4446ecp-4f, square, -0x1.32adcp-1f);
  p = fmaf(p, square, 0x1.466b78p+1f);
  p = fmaf(p, square, -0x1.4abbcep+2f);
  return fmaf(r, 0x1.921fb6p+1f, fmaf(__fmul_rn(square, r), p, __fmul_rn(r, -0x1.777a5cp-24f)));
}
LOCKSTEP_DEVICE float lockstep_cosine_pi(float r) {
  const float square = __fmul_rn(r, r);
  float p = fmaf(0x1.d46eaep-3f, square, -0x1.55b134p+0f);
  p = fmaf(p, square, 0x1.03c1aep+2f);
  p = fmaf(p, square, -0x1.3bd3ccp+2f);
  return fmaf(square, p, 1.0f);
}
LOCKSTEP_DEVICE float sinpif(float a) {
  const lockstep_angle_f angle = lockstep_reduce_half_turns(a);
  const float result = angle.quarters & 1 ? lockstep_cosine_pi(angle.rest) : lockstep_sine_pi(angle.rest);
  // A whole number gives the zero of its sign.
  return truncf(a) == a ? __fmul_rn(a, 0.0f) : angle.quarters & 2 ? -result : result;
}
LOCKSTEP_DEVICE float cospif(float a) {
  const lockstep_angle_f angle = lockstep_reduce_half_turns(a);
  const float result = angle.quarters & 1 ? lockstep_sine_pi(angle.rest) : lockstep_cosine_pi(angle.rest);
  return angle.quarters & 1 && angle.rest == 0.0f ? 0.0f : (angle.quarters + 1) & 2 ? -result : result;
}
LOCKSTEP_DEVICE void sincospif(float a, float* sine, float* cosine) {
  *sine = sinpif(a);
  *cosine = cospif(a);
}

// ---- inverses -------------------------------------------------------------------------------------------------------

/// Of a from 0 to 1.
LOCKSTEP_DEVICE float lockstep_arctangent(float a) {
  const float square = __fmul_rn(a, a);
  float p = fmaf(-0x1.d4fcbap-10f, square, 0x1.64f958p-7f);
  p = fmaf(p, square, -0x1.fe2e8ap-6f);
  p = fmaf(p, square, 0x1.da76f4p-5f);
  p = fmaf(p, square, -0x1.581bd8p-4f);
  p = fmaf(p, square, 0x1.c0914ep-4f);
  p = fmaf(p, square, -0x1.2420dap-3f);
  p = fmaf(p, square, 0x1.9991e8p-3f);
  p = fmaf(p, square, -0x1.55553ep-2f);
  return fmaf(__fmul_rn(square, a), p, a);
}
LOCKSTEP_DEVICE float atanf(float a) {
  const float size = fabsf(a);
  const bool steep = size > 1.0f;
  const float angle = lockstep_arctangent(steep ? __frcp_rn(size) : size);
  return copysignf(steep ? __fadd_rn(0x1.921fb6p+0f, -__fadd_rn(angle, 0x1.777a5cp-25f)) : angle, a);
}
LOCKSTEP_DEVICE float atan2f(float y, float x) {
  const float height = fabsf(y), width = fabsf(x);
  const float large = fmaxf(height, width), small = fminf(height, width);
  // Of two zeros and two infinities the quotient is stated.
  const float quotient = large == 0.0f ? 0.0f : small == __builtin_inff() ? 1.0f : __fdiv_rn(small, large);
  float angle = lockstep_arctangent(quotient);
  if (height > width) angle = __fadd_rn(0x1.921fb6p+0f, -__fadd_rn(angle, 0x1.777a5cp-25f));
  if (signbit(x)) angle = __fadd_rn(0x1.921fb6p+1f, -__fadd_rn(angle, 0x1.777a5cp-24f));
  return isnan(x) || isnan(y) ? __fadd_rn(x, y) : copysignf(angle, y);
}
/// asin(a) / a - 1 by the square of a up to 1/2, divided by that square.
LOCKSTEP_DEVICE float lockstep_arcsine(float square) {
  float p = fmaf(0x1.5a5896p-5f, square, 0x1.8b15b4p-6f);
  p = fmaf(p, square, 0x1.7499e2p-5f);
  p = fmaf(p, square, 0x1.3300ccp-4f);
  return fmaf(p, square, 0x1.5555ccp-3f);
}
// Above 1/2 by half the angle: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
LOCKSTEP_DEVICE float asinf(float a) {
  const float size = fabsf(a);
  const bool steep = size > 0.5f;
  const float square = steep ? fmaf(size, -0.5f, 0.5f) : __fmul_rn(size, size), root = steep ? sqrtf(square) : size;
  const float angle = fmaf(__fmul_rn(square, root), lockstep_arcsine(square), root);
  return copysignf(steep ? __fadd_rn(fmaf(-2.0f, angle, 0x1.921fb6p+0f), -0x1.777a5cp-25f) : angle, a);
}
LOCKSTEP_DEVICE float acosf(float a) {
  const float size = fabsf(a);
  const bool steep = size > 0.5f;
  const float square = steep ? fmaf(size, -0.5f, 0.5f) : __fmul_rn(size, size), root = steep ? sqrtf(square) : a;
  const float angle = fmaf(__fmul_rn(square, root), lockstep_arcsine(square), root);
  if (!steep) return __fadd_rn(0x1.921fb6p+0f, -__fadd_rn(angle, 0x1.777a5cp-25f));
  return a > 0.0f ? __fadd_rn(angle, angle) : fmaf(-2.0f, angle, 0x1.921fb6p+1f);
}
