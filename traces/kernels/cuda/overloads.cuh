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
// Of integers: as double. min, max and abs have forms of their own.
template <class T>
struct lockstep_integer {};
#define LOCKSTEP_INTEGER(T)      \
  template <>                    \
  struct lockstep_integer<T> {   \
    typedef double as_double;    \
  };
LOCKSTEP_INTEGER(bool)
LOCKSTEP_INTEGER(char)
LOCKSTEP_INTEGER(signed char)
LOCKSTEP_INTEGER(unsigned char)
LOCKSTEP_INTEGER(short)
LOCKSTEP_INTEGER(unsigned short)
LOCKSTEP_INTEGER(int)
LOCKSTEP_INTEGER(unsigned int)
LOCKSTEP_INTEGER(long)
LOCKSTEP_INTEGER(unsigned long)
LOCKSTEP_INTEGER(long long)
LOCKSTEP_INTEGER(unsigned long long)
#undef LOCKSTEP_INTEGER
#define LOCKSTEP_OF_INTEGER(name)                                                    \
  template <class T>                                                                 \
  LOCKSTEP_DEVICE typename lockstep_integer<T>::as_double name(T a) {                \
    return name((double)a);                                                          \
  }
LOCKSTEP_OF_INTEGER(sqrt)
LOCKSTEP_OF_INTEGER(rsqrt)
LOCKSTEP_OF_INTEGER(fabs)
LOCKSTEP_OF_INTEGER(floor)
LOCKSTEP_OF_INTEGER(ceil)
LOCKSTEP_OF_INTEGER(trunc)
LOCKSTEP_OF_INTEGER(rint)
LOCKSTEP_OF_INTEGER(nearbyint)
LOCKSTEP_OF_INTEGER(round)
LOCKSTEP_OF_INTEGER(exp)
LOCKSTEP_OF_INTEGER(exp2)
LOCKSTEP_OF_INTEGER(exp10)
LOCKSTEP_OF_INTEGER(expm1)
LOCKSTEP_OF_INTEGER(log)
LOCKSTEP_OF_INTEGER(log2)
LOCKSTEP_OF_INTEGER(log10)
LOCKSTEP_OF_INTEGER(log1p)
LOCKSTEP_OF_INTEGER(sinh)
LOCKSTEP_OF_INTEGER(cosh)
LOCKSTEP_OF_INTEGER(tanh)
LOCKSTEP_OF_INTEGER(asinh)
LOCKSTEP_OF_INTEGER(acosh)
LOCKSTEP_OF_INTEGER(atanh)
LOCKSTEP_OF_INTEGER(sin)
LOCKSTEP_OF_INTEGER(cos)
LOCKSTEP_OF_INTEGER(tan)
LOCKSTEP_OF_INTEGER(asin)
LOCKSTEP_OF_INTEGER(acos)
LOCKSTEP_OF_INTEGER(atan)
LOCKSTEP_OF_INTEGER(cbrt)
LOCKSTEP_OF_INTEGER(rcbrt)
LOCKSTEP_OF_INTEGER(erf)
LOCKSTEP_OF_INTEGER(erfc)
#undef LOCKSTEP_OF_INTEGER
// Of two arguments, one or both of which are not of one floating-point type: as double. Never for two of the same.
template <class T, class U>
struct lockstep_mixed {
  typedef double as_double;
};
template <>
struct lockstep_mixed<float, float> {};
template <>
struct lockstep_mixed<double, double> {};
#define LOCKSTEP_OF_MIXED(name)                                                      \
  template <class T, class U>                                                        \
  LOCKSTEP_DEVICE typename lockstep_mixed<T, U>::as_double name(T a, U b) {          \
    return name((double)a, (double)b);                                               \
  }
LOCKSTEP_OF_MIXED(pow)
LOCKSTEP_OF_MIXED(atan2)
LOCKSTEP_OF_MIXED(hypot)
LOCKSTEP_OF_MIXED(fmod)
LOCKSTEP_OF_MIXED(remainder)
LOCKSTEP_OF_MIXED(fmin)
LOCKSTEP_OF_MIXED(fmax)
LOCKSTEP_OF_MIXED(copysign)
LOCKSTEP_OF_MIXED(fdim)
LOCKSTEP_OF_MIXED(nextafter)
#undef LOCKSTEP_OF_MIXED
// A float to a whole power is a float.
LOCKSTEP_DEVICE float pow(float a, int b) {
  return powf(a, (float)b);
}
