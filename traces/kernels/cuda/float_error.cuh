#pragma once
// Error functions and the normal distribution of float.

/// (1 + 2 a) e^(a^2) erfc(a) for a from 0 on, as a polynomial of (a - 2) / (a + 2); Shepherd and Laframboise, Math. Comp. 1981.
LOCKSTEP_DEVICE float lockstep_erfcx(float a) {
  const float limited = fminf(a, 0x1p60f), t = __fmul_rn(__fadd_rn(limited, -2.0f), __frcp_rn(__fadd_rn(limited, 2.0f)));
  float p = fmaf(-0x1.655d1cp-16f, t, 0x1.14eb2p-14f);
  p = fmaf(p, t, 0x1.d8b2a8p-13f);
  p = fmaf(p, t, -0x1.7f8ca6p-12f);
  p = fmaf(p, t, -0x1.813894p-10f);
  p = fmaf(p, t, 0x1.4168p-10f);
  p = fmaf(p, t, 0x1.1e0298p-7f);
  p = fmaf(p, t, -0x1.06e824p-7f);
  p = fmaf(p, t, -0x1.bc2ec8p-5f);
  p = fmaf(p, t, 0x1.4ff9a6p-3f);
  p = fmaf(p, t, -0x1.5407a4p-3f);
  p = fmaf(p, t, -0x1.7bf5ecp-4f);
  p = fmaf(p, t, 0x1.46e80ep+0f);
  // Far out 2 a + 1 is 2 a, which may overflow.
  return a < 0x1p25f ? __fdiv_rn(p, fmaf(2.0f, a, 1.0f)) : __fmul_rn(__fmul_rn(p, 0.5f), __frcp_rn(a));
}
/// factor erfc(a + low) for a from 0 on and a low part of it; the square of the sum is a pair.
LOCKSTEP_DEVICE float lockstep_erfc(float a, float low, float factor) {
  const float size = fminf(a, 16.0f), square = __fmul_rn(size, size);
  const float square_low = fmaf(2.0f * size, low, fmaf(size, size, -square));
  const float whole = rintf(__fmul_rn(square, -0x1.715476p+0f));
  const float fraction = fmaf(square_low, -0x1.715476p+0f, fmaf(square, -0x1.4ae0cp-26f, fmaf(square, -0x1.715476p+0f, -whole)));
  return lockstep_scaled(__fmul_rn(__fmul_rn(lockstep_exp2(fraction), factor), lockstep_erfcx(size)), max(__float2int_rn(whole), -250));
}
/// The error function of |a| up to 1.
LOCKSTEP_DEVICE float lockstep_small_erf(float a) {
  const float square = __fmul_rn(a, a);
  float p = fmaf(0x1.4ddfd4p-14f, square, -0x1.a5b5bcp-11f);
  p = fmaf(p, square, 0x1.544824p-8f);
  p = fmaf(p, square, -0x1.b8025cp-6f);
  p = fmaf(p, square, 0x1.ce2d94p-4f);
  p = fmaf(p, square, -0x1.812742p-2f);
  p = fmaf(p, square, 0x1.06eba8p-3f);
  return fmaf(a, p, a);
}
LOCKSTEP_DEVICE float erff(float a) {
  const float size = fabsf(a);
  // log2(erfc(a)) up to 3.95, from where on the float next to erf(a) is 1.
  const float limited = fminf(size, 3.95f);
  float q = fmaf(0x1.1a4c68p-12f, limited, -0x1.16eb4ap-8f);
  q = fmaf(q, limited, 0x1.0235c4p-5f);
  q = fmaf(q, limited, -0x1.30b4b6p-3f);
  q = fmaf(q, limited, -0x1.d75a72p-1f);
  q = fmaf(q, limited, -0x1.a0460ap+0f);
  q = fmaf(q, limited, -0x1.fe945p-12f);
  const float large = __fsub_rn(1.0f, __exp2f(q));
  return size < 1.0f || isnan(a) ? lockstep_small_erf(a) : copysignf(large, a);
}
LOCKSTEP_DEVICE float erfcf(float a) {
  const float tail = lockstep_erfc(fabsf(a), 0.0f, 1.0f);
  if (fabsf(a) < 0.5f || isnan(a)) return __fsub_rn(1.0f, lockstep_small_erf(a));
  return a < 0.0f ? __fsub_rn(2.0f, tail) : tail;
}
/// e^(a^2) erfc(a).
LOCKSTEP_DEVICE float erfcxf(float a) {
  const float size = fabsf(a), limited = fminf(size, 16.0f), square = __fmul_rn(limited, limited);
  const float power = expf(square);
  if (size < 0.5f || isnan(a)) return __fmul_rn(power, __fsub_rn(1.0f, lockstep_small_erf(a)));
  const float tail = lockstep_erfcx(size);
  if (a > 0.0f || isinf(power)) return a > 0.0f ? tail : power;
  // The square as a pair.
  const float more = __fmul_rn(power, fmaf(limited, limited, -square));
  return __fsub_rn(fmaf(2.0f, more, __fadd_rn(power, power)), tail);
}
LOCKSTEP_DEVICE float normcdff(float a) {
  // a / sqrt(2) as a pair.
  const float size = fminf(fabsf(a), 20.0f), high = __fmul_rn(size, 0x1.6a09e6p-1f);
  const float low = fmaf(size, 0x1.9fcef4p-27f, fmaf(size, 0x1.6a09e6p-1f, -high));
  const float tail = lockstep_erfc(high, low, 0.5f);
  if (size < 0.5f || isnan(a)) return fmaf(0.5f, lockstep_small_erf(__fmul_rn(a, 0x1.6a09e6p-1f)), 0.5f);
  return a > 0.0f ? __fsub_rn(1.0f, tail) : tail;
}
