#pragma once
// Exponentials, logarithms, powers and hyperbolic functions of double; as those of float, with pairs of doubles where more
// than 53 bits count.

// ---- exponentials ---------------------------------------------------------------------------------------------------

/// 2^power a, rounded once; |power| up to 2040.
LOCKSTEP_DEVICE double lockstep_scaled(double a, int power) {
  const int half = power >> 1;
  return __dmul_rn(__dmul_rn(a, __hiloint2double((half + 1023) << 20, 0)), __hiloint2double((power - half + 1023) << 20, 0));
}

/// e^(a + low) - 1 = scale p + (scale - 1) for scale = 2^power; |a| up to 800.
struct lockstep_exponential_d {
  double p;
  int power;
};
LOCKSTEP_DEVICE lockstep_exponential_d lockstep_expm1(double a, double low = 0.0) {
  const double whole = fabs(a) < 0.5 ? 0.0 : rint(__dmul_rn(a, 0x1.71547652b82fep+0));
  // The first part of ln(2) has 33 bits, so that its product is exact; r is a pair.
  const double high = fma(whole, -0x1.62e42ffp-1, a), r = fma(whole, 0x1.718432a1b0e26p-35, high);
  const double r_low = __dadd_rn(fma(whole, 0x1.718432a1b0e26p-35, __dadd_rn(high, -r)), low);
  double p = fma(0x1.609b6eb658722p-33, r, 0x1.20289add31942p-29);
  p = fma(p, r, 0x1.ae6646e575ad2p-26);
  p = fma(p, r, 0x1.27e4420dea0fep-22);
  p = fma(p, r, 0x1.71de39118c64ap-19);
  p = fma(p, r, 0x1.a01a020559b6bp-16);
  p = fma(p, r, 0x1.a01a01a0c67a0p-13);
  p = fma(p, r, 0x1.6c16c16bfdbd6p-10);
  p = fma(p, r, 0x1.1111111110eabp-7);
  p = fma(p, r, 0x1.555555555559ap-5);
  p = fma(p, r, 0x1.5555555555556p-3);
  p = fma(p, r, 0x1.0000000000000p-1);
  const double square = __dmul_rn(r, r);
  return {__dadd_rn(r, fma(square, p, fma(fma(square, p, r), r_low, r_low))), __double2int_rn(whole)};
}
/// e^(a + low).
LOCKSTEP_DEVICE double lockstep_exp(double a, double low = 0.0) {
  const lockstep_exponential_d e = lockstep_expm1(fmin(fmax(a, -760.0), 720.0), low);
  return isnan(a) ? a : lockstep_scaled(__dadd_rn(e.p, 1.0), e.power);
}
LOCKSTEP_DEVICE double exp(double a) {
  return lockstep_exp(a);
}
/// 2^(whole + fraction) for a fraction up to 1/2 and 2^-53 of it.
LOCKSTEP_DEVICE double lockstep_exp2(double whole, double fraction) {
  double p = fma(0x1.c1229c1f6f0dbp-36, fraction, 0x1.ec39f4e8e3de4p-32);
  p = fma(p, fraction, 0x1.e4d1e5f3c31f4p-28);
  p = fma(p, fraction, 0x1.b52353567821cp-24);
  p = fma(p, fraction, 0x1.62c021655b14bp-20);
  p = fma(p, fraction, 0x1.ffcbfd3b931bap-17);
  p = fma(p, fraction, 0x1.430912f8aa074p-13);
  p = fma(p, fraction, 0x1.5d87fe7876810p-10);
  p = fma(p, fraction, 0x1.3b2ab6fba4d7bp-7);
  p = fma(p, fraction, 0x1.c6b08d704a1cdp-5);
  p = fma(p, fraction, 0x1.ebfbdff82c58fp-3);
  p = fma(p, fraction, 0x1.62e42fefa39efp-1);
  return lockstep_scaled(fma(p, fraction, 1.0), __double2int_rn(whole));
}
LOCKSTEP_DEVICE double exp2(double a) {
  const double limited = fmin(fmax(a, -1100.0), 1030.0), whole = rint(limited);
  return isnan(a) ? a : lockstep_exp2(whole, __dadd_rn(limited, -whole));
}
LOCKSTEP_DEVICE double exp10(double a) {
  const double limited = fmin(fmax(a, -330.0), 310.0), whole = rint(__dmul_rn(limited, 0x1.a934f0979a371p+1));
  const double fraction = fma(limited, 0x1.7f2495fb7fa6dp-53, fma(limited, 0x1.a934f0979a371p+1, -whole));
  return isnan(a) ? a : lockstep_exp2(whole, fraction);
}
LOCKSTEP_DEVICE double expm1(double a) {
  const lockstep_exponential_d e = lockstep_expm1(fmin(fmax(a, -60.0), 709.9));
  const double scale = __hiloint2double((e.power + 1022) << 20, 0);
  const double half = e.power > 50 ? __dadd_rn(fma(scale, e.p, -0.5), scale) : fma(scale, e.p, __dadd_rn(scale, -0.5));
  return a == 0.0 || isnan(a) ? a : e.power == 0 ? e.p : a > 709.9 ? __builtin_inf() : __dadd_rn(half, half);
}

// ---- logarithms -----------------------------------------------------------------------------------------------------

/// A number as 2^exponent (1 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1, and log(1 + f) = f + rest.
struct lockstep_logarithm_d {
  double exponent, f, rest;
};
/// A positive number as mantissa and power of two.
struct lockstep_scaled_d {
  double mantissa;
  int power;
};
LOCKSTEP_DEVICE lockstep_scaled_d lockstep_split(double a) {
  const bool tiny = a < 0x1p-1022;
  const double normal = tiny ? __dmul_rn(a, 0x1p54) : a;
  const int bits = __double2hiint(normal), power = (bits - 0x3fe6a09e) >> 20;
  return {__hiloint2double(bits - (power << 20), __double2loint(normal)), power - (tiny ? 54 : 0)};
}
/// log(1 + f) - f: with s = f / (2 + f), 2 s + s^3 P(s^2) = f - s f + s^3 P, and s f = f^2 / 2 - s f^2 / 2.
LOCKSTEP_DEVICE double lockstep_log_rest(double f) {
  const double s = __ddiv_rn(f, __dadd_rn(2.0, f)), z = __dmul_rn(s, s);
  double p = fma(0x1.0f1311eaa3b17p-3, z, 0x1.0f66b77dd341fp-3);
  p = fma(p, z, 0x1.3b202a5db2ddfp-3);
  p = fma(p, z, 0x1.745ce1a93c7e4p-3);
  p = fma(p, z, 0x1.c71c724bc00d5p-3);
  p = fma(p, z, 0x1.249249243941dp-2);
  p = fma(p, z, 0x1.9999999999d13p-2);
  p = fma(p, z, 0x1.5555555555555p-1);
  const double half = __dmul_rn(__dmul_rn(0.5, f), f);
  return fma(s, fma(z, p, half), -half);
}
LOCKSTEP_DEVICE lockstep_logarithm_d lockstep_log(double a) {
  const lockstep_scaled_d parts = lockstep_split(a);
  const double f = __dadd_rn(parts.mantissa, -1.0);
  return {__int2double_rn(parts.power), f, lockstep_log_rest(f)};
}
LOCKSTEP_DEVICE double lockstep_log_result(double a, double result) {
  if (a > 0.0 && a < __builtin_inf()) return result;
  return a == 0.0 ? -__builtin_inf() : a < 0.0 ? __builtin_nan("") : __dadd_rn(a, a);
}
LOCKSTEP_DEVICE double log(double a) {
  const lockstep_logarithm_d l = lockstep_log(a);
  const double rest = fma(l.exponent, 0x1.abc9e3b39803fp-56, l.rest);
  return lockstep_log_result(a, fma(l.exponent, 0x1.62e42fefa39efp-1, __dadd_rn(l.f, rest)));
}
LOCKSTEP_DEVICE double log2(double a) {
  const lockstep_logarithm_d l = lockstep_log(a);
  const double rest = fma(l.f, 0x1.777d0ffda0d24p-56, __dmul_rn(l.rest, 0x1.71547652b82fep+0));
  return lockstep_log_result(a, __dadd_rn(l.exponent, fma(l.f, 0x1.71547652b82fep+0, rest)));
}
LOCKSTEP_DEVICE double log10(double a) {
  const lockstep_logarithm_d l = lockstep_log(a);
  const double rest = fma(l.f, 0x1.95355baaafad3p-57, __dmul_rn(l.rest, 0x1.bcb7b1526e50ep-2));
  return lockstep_log_result(a, fma(l.exponent, 0x1.34413509f79ffp-2,
                                    fma(l.exponent, -0x1.9dc1da994fd21p-59, fma(l.f, 0x1.bcb7b1526e50ep-2, rest))));
}
LOCKSTEP_DEVICE double log1p(double a) {
  // 1 + a only chooses the power of two; (1 + a) / 2^power - 1 is f and what rounding took from it.
  const int power = (__double2hiint(__dadd_rn(a, 1.0)) - 0x3fe6a09e) >> 20;
  const double scale = __hiloint2double((1023 - power) << 20, 0), exponent = __int2double_rn(power);
  const double less = __dadd_rn(scale, -1.0), f = fma(scale, a, less), f_low = fma(scale, a, -__dadd_rn(f, -less));
  const double rest = fma(exponent, 0x1.abc9e3b39803fp-56, __dadd_rn(fma(-f, f_low, f_low), lockstep_log_rest(f)));
  const double result = fma(exponent, 0x1.62e42fefa39efp-1, __dadd_rn(f, rest));
  if (a > -1.0 && a < 0x1p1000) return a == 0.0 ? a : result;
  return a > -1.0 ? log(a) : lockstep_log_result(__dadd_rn(a, 1.0), 0.0);
}

// ---- powers ---------------------------------------------------------------------------------------------------------

/// A number as an unevaluated sum, the low part less than a unit in the last place of the high one.
struct lockstep_pair_d {
  double high, low;
};
/// The sum of two numbers, the first of which is not smaller (Dekker, Numer. Math. 1971).
LOCKSTEP_DEVICE lockstep_pair_d lockstep_sum(double large, double small) {
  const double sum = __dadd_rn(large, small);
  return {sum, __dadd_rn(small, -__dadd_rn(sum, -large))};
}
LOCKSTEP_DEVICE lockstep_pair_d lockstep_product(lockstep_pair_d a, lockstep_pair_d b) {
  const double high = __dmul_rn(a.high, b.high);
  return {high, fma(a.low, b.high, fma(a.high, b.low, fma(a.high, b.high, -high)))};
}
/// log2(a) for positive finite a: 2 / ln(2) (s + s^3 / 3 + s^5 P(s^2)) for s = (m - 1) / (m + 1), the first two in pairs.
LOCKSTEP_DEVICE lockstep_pair_d lockstep_log2_pair(double a) {
  const lockstep_scaled_d parts = lockstep_split(a);
  const double m = parts.mantissa, f = __dadd_rn(m, -1.0), sum = __dadd_rn(m, 1.0), sum_low = __dadd_rn(m, -__dadd_rn(sum, -1.0));
  const double reciprocal = __drcp_rn(sum), near = __dmul_rn(f, reciprocal);
  const lockstep_pair_d s = lockstep_sum(near, __dmul_rn(fma(-near, sum_low, fma(-near, sum, f)), reciprocal));
  const lockstep_pair_d z = lockstep_product(s, s), third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  const lockstep_pair_d cube = lockstep_product(lockstep_product(s, z), third);
  double p = fma(0x1.eb946c6f969adp-5, z.high, 0x1.de228016f96a9p-5);
  p = fma(p, z.high, 0x1.1121293ea0971p-4);
  p = fma(p, z.high, 0x1.3b135f6e20e49p-4);
  p = fma(p, z.high, 0x1.745d183fe81fdp-4);
  p = fma(p, z.high, 0x1.c71c71c560baep-4);
  p = fma(p, z.high, 0x1.2492492493164p-3);
  p = fma(p, z.high, 0x1.9999999999995p-3);
  const lockstep_pair_d head = lockstep_sum(s.high, cube.high);
  const double tail = fma(__dmul_rn(__dmul_rn(z.high, z.high), s.high), p, __dadd_rn(s.low, cube.low));
  const lockstep_pair_d natural = lockstep_sum(head.high, __dadd_rn(head.low, tail));
  const lockstep_pair_d log = lockstep_product(natural, {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55});
  const lockstep_pair_d whole = lockstep_sum(__int2double_rn(parts.power), log.high);
  // The sum is in order but for a power of 0, where it is exact.
  const lockstep_pair_d right = parts.power == 0 ? log : whole;
  return lockstep_sum(right.high, parts.power == 0 ? log.low : __dadd_rn(whole.low, log.low));
}
/// a^b for positive finite a.
LOCKSTEP_DEVICE double lockstep_pow(double a, double b) {
  const lockstep_pair_d log = lockstep_log2_pair(a);
  const double product = fmin(fmax(__dmul_rn(b, log.high), -1200.0), 1200.0), whole = rint(product);
  const double low = fabs(product) < 1200.0 ? fma(b, log.low, fma(b, log.high, -product)) : 0.0;
  // 2^(fraction + low) is (1 + q) with one rounding more than that of q.
  return lockstep_exp2(fmin(fmax(whole, -1100.0), 1030.0), __dadd_rn(__dadd_rn(product, -whole), low));
}
LOCKSTEP_DEVICE double pow(double a, double b) {
  const double size = fabs(a);
  if (a == 1.0 || b == 0.0) return 1.0;
  if (isnan(a) || isnan(b)) return __dadd_rn(a, b);
  const double half = __dmul_rn(b, 0.5);
  const bool whole = trunc(b) == b, odd = whole && trunc(half) != half;
  double result;
  if (isinf(b))
    result = size == 1.0 ? 1.0 : (size > 1.0) == (b > 0.0) ? __builtin_inf() : 0.0;
  else if (size == 0.0 || isinf(size))
    result = (size == 0.0) == (b < 0.0) ? __builtin_inf() : 0.0;
  else
    result = a < 0.0 && !whole ? __builtin_nan("") : lockstep_pow(size, b);
  return odd ? copysign(result, a) : result;
}

// ---- hyperbolic functions -------------------------------------------------------------------------------------------

/// e^a / 2 for a from 0 on.
LOCKSTEP_DEVICE double lockstep_half_exp(double a) {
  const lockstep_exponential_d e = lockstep_expm1(fmin(a, 720.0));
  return lockstep_scaled(__dadd_rn(e.p, 1.0), e.power - 1);
}
LOCKSTEP_DEVICE double sinh(double a) {
  const double size = fabs(a), e = expm1(fmin(size, 40.0));
  const double small = __dmul_rn(0.5, __dadd_rn(e, __ddiv_rn(e, __dadd_rn(e, 1.0))));
  return isnan(a) || size < 0x1p-28 ? a : copysign(size < 30.0 ? small : lockstep_half_exp(size), a);
}
LOCKSTEP_DEVICE double cosh(double a) {
  const double size = fabs(a);
  const lockstep_exponential_d e = lockstep_expm1(fmin(size, 40.0));
  const double scale = __hiloint2double((e.power + 1022) << 20, 0);
  // scale is half of the power of two, and (p + 1) scale half of e^|a|.
  const double inverse = __ddiv_rn(0.25, fma(scale, e.p, scale));
  return isnan(a) ? a : size < 30.0 ? __dadd_rn(scale, fma(scale, e.p, inverse)) : lockstep_half_exp(size);
}
/// e / (e + 2) for e = e^(2 |a|) - 1, the sum as a pair.
LOCKSTEP_DEVICE double tanh(double a) {
  const double size = fabs(a), e = expm1(fmin(__dadd_rn(size, size), 50.0));
  const double sum = __dadd_rn(e, 2.0), sum_low = __dadd_rn(e, -__dadd_rn(sum, -2.0)), reciprocal = __drcp_rn(sum);
  const double near = __dmul_rn(e, reciprocal), more = fma(-near, sum_low, fma(-near, sum, e));
  const double small = fma(more, reciprocal, near), large = fma(-2.0, reciprocal, 1.0);
  return isnan(a) || size < 0x1p-28 ? a : copysign(size < 1.0 ? small : large, a);
}
LOCKSTEP_DEVICE double asinh(double a) {
  const double size = fabs(a), square = __dmul_rn(size, size);
  const double grown = __dadd_rn(size, __ddiv_rn(square, __dadd_rn(1.0, sqrt(__dadd_rn(square, 1.0)))));
  const bool large = size > 0x1p500;
  const double result = log1p(large ? size : grown);
  return copysign(large ? __dadd_rn(result, 0x1.62e42fefa39efp-1) : result, a);
}
LOCKSTEP_DEVICE double acosh(double a) {
  const double above = __dadd_rn(a, -1.0);
  const bool large = a > 0x1p500;
  const double result = log1p(large ? a : __dadd_rn(above, sqrt(fma(above, above, __dadd_rn(above, above)))));
  return a < 1.0 ? __builtin_nan("") : large ? __dadd_rn(result, 0x1.62e42fefa39efp-1) : result;
}
LOCKSTEP_DEVICE double atanh(double a) {
  const double size = fabs(a);
  return copysign(__dmul_rn(0.5, log1p(__ddiv_rn(__dadd_rn(size, size), __dsub_rn(1.0, size)))), a);
}
