#pragma once
// Error functions and the normal distribution of double.

/// (1 + 2 a) e^(a^2) erfc(a) for a from 0 to 28, as a polynomial of (a - 3) / (a + 3); Shepherd and Laframboise, Math. Comp.
/// 1981.
LOCKSTEP_DEVICE double lockstep_erfcx(double a) {
  const double t = __ddiv_rn(__dadd_rn(a, -3.0), __dadd_rn(a, 3.0));
  double p = fma(0x1.29d68ec85ff17p-31, t, 0x1.8f314dd529a39p-26);
  p = fma(p, t, 0x1.05857295fae61p-24);
  p = fma(p, t, -0x1.0e2dd0fc715e4p-23);
  p = fma(p, t, -0x1.2c5020ecddc00p-21);
  p = fma(p, t, 0x1.7c542d403bed2p-22);
  p = fma(p, t, 0x1.cbdb12d0f73dap-19);
  p = fma(p, t, -0x1.8b82f618753c5p-21);
  p = fma(p, t, -0x1.50d757404a3f0p-16);
  p = fma(p, t, 0x1.4c7387f3414d0p-18);
  p = fma(p, t, 0x1.06562d9c223f5p-13);
  p = fma(p, t, -0x1.b9144458eea41p-14);
  p = fma(p, t, -0x1.98db1c21ef61ap-11);
  p = fma(p, t, 0x1.ef1be333daa46p-10);
  p = fma(p, t, 0x1.4b884c9d6335ap-9);
  p = fma(p, t, -0x1.8574c4166ee2fp-6);
  p = fma(p, t, 0x1.17ca2878dc167p-4);
  p = fma(p, t, -0x1.e88b803a236b6p-4);
  p = fma(p, t, 0x1.098366a5b0a26p-3);
  p = fma(p, t, -0x1.85a15c58abfadp-5);
  p = fma(p, t, -0x1.15c084bb9e860p-3);
  p = fma(p, t, 0x1.40c522d7e4988p+0);
  return __ddiv_rn(p, fma(2.0, a, 1.0));
}
/// factor erfc(a + low) for a from 0 on and a low part of it; the square of the sum is a pair.
LOCKSTEP_DEVICE double lockstep_erfc(double a, double low, double factor) {
  const double size = fmin(a, 28.0), square = __dmul_rn(size, size);
  const double square_low = fma(2.0 * size, low, fma(size, size, -square));
  const lockstep_exponential_d e = lockstep_expm1(-square, -square_low);
  return lockstep_scaled(__dmul_rn(__dmul_rn(__dadd_rn(e.p, 1.0), factor), lockstep_erfcx(size)), e.power);
}
/// The error function of |a| up to 1.
LOCKSTEP_DEVICE double lockstep_small_erf(double a) {
  const double square = __dmul_rn(a, a);
  double p = fma(0x1.04cb082aaa90dp-34, square, -0x1.3829671171dcep-30);
  p = fma(p, square, 0x1.f78eb75c71580p-27);
  p = fma(p, square, -0x1.5f1b3748d714cp-23);
  p = fma(p, square, 0x1.b9deb53c87c38p-20);
  p = fma(p, square, -0x1.f4d1da8e78a66p-17);
  p = fma(p, square, 0x1.f9a32164743cdp-14);
  p = fma(p, square, -0x1.c02db3d6f57dbp-11);
  p = fma(p, square, 0x1.565bcd0da67edp-8);
  p = fma(p, square, -0x1.b82ce312846b7p-6);
  p = fma(p, square, 0x1.ce2f21a042b1fp-4);
  p = fma(p, square, -0x1.812746b0379e6p-2);
  return fma(a, fma(p, square, 0x1.06eba8214db69p-3), a);
}
LOCKSTEP_DEVICE double erf(double a) {
  const double size = fabs(a);
  if (size < 1.0 || isnan(a)) return lockstep_small_erf(a);
  return copysign(__dsub_rn(1.0, lockstep_erfc(size, 0.0, 1.0)), a);
}
LOCKSTEP_DEVICE double erfc(double a) {
  const double size = fabs(a);
  if (size < 0.5 || isnan(a)) return __dsub_rn(1.0, lockstep_small_erf(a));
  const double tail = lockstep_erfc(size, 0.0, 1.0);
  return a < 0.0 ? __dsub_rn(2.0, tail) : tail;
}
LOCKSTEP_DEVICE double normcdf(double a) {
  // a / sqrt(2) as a pair.
  const double size = fmin(fabs(a), 39.0), high = __dmul_rn(size, 0x1.6a09e667f3bcdp-1);
  const double low = fma(size, -0x1.bdd3413b26456p-55, fma(size, 0x1.6a09e667f3bcdp-1, -high));
  if (size < 0.5 || isnan(a)) return fma(0.5, lockstep_small_erf(__dmul_rn(a, 0x1.6a09e667f3bcdp-1)), 0.5);
  const double tail = lockstep_erfc(high, low, 0.5);
  return a > 0.0 ? __dsub_rn(1.0, tail) : tail;
}
