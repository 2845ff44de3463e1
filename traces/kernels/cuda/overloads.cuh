#pragma once
// The C++ names of functions of float, and functions of integers, which count as double.

#define LOCKSTEP_OVERLOAD_1(name)        \
  LOCKSTEP_DEVICE float name(float a) {  \
    return name##f(a);                   \
  }
LOCKSTEP_OVERLOAD_1(exp)
LOCKSTEP_OVERLOAD_1(exp2)
LOCKSTEP_OVERLOAD_1(exp10)
LOCKSTEP_OVERLOAD_1(expm1)
LOCKSTEP_OVERLOAD_1(log)
LOCKSTEP_OVERLOAD_1(log2)
LOCKSTEP_OVERLOAD_1(log10)
LOCKSTEP_OVERLOAD_1(log1p)
LOCKSTEP_OVERLOAD_1(sinh)
LOCKSTEP_OVERLOAD_1(cosh)
LOCKSTEP_OVERLOAD_1(tanh)
LOCKSTEP_OVERLOAD_1(asinh)
LOCKSTEP_OVERLOAD_1(acosh)
LOCKSTEP_OVERLOAD_1(atanh)
LOCKSTEP_OVERLOAD_1(sin)
LOCKSTEP_OVERLOAD_1(cos)
LOCKSTEP_OVERLOAD_1(tan)
LOCKSTEP_OVERLOAD_1(sinpi)
LOCKSTEP_OVERLOAD_1(cospi)
LOCKSTEP_OVERLOAD_1(asin)
LOCKSTEP_OVERLOAD_1(acos)
LOCKSTEP_OVERLOAD_1(atan)
LOCKSTEP_OVERLOAD_1(cbrt)
LOCKSTEP_OVERLOAD_1(rcbrt)
LOCKSTEP_OVERLOAD_1(erf)
LOCKSTEP_OVERLOAD_1(erfc)
LOCKSTEP_OVERLOAD_1(erfcx)
LOCKSTEP_OVERLOAD_1(normcdf)
LOCKSTEP_OVERLOAD_1(tgamma)
LOCKSTEP_OVERLOAD_1(lgamma)
#undef LOCKSTEP_OVERLOAD_1
#define LOCKSTEP_OVERLOAD_2(name)                 \
  LOCKSTEP_DEVICE float name(float a, float b) {  \
    return name##f(a, b);                         \
  }
LOCKSTEP_OVERLOAD_2(pow)
LOCKSTEP_OVERLOAD_2(atan2)
LOCKSTEP_OVERLOAD_2(hypot)
LOCKSTEP_OVERLOAD_2(rhypot)
#undef LOCKSTEP_OVERLOAD_2
LOCKSTEP_DEVICE void sincos(float a, float* sine, float* cosine) {
  sincosf(a, sine, cosine);
}
LOCKSTEP_DEVICE void sincospi(float a, float* sine, float* cosine) {
  sincospif(a, sine, cosine);
}
