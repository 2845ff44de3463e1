#pragma once
// Trigonometric functions of double and their inverses.

// ---- reduction ------------------------------------------------------------------------------------------------------

/// 2/pi in bits: a word of zeros, then those of weight 2^-1 and less.
static __constant__ unsigned long long lockstep_two_over_pi_d[20] = {
    0,                  0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// An angle less whole quarter turns: from -pi/4 to pi/4, and the number of quarter turns modulo 4.
struct lockstep_angle_d {
  double rest;
  int quarters;
};
/// The bits of a word from place `from` of the table on.
LOCKSTEP_DEVICE unsigned long long lockstep_bits_of_two_over_pi(int from) {
  const int word = from >> 6, shift = from & 63;
  const unsigned long long high = lockstep_two_over_pi_d[word], low = lockstep_two_over_pi_d[word + 1];
  return shift == 0 ? high : high << shift | low >> (64 - shift);
}
/// Payne and Hanek, as for float, with 192 bits of 2/pi.
LOCKSTEP_DEVICE lockstep_angle_d lockstep_reduce_large(double a) {
  const long long bits = __double_as_longlong(a);
  const unsigned long long mantissa = (bits & 0xfffffffffffffll) | 0x10000000000000ll;
  // |a| = mantissa 2^exponent; bits of 2/pi of weight 2^(2 - exponent) and more make whole turns.
  const int first = (int)((bits >> 52) & 0x7ff) - 1075 + 62;
  const unsigned long long high = lockstep_bits_of_two_over_pi(first), middle = lockstep_bits_of_two_over_pi(first + 64),
                           low = lockstep_bits_of_two_over_pi(first + 128);
  // In units of 2^-126 quarter turns, modulo 4 of them.
  const unsigned long long middle_low = mantissa * middle, carried = __umul64hi(mantissa, low), lower = middle_low + carried;
  const unsigned long long upper = mantissa * high + __umul64hi(mantissa, middle) + (lower < carried ? 1 : 0);
  const int quarters = (int)((upper + (1ull << 61)) >> 62);
  // The fraction, a signed number of 126 bits, shifted up until its first bit is in front.
  const long long fraction = (long long)(upper << 2 | lower >> 62);
  const unsigned long long below = lower << 2;
  const bool negative = fraction < 0;
  const unsigned long long size = negative ? ~(unsigned long long)fraction + (below == 0 ? 1 : 0) : fraction;
  const unsigned long long size_below = negative ? 0 - below : below;
  const int shift = size == 0 ? 63 : __clzll(size);
  const unsigned long long leading = shift == 0 ? size : size << shift | size_below >> (64 - shift);
  // Two numbers that are converted exactly, and the pair of their product with pi/2.
  const double scale = __hiloint2double((1023 - 53 - shift) << 20, 0);
  const double number = __dmul_rn(__ll2double_rn((long long)(leading >> 11)), scale);
  const double number_low = __dmul_rn(__dmul_rn(__int2double_rn((int)(leading & 0x7ff)), 0x1p-11), scale);
  const double product = __dmul_rn(number, 0x1.921fb54442d18p+0);
  const double product_low = fma(number, 0x1.921fb54442d18p+0, -product);
  const double angle = __dadd_rn(product, fma(number_low, 0x1.921fb54442d18p+0, fma(number, 0x1.1a62633145c07p-54, product_low)));
  return {negative != (bits < 0) ? -angle : angle, bits < 0 ? -quarters : quarters};
}
/// Cody and Waite with pi/2 in three doubles, which is enough below 2^30. Infinities and NaN give NaN.
LOCKSTEP_DEVICE lockstep_angle_d lockstep_reduce(double a) {
  if (fabs(a) >= 0x1p30 && !isinf(a)) return lockstep_reduce_large(a);
  const double whole = rint(__dmul_rn(a, 0x1.45f306dc9c883p-1));
  const double rest = fma(whole, 0x1.f1976b7ed8fbcp-110, fma(whole, -0x1.1a62633145c07p-54, fma(whole, -0x1.921fb54442d18p+0, a)));
  return {rest, __double2int_rn(whole)};
}

// ---- sine, cosine, tangent ------------------------------------------------------------------------------------------

LOCKSTEP_DEVICE double lockstep_sine(double r) {
  const double square = __dmul_rn(r, r);
  double p = fma(0x1.5d931f0279f58p-33, square, -0x1.ae5e670aff34ep-26);
  p = fma(p, square, 0x1.71de35796c6f3p-19);
  p = fma(p, square, -0x1.a01a019c149f5p-13);
  p = fma(p, square, 0x1.111111110f89fp-7);
  p = fma(p, square, -0x1.5555555555549p-3);
  return fma(__dmul_rn(square, r), p, r);
}
LOCKSTEP_DEVICE double lockstep_cosine(double r) {
  const double square = __dmul_rn(r, r);
  double p = fma(-0x1.8fb0d1c850583p-37, square, 0x1.1ee9f0bb8f209p-29);
  p = fma(p, square, -0x1.27e4f8120cbadp-22);
  p = fma(p, square, 0x1.a01a019cbec5fp-16);
  p = fma(p, square, -0x1.6c16c16c1521cp-10);
  p = fma(p, square, 0x1.555555555554cp-5);
  return fma(square, fma(square, p, -0.5), 1.0);
}
/// Sine of an angle and some quarter turns.
LOCKSTEP_DEVICE double lockstep_sine_of(lockstep_angle_d angle, int more) {
  const int quarters = angle.quarters + more;
  const double result = quarters & 1 ? lockstep_cosine(angle.rest) : lockstep_sine(angle.rest);
  return quarters & 2 ? -result : result;
}
LOCKSTEP_DEVICE double sin(double a) {
  return a == 0.0 ? a : lockstep_sine_of(lockstep_reduce(a), 0);
}
LOCKSTEP_DEVICE double cos(double a) {
  return lockstep_sine_of(lockstep_reduce(a), 1);
}
LOCKSTEP_DEVICE void sincos(double a, double* sine, double* cosine) {
  const lockstep_angle_d angle = lockstep_reduce(a);
  const double s = lockstep_sine(angle.rest), c = lockstep_cosine(angle.rest);
  const double first = angle.quarters & 1 ? c : s, second = angle.quarters & 1 ? s : c;
  *sine = a == 0.0 ? a : angle.quarters & 2 ? -first : first;
  *cosine = (angle.quarters + 1) & 2 ? -second : second;
}
LOCKSTEP_DEVICE double tan(double a) {
  const lockstep_angle_d angle = lockstep_reduce(a);
  const double r = angle.rest, square = __dmul_rn(r, r);
  double p = fma(0x1.619e918da3dadp-16, square, -0x1.80230e3aa2b4dp-15);
  p = fma(p, square, 0x1.7e86ca5828661p-14);
  p = fma(p, square, -0x1.dba6eb8e07df3p-16);
  p = fma(p, square, 0x1.2156cd0f5c2fep-13);
  p = fma(p, square, 0x1.d0d78cb443c54p-13);
  p = fma(p, square, 0x1.381e9746663b9p-11);
  p = fma(p, square, 0x1.7d56e5b7b31c6p-10);
  p = fma(p, square, 0x1.d6d9961126ad1p-9);
  p = fma(p, square, 0x1.226e0f7e51dd0p-7);
  p = fma(p, square, 0x1.664f49c3d08d7p-6);
  p = fma(p, square, 0x1.ba1ba1b3d069ep-5);
  p = fma(p, square, 0x1.11111111190b1p-3);
  p = fma(p, square, 0x1.55555555554e4p-2);
  // The tangent as a pair, for the residual of its reciprocal.
  const double cube = __dmul_rn(square, r), tangent = fma(cube, p, r), tangent_low = fma(cube, p, __dadd_rn(r, -tangent));
  const double inverse = __drcp_rn(tangent), residual = fma(-inverse, tangent_low, fma(-inverse, tangent, 1.0));
  const double cotangent = isfinite(inverse) ? fma(inverse, residual, inverse) : inverse;
  return a == 0.0 ? a : angle.quarters & 1 ? -cotangent : tangent;
}

// ---- of half turns --------------------------------------------------------------------------------------------------

/// Exact.
LOCKSTEP_DEVICE lockstep_angle_d lockstep_reduce_half_turns(double a) {
  // Whole turns of large numbers, whose halves are whole, are taken away first.
  const double below = fma(-2.0, trunc(__dmul_rn(a, 0.5)), a), whole = rint(__dadd_rn(below, below));
  return {fma(whole, -0.5, below), __double2int_rn(whole)};
}
/// Of pi r for |r| up to 1/4.
LOCKSTEP_DEVICE double lockstep_sine_pi(double r) {
  const double square = __dmul_rn(r, r);
  double p = fma(-0x1.73dee8460c472p-16, square, 0x1.e908f17376c58p-12);
  p = fma(p, square, -0x1.e3076ee06e556p-8);
  p = fma(p, square, 0x1.5078349da68eap-4);
  p = fma(p, square, -0x1.32d2cce63afa0p-1);
  p = fma(p, square, 0x1.466bc6775ab7cp+1);
  p = fma(p, square, -0x1.4abbce625be53p+2);
  return fma(r, 0x1.921fb54442d18p+1, fma(__dmul_rn(square, r), p, __dmul_rn(r, 0x1.1a62633145c07p-53)));
}
LOCKSTEP_DEVICE double lockstep_cosine_pi(double r) {
  const double square = __dmul_rn(r, r);
  double p = fma(-0x1.b01a962f9651dp-14, square, 0x1.f9c45f039250bp-10);
  p = fma(p, square, -0x1.a6d1e1de783b3p-6);
  p = fma(p, square, 0x1.e1f5067551cc0p-3);
  p = fma(p, square, -0x1.55d3c7e3bfb6ep+0);
  p = fma(p, square, 0x1.03c1f081b5a51p+2);
  p = fma(p, square, -0x1.3bd3cc9be45dep+2);
  return fma(square, p, 1.0);
}
LOCKSTEP_DEVICE double sinpi(double a) {
  const lockstep_angle_d angle = lockstep_reduce_half_turns(a);
  const double result = angle.quarters & 1 ? lockstep_cosine_pi(angle.rest) : lockstep_sine_pi(angle.rest);
  // A whole number gives the zero of its sign.
  return trunc(a) == a ? __dmul_rn(a, 0.0) : angle.quarters & 2 ? -result : result;
}
LOCKSTEP_DEVICE double cospi(double a) {
  const lockstep_angle_d angle = lockstep_reduce_half_turns(a);
  const double result = angle.quarters & 1 ? lockstep_sine_pi(angle.rest) : lockstep_cosine_pi(angle.rest);
  return angle.quarters & 1 && angle.rest == 0.0 ? 0.0 : (angle.quarters + 1) & 2 ? -result : result;
}
LOCKSTEP_DEVICE void sincospi(double a, double* sine, double* cosine) {
  *sine = sinpi(a);
  *cosine = cospi(a);
}

// ---- inverses -------------------------------------------------------------------------------------------------------

/// Of a from 0 to 1.
LOCKSTEP_DEVICE double lockstep_arctangent(double a) {
  const double square = __dmul_rn(a, a);
  double p = fma(-0x1.5a36d81cee5c2p-16, square, 0x1.db36d4a982c79p-13);
  p = fma(p, square, -0x1.353f3bd7e4c1ap-10);
  p = fma(p, square, 0x1.fedc9cc0374d4p-9);
  p = fma(p, square, -0x1.2f6fed3314ec2p-7);
  p = fma(p, square, 0x1.17cba42b9ac8dp-6);
  p = fma(p, square, -0x1.a8bdef2ade20fp-6);
  p = fma(p, square, 0x1.17ada730a406ap-5);
  p = fma(p, square, -0x1.4f9bf50089dedp-5);
  p = fma(p, square, 0x1.7f0a260c07d53p-5);
  p = fma(p, square, -0x1.ad3f970206efdp-5);
  p = fma(p, square, 0x1.e17b5fe0f5fe1p-5);
  p = fma(p, square, -0x1.1108ecf70cfadp-4);
  p = fma(p, square, 0x1.3b12bdf28d28ep-4);
  p = fma(p, square, -0x1.745d0341627d7p-4);
  p = fma(p, square, 0x1.c71c70af65633p-4);
  p = fma(p, square, -0x1.2492491ff682fp-3);
  p = fma(p, square, 0x1.9999999985b57p-3);
  p = fma(p, square, -0x1.5555555555463p-2);
  return fma(__dmul_rn(square, a), p, a);
}
LOCKSTEP_DEVICE double atan(double a) {
  const double size = fabs(a);
  const bool steep = size > 1.0;
  const double angle = lockstep_arctangent(steep ? __drcp_rn(size) : size);
  return copysign(steep ? __dadd_rn(0x1.921fb54442d18p+0, -__dadd_rn(angle, -0x1.1a62633145c07p-54)) : angle, a);
}
LOCKSTEP_DEVICE double atan2(double y, double x) {
  const double height = fabs(y), width = fabs(x);
  const double large = fmax(height, width), small = fmin(height, width);
  // Of two zeros and two infinities the quotient is stated.
  const double quotient = large == 0.0 ? 0.0 : small == __builtin_inf() ? 1.0 : __ddiv_rn(small, large);
  double angle = lockstep_arctangent(quotient);
  if (height > width) angle = __dadd_rn(0x1.921fb54442d18p+0, -__dadd_rn(angle, -0x1.1a62633145c07p-54));
  if (signbit(x)) angle = __dadd_rn(0x1.921fb54442d18p+1, -__dadd_rn(angle, -0x1.1a62633145c07p-53));
  return isnan(x) || isnan(y) ? __dadd_rn(x, y) : copysign(angle, y);
}
/// asin(a) / a - 1 by the square of a up to 9/16, divided by that square.
LOCKSTEP_DEVICE double lockstep_arcsine(double square) {
  double p = fma(0x1.ebc43433b475ep-5, square, -0x1.3c4367aa11ed3p-4);
  p = fma(p, square, 0x1.1ae2815f2eb98p-4);
  p = fma(p, square, -0x1.676ceb9984b5bp-6);
  p = fma(p, square, 0x1.202840ce7a855p-6);
  p = fma(p, square, 0x1.fb216acdfe845p-8);
  p = fma(p, square, 0x1.84e49eb2bb0b6p-7);
  p = fma(p, square, 0x1.c8731798ba4c2p-7);
  p = fma(p, square, 0x1.1c5a36552f9a4p-6);
  p = fma(p, square, 0x1.6e8b083fc1145p-6);
  p = fma(p, square, 0x1.f1c721b6da17dp-6);
  p = fma(p, square, 0x1.6db6db601d1a7p-5);
  p = fma(p, square, 0x1.3333333344eb8p-4);
  p = fma(p, square, 0x1.55555555554d4p-3);
  return p;
}
// Above 9/16 by half the angle: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
LOCKSTEP_DEVICE double asin(double a) {
  const double size = fabs(a);
  const bool steep = size > 0.5625;
  const double square = steep ? fma(size, -0.5, 0.5) : __dmul_rn(size, size), root = steep ? sqrt(square) : size;
  const double angle = fma(__dmul_rn(square, root), lockstep_arcsine(square), root);
  return copysign(steep ? __dadd_rn(fma(-2.0, angle, 0x1.921fb54442d18p+0), 0x1.1a62633145c07p-54) : angle, a);
}
LOCKSTEP_DEVICE double acos(double a) {
  const double size = fabs(a);
  const bool steep = size > 0.5625;
  const double square = steep ? fma(size, -0.5, 0.5) : __dmul_rn(size, size), root = steep ? sqrt(square) : a;
  const double angle = fma(__dmul_rn(square, root), lockstep_arcsine(square), root);
  if (!steep) return __dadd_rn(0x1.921fb54442d18p+0, -__dadd_rn(angle, -0x1.1a62633145c07p-54));
  return a > 0.0 ? __dadd_rn(angle, angle) : fma(-2.0, angle, 0x1.921fb54442d18p+1);
}
