#pragma once
// Floating-point functions that are one instruction of the GPU or a few: sums and products with a stated rounding, roundings
// to whole numbers, comparisons, signs and classes, and the approximations of __sinf and its kind.

// ---- with a stated rounding -----------------------------------------------------------------------------------------

// Sums and products in assembly: clang takes its own builtins of add.rn and mul.rn for operators, and contracts them.
#define LOCKSTEP_FLOAT_2(name, instruction, T, constraint)                                               \
  LOCKSTEP_DEVICE T name(T a, T b) {                                                                     \
    T result;                                                                                            \
    asm(instruction " %0, %1, %2;" : "=" constraint(result) : constraint(a), constraint(b));             \
    return result;                                                                                       \
  }
// n: to nearest, z: towards zero, d: down, u: up; what the builtins call n, z, m and p.
#define LOCKSTEP_FLOAT_ROUNDED(suffix, mode)                                                             \
  LOCKSTEP_FLOAT_2(__fadd_r##suffix, "add.r" #mode ".f32", float, "f")                                  \
  LOCKSTEP_FLOAT_2(__fsub_r##suffix, "sub.r" #mode ".f32", float, "f")                                   \
  LOCKSTEP_FLOAT_2(__fmul_r##suffix, "mul.r" #mode ".f32", float, "f")                                  \
  LOCKSTEP_DEVICE float __fdiv_r##suffix(float a, float b) { return __nvvm_div_r##mode##_f(a, b); }      \
  LOCKSTEP_DEVICE float __fmaf_r##suffix(float a, float b, float c) {                                    \
    return __nvvm_fma_r##mode##_f(a, b, c);                                                              \
  }                                                                                                      \
  LOCKSTEP_DEVICE float __frcp_r##suffix(float a) { return __nvvm_rcp_r##mode##_f(a); }                  \
  LOCKSTEP_DEVICE float __fsqrt_r##suffix(float a) { return __nvvm_sqrt_r##mode##_f(a); }                \
  LOCKSTEP_FLOAT_2(__dadd_r##suffix, "add.r" #mode ".f64", double, "d")                                  \
  LOCKSTEP_FLOAT_2(__dsub_r##suffix, "sub.r" #mode ".f64", double, "d")                                  \
  LOCKSTEP_FLOAT_2(__dmul_r##suffix, "mul.r" #mode ".f64", double, "d")                                  \
  LOCKSTEP_DEVICE double __ddiv_r##suffix(double a, double b) { return __nvvm_div_r##mode##_d(a, b); }   \
  LOCKSTEP_DEVICE double __fma_r##suffix(double a, double b, double c) {                                 \
    return __nvvm_fma_r##mode##_d(a, b, c);                                                              \
  }                                                                                                      \
  LOCKSTEP_DEVICE double __drcp_r##suffix(double a) { return __nvvm_rcp_r##mode##_d(a); }                \
  LOCKSTEP_DEVICE double __dsqrt_r##suffix(double a) { return __nvvm_sqrt_r##mode##_d(a); }
LOCKSTEP_FLOAT_ROUNDED(n, n)
LOCKSTEP_FLOAT_ROUNDED(z, z)
LOCKSTEP_FLOAT_ROUNDED(d, m)
LOCKSTEP_FLOAT_ROUNDED(u, p)
#undef LOCKSTEP_FLOAT_ROUNDED
#undef LOCKSTEP_FLOAT_2

LOCKSTEP_DEVICE float fmaf(float a, float b, float c) {
  return __nvvm_fma_rn_f(a, b, c);
}
LOCKSTEP_DEVICE double fma(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}
LOCKSTEP_DEVICE float fma(float a, float b, float c) {
  return fmaf(a, b, c);
}
LOCKSTEP_DEVICE float sqrtf(float a) {
  return __nvvm_sqrt_rn_f(a);
}
LOCKSTEP_DEVICE double sqrt(double a) {
  return __nvvm_sqrt_rn_d(a);
}
LOCKSTEP_DEVICE float sqrt(float a) {
  return sqrtf(a);
}

// ---- larger and smaller, sign and class -----------------------------------------------------------------------------

LOCKSTEP_DEVICE float fabsf(float a) {
  return __builtin_fabsf(a);
}
LOCKSTEP_DEVICE double fabs(double a) {
  return __builtin_fabs(a);
}
LOCKSTEP_DEVICE float fabs(float a) {
  return fabsf(a);
}
LOCKSTEP_DEVICE float abs(float a) {
  return fabsf(a);
}
LOCKSTEP_DEVICE double abs(double a) {
  return fabs(a);
}
LOCKSTEP_DEVICE float fminf(float a, float b) {
  return __nvvm_fmin_f(a, b);
}
LOCKSTEP_DEVICE float fmaxf(float a, float b) {
  return __nvvm_fmax_f(a, b);
}
LOCKSTEP_DEVICE double fmin(double a, double b) {
  return __nvvm_fmin_d(a, b);
}
LOCKSTEP_DEVICE double fmax(double a, double b) {
  return __nvvm_fmax_d(a, b);
}
LOCKSTEP_DEVICE float fmin(float a, float b) {
  return fminf(a, b);
}
LOCKSTEP_DEVICE float fmax(float a, float b) {
  return fmaxf(a, b);
}
#define LOCKSTEP_MIN_MAX(name)                        \
  LOCKSTEP_DEVICE float name(float a, float b) {      \
    return f##name##f(a, b);                          \
  }                                                   \
  LOCKSTEP_DEVICE double name(double a, double b) {   \
    return f##name(a, b);                             \
  }                                                   \
  LOCKSTEP_DEVICE double name(float a, double b) {    \
    return f##name((double)a, b);                     \
  }                                                   \
  LOCKSTEP_DEVICE double name(double a, float b) {    \
    return f##name(a, (double)b);                     \
  }
LOCKSTEP_MIN_MAX(min)
LOCKSTEP_MIN_MAX(max)
#undef LOCKSTEP_MIN_MAX
// Of bits, so that a NaN keeps its own.
LOCKSTEP_DEVICE float copysignf(float a, float sign) {
  return __int_as_float((__float_as_int(a) & 0x7fffffff) | (__float_as_int(sign) & 0x80000000));
}
LOCKSTEP_DEVICE double copysign(double a, double sign) {
  return __hiloint2double((__double2hiint(a) & 0x7fffffff) | (__double2hiint(sign) & 0x80000000), __double2loint(a));
}
LOCKSTEP_DEVICE float copysign(float a, float sign) {
  return copysignf(a, sign);
}
LOCKSTEP_DEVICE bool isnan(float a) {
  return a != a;
}
LOCKSTEP_DEVICE bool isnan(double a) {
  return a != a;
}
LOCKSTEP_DEVICE bool isinf(float a) {
  return fabsf(a) == __builtin_inff();
}
LOCKSTEP_DEVICE bool isinf(double a) {
  return fabs(a) == __builtin_inf();
}
LOCKSTEP_DEVICE bool isfinite(float a) {
  return fabsf(a) < __builtin_inff();
}
LOCKSTEP_DEVICE bool isfinite(double a) {
  return fabs(a) < __builtin_inf();
}
LOCKSTEP_DEVICE bool signbit(float a) {
  return __float_as_int(a) < 0;
}
LOCKSTEP_DEVICE bool signbit(double a) {
  return __double2hiint(a) < 0;
}

// ---- to whole numbers -----------------------------------------------------------------------------------------------

// To nearest, halves away from zero: what lies between 0.5 and its predecessor must not become 1.
LOCKSTEP_DEVICE float roundf(float a) {
  const float whole = __nvvm_trunc_f(a);
  return copysignf(fabsf(__fsub_rn(a, whole)) >= 0.5f ? whole + copysignf(1.0f, a) : whole, a);
}
LOCKSTEP_DEVICE double round(double a) {
  const double whole = __nvvm_trunc_d(a);
  return copysign(fabs(__dsub_rn(a, whole)) >= 0.5 ? whole + copysign(1.0, a) : whole, a);
}
#define LOCKSTEP_TO_WHOLE(name, of_float, of_double)   \
  LOCKSTEP_DEVICE float name##f(float a) {             \
    return of_float(a);                                \
  }                                                    \
  LOCKSTEP_DEVICE double name(double a) {              \
    return of_double(a);                               \
  }                                                    \
  LOCKSTEP_DEVICE float name(float a) {                \
    return of_float(a);                                \
  }
LOCKSTEP_TO_WHOLE(floor, __nvvm_floor_f, __nvvm_floor_d)
LOCKSTEP_TO_WHOLE(ceil, __nvvm_ceil_f, __nvvm_ceil_d)
LOCKSTEP_TO_WHOLE(trunc, __nvvm_trunc_f, __nvvm_trunc_d)
LOCKSTEP_TO_WHOLE(rint, __builtin_rintf, __builtin_rint)
LOCKSTEP_TO_WHOLE(nearbyint, __builtin_rintf, __builtin_rint)
#undef LOCKSTEP_TO_WHOLE
LOCKSTEP_DEVICE float round(float a) {
  return roundf(a);
}
#define LOCKSTEP_TO_INTEGER(T, letters, convert_float, convert_double)                             \
  LOCKSTEP_DEVICE T letters##rintf(float a) { return convert_float##_rn(a); }                      \
  LOCKSTEP_DEVICE T letters##rint(double a) { return convert_double##_rn(a); }                     \
  LOCKSTEP_DEVICE T letters##rint(float a) { return convert_float##_rn(a); }                       \
  LOCKSTEP_DEVICE T letters##roundf(float a) { return convert_float##_rz(roundf(a)); }             \
  LOCKSTEP_DEVICE T letters##round(double a) { return convert_double##_rz(round(a)); }             \
  LOCKSTEP_DEVICE T letters##round(float a) { return convert_float##_rz(roundf(a)); }
LOCKSTEP_TO_INTEGER(long, l, __float2ll, __double2ll)
LOCKSTEP_TO_INTEGER(long long, ll, __float2ll, __double2ll)
#undef LOCKSTEP_TO_INTEGER

// ---- approximations -------------------------------------------------------------------------------------------------

LOCKSTEP_DEVICE float rsqrtf(float a) {
  return __nvvm_rsqrt_approx_f(a);
}
LOCKSTEP_DEVICE float rsqrt(float a) {
  return rsqrtf(a);
}
/// A step of third order from the approximation, whose residual 1 - a y^2 is exact but for its last rounding. Of what is neither
/// tiny nor subnormal.
LOCKSTEP_DEVICE float lockstep_rsqrt(float a) {
  const float y = rsqrtf(a), product = __fmul_rn(a, y), product_low = fmaf(a, y, -product);
  const float residual = fmaf(-product_low, y, fmaf(-product, y, 1.0f));
  const float more = fmaf(__fmul_rn(0.75f, residual), residual, residual);
  return a > 0.0f && a < __builtin_inff() ? fmaf(__fmul_rn(0.5f, y), more, y) : y;
}
LOCKSTEP_DEVICE float __frsqrt_rn(float a) {
  const bool tiny = fabsf(a) < 0x1p-60f;
  const float result = lockstep_rsqrt(__fmul_rn(a, tiny ? 0x1p100f : 1.0f));
  return __fmul_rn(result, tiny ? 0x1p50f : 1.0f);
}
LOCKSTEP_DEVICE float __saturatef(float a) {
  return __nvvm_saturate_f(a);
}
LOCKSTEP_DEVICE float __fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
LOCKSTEP_DEVICE float fdividef(float a, float b) {
  return a / b;
}
LOCKSTEP_DEVICE double fdivide(double a, double b) {
  return a / b;
}
LOCKSTEP_DEVICE float __sinf(float a) {
  return __nvvm_sin_approx_f(a);
}
LOCKSTEP_DEVICE float __cosf(float a) {
  return __nvvm_cos_approx_f(a);
}
LOCKSTEP_DEVICE void __sincosf(float a, float* sine, float* cosine) {
  *sine = __sinf(a);
  *cosine = __cosf(a);
}
LOCKSTEP_DEVICE float __tanf(float a) {
  return __fdividef(__sinf(a), __cosf(a));
}
LOCKSTEP_DEVICE float __log2f(float a) {
  return __nvvm_lg2_approx_f(a);
}
LOCKSTEP_DEVICE float __logf(float a) {
  return __log2f(a) * 0.693147181f;
}
LOCKSTEP_DEVICE float __log10f(float a) {
  return __log2f(a) * 0.301029996f;
}
LOCKSTEP_DEVICE float __exp2f(float a) {
  return __nvvm_ex2_approx_f(a);
}
LOCKSTEP_DEVICE float __expf(float a) {
  return __exp2f(a * 1.442695041f);
}
LOCKSTEP_DEVICE float __exp10f(float a) {
  return __exp2f(a * 3.321928095f);
}
LOCKSTEP_DEVICE float __powf(float a, float b) {
  return __exp2f(b * __log2f(a));
}
