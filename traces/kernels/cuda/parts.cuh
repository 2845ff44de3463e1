#pragma once
// Exponents, fractions and remainders of float and double: exact, on the bits of the numbers.

/// How the bits of a T make a number.
template <class T>
struct lockstep_format;
template <>
struct lockstep_format<float> {
  typedef unsigned int bits;
  static constexpr int fraction_bits = 23, exponent_bits = 8, bias = 127;
  LOCKSTEP_DEVICE bits of(float a) { return __float_as_uint(a); }
  LOCKSTEP_DEVICE float number(bits a) { return __uint_as_float(a); }
  LOCKSTEP_DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
  LOCKSTEP_DEVICE int leading_zeros(bits a) { return __clz(a); }
};
template <>
struct lockstep_format<double> {
  typedef unsigned long long bits;
  static constexpr int fraction_bits = 52, exponent_bits = 11, bias = 1023;
  LOCKSTEP_DEVICE bits of(double a) { return __double_as_longlong(a); }
  LOCKSTEP_DEVICE double number(bits a) { return __longlong_as_double(a); }
  LOCKSTEP_DEVICE double product(double a, double b) { return __dmul_rn(a, b); }
  LOCKSTEP_DEVICE int leading_zeros(bits a) { return __clzll(a); }
};

/// A positive finite number as mantissa 2^exponent, the highest bit of the mantissa at place fraction_bits.
template <class T>
struct lockstep_parts {
  typedef lockstep_format<T> format;
  typename format::bits mantissa;
  int exponent;

  LOCKSTEP_DEVICE lockstep_parts of(T a) {
    const typename format::bits bits = format::of(a), one = 1;
    const int field = (int)(bits >> format::fraction_bits);
    const typename format::bits fraction = bits & ((one << format::fraction_bits) - 1);
    // A subnormal number is shifted up.
    const int shift = field == 0 ? format::leading_zeros(fraction) - format::exponent_bits : 0;
    return {field == 0 ? fraction << shift : fraction | one << format::fraction_bits,
            (field == 0 ? 1 - shift : field) - format::bias - format::fraction_bits};
  }
};
template <class T>
LOCKSTEP_DEVICE T lockstep_infinity() {
  typedef lockstep_format<T> format;
  return format::number((typename format::bits)(2 * format::bias + 1) << format::fraction_bits);
}
/// Whether it is zero, infinite or no number.
template <class T>
LOCKSTEP_DEVICE bool lockstep_has_no_parts(T a) {
  return a == 0 || !(fabs(a) < lockstep_infinity<T>());
}

template <class T>
LOCKSTEP_DEVICE T lockstep_ldexp(T a, long long power) {
  typedef lockstep_format<T> format;
  typedef typename format::bits bits;
  if (lockstep_has_no_parts(a)) return a;
  const lockstep_parts<T> parts = lockstep_parts<T>::of(fabs(a));
  const long long field = parts.exponent + format::fraction_bits + format::bias + power;
  if (field > 2 * format::bias) return copysign(lockstep_infinity<T>(), a);
  // Below the normal numbers: made larger, then rounded once.
  constexpr int raise = 2 * format::fraction_bits;
  const bool subnormal = field < 1;
  const int raised = subnormal ? (int)max(field + raise, 1ll) : (int)field;
  const bits fraction = parts.mantissa & (((bits)1 << format::fraction_bits) - 1);
  const T result = format::number((bits)raised << format::fraction_bits | fraction);
  const T down = format::number((bits)(format::bias - raise) << format::fraction_bits);
  return copysign(subnormal ? format::product(result, down) : result, a);
}
template <class T>
LOCKSTEP_DEVICE T lockstep_frexp(T a, int* power) {
  typedef lockstep_format<T> format;
  *power = 0;
  if (lockstep_has_no_parts(a)) return a;
  const lockstep_parts<T> parts = lockstep_parts<T>::of(fabs(a));
  *power = parts.exponent + format::fraction_bits + 1;
  const typename format::bits one = 1, fraction = parts.mantissa & ((one << format::fraction_bits) - 1);
  return copysign(format::number((typename format::bits)(format::bias - 1) << format::fraction_bits | fraction), a);
}
template <class T>
LOCKSTEP_DEVICE int lockstep_ilogb(T a) {
  if (a == 0 || isnan(a)) return (int)0x80000000;
  if (isinf(a)) return 0x7fffffff;
  return lockstep_parts<T>::of(fabs(a)).exponent + lockstep_format<T>::fraction_bits;
}
template <class T>
LOCKSTEP_DEVICE T lockstep_logb(T a) {
  if (a == 0) return -lockstep_infinity<T>();
  return isnan(a) || isinf(a) ? a * a : (T)lockstep_ilogb(a);
}
template <class T>
LOCKSTEP_DEVICE T lockstep_modf(T a, T* whole) {
  *whole = trunc(a);
  return copysign(isinf(a) ? (T)0 : a - *whole, a);
}
template <class T>
LOCKSTEP_DEVICE T lockstep_nextafter(T a, T towards) {
  typedef lockstep_format<T> format;
  if (isnan(a) || isnan(towards)) return a + towards;
  if (a == towards) return towards;
  if (a == 0) return copysign(format::number(1), towards);
  return format::number(format::of(a) + ((a < towards) == (a > 0) ? 1 : -1));
}
template <class T>
LOCKSTEP_DEVICE T lockstep_fdim(T a, T b) {
  return a <= b ? (T)0 : a - b;
}

/// |a| modulo |b| by long division, as many bits at a time as fit, and the lowest 32 bits of the quotient. Both finite, b
/// not 0.
template <class T>
LOCKSTEP_DEVICE T lockstep_rest(T a, T b, unsigned int* quotient) {
  typedef lockstep_format<T> format;
  *quotient = 0;
  a = fabs(a);
  b = fabs(b);
  if (a < b) return a;
  const lockstep_parts<T> dividend = lockstep_parts<T>::of(a), divisor = lockstep_parts<T>::of(b);
  typename format::bits rest = dividend.mantissa;
  if (rest >= divisor.mantissa) {
    rest -= divisor.mantissa;
    *quotient = 1;
  }
  for (int left = dividend.exponent - divisor.exponent; left > 0;) {
    const int step = min(left, format::exponent_bits);
    rest <<= step;
    const typename format::bits digits = rest / divisor.mantissa;
    rest -= digits * divisor.mantissa;
    *quotient = (*quotient << step) + (unsigned int)digits;
    left -= step;
  }
  return lockstep_ldexp((T)rest, divisor.exponent);
}
template <class T>
LOCKSTEP_DEVICE T lockstep_fmod(T a, T b) {
  unsigned int quotient;
  if (isnan(a) || isnan(b) || isinf(a) || b == 0) return (a * b) / (a * b);
  return isinf(b) ? a : copysign(lockstep_rest(a, b, &quotient), a);
}
template <class T>
LOCKSTEP_DEVICE T lockstep_remquo(T a, T b, int* quotient) {
  *quotient = 0;
  if (isnan(a) || isnan(b) || isinf(a) || b == 0) return (a * b) / (a * b);
  if (isinf(b)) return a;
  unsigned int digits;
  T rest = lockstep_rest(a, b, &digits);
  const T above = fabs(b) - rest;
  if (rest > above || (rest == above && (digits & 1))) {
    rest = -above;
    ++digits;
  }
  *quotient = (a < 0) == (b < 0) ? (int)(digits & 0x7fffffff) : -(int)(digits & 0x7fffffff);
  return a < 0 ? -rest : rest == 0 ? copysign(rest, a) : rest;
}

// Of both types; what C names with an f has its C++ name too.
#define LOCKSTEP_PARTS(T, f)                                                                                      \
  LOCKSTEP_DEVICE T ldexp##f(T a, int power) { return lockstep_ldexp(a, power); }                                 \
  LOCKSTEP_DEVICE T scalbn##f(T a, int power) { return lockstep_ldexp(a, power); }                                \
  LOCKSTEP_DEVICE T scalbln##f(T a, long power) { return lockstep_ldexp(a, max(min(power, 10000l), -10000l)); }   \
  LOCKSTEP_DEVICE T frexp##f(T a, int* power) { return lockstep_frexp(a, power); }                                \
  LOCKSTEP_DEVICE int ilogb##f(T a) { return lockstep_ilogb(a); }                                                 \
  LOCKSTEP_DEVICE T logb##f(T a) { return lockstep_logb(a); }                                                     \
  LOCKSTEP_DEVICE T modf##f(T a, T* whole) { return lockstep_modf(a, whole); }                                    \
  LOCKSTEP_DEVICE T nextafter##f(T a, T towards) { return lockstep_nextafter(a, towards); }                       \
  LOCKSTEP_DEVICE T fdim##f(T a, T b) { return lockstep_fdim(a, b); }                                             \
  LOCKSTEP_DEVICE T fmod##f(T a, T b) { return lockstep_fmod(a, b); }                                             \
  LOCKSTEP_DEVICE T remainder##f(T a, T b) {                                                                      \
    int quotient;                                                                                                 \
    return lockstep_remquo(a, b, &quotient);                                                                      \
  }                                                                                                               \
  LOCKSTEP_DEVICE T remquo##f(T a, T b, int* quotient) { return lockstep_remquo(a, b, quotient); }
LOCKSTEP_PARTS(double, )
LOCKSTEP_PARTS(float, f)
LOCKSTEP_PARTS(float, )
#undef LOCKSTEP_PARTS
LOCKSTEP_DEVICE float nanf(const char*) {
  return __int_as_float(0x7fffffff);
}
LOCKSTEP_DEVICE double nan(const char*) {
  return __longlong_as_double(0x7fffffffffffffff);
}
