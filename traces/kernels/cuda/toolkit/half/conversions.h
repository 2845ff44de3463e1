#pragma once
// Halves from and to other types, and halves of pairs.

LOCKSTEP_HALF float __half2float(__half a) {
  return (float)a;
}
LOCKSTEP_HALF __half __float2half(float a) {
  return __half(a);
}
LOCKSTEP_HALF __half __double2half(double a) {
  return __half(a);
}
#define LOCKSTEP_ROUNDED(mode)                        \
  LOCKSTEP_HALF __half __float2half_##mode(float a) { \
    return lockstep_half_of(lockstep_half_##mode(a)); \
  }
LOCKSTEP_ROUNDED(rn)
LOCKSTEP_ROUNDED(rz)
LOCKSTEP_ROUNDED(rd)
LOCKSTEP_ROUNDED(ru)
#undef LOCKSTEP_ROUNDED

#define LOCKSTEP_CONVERSION(name, T, ptx, constraint, mode, integer_mode, half_mode)       \
  LOCKSTEP_HALF __half __##name##2half_##mode(T a) {                                       \
    unsigned short result;                                                                 \
    asm("cvt." half_mode ".f16." ptx " %0, %1;" : "=h"(result) : constraint(a));           \
    return lockstep_half_of(result);                                                       \
  }                                                                                        \
  LOCKSTEP_HALF T __half2##name##_##mode(__half a) {                                       \
    T result;                                                                              \
    asm("cvt." integer_mode "." ptx ".f16 %0, %1;" : "=" constraint(result) : "h"(a.__x)); \
    return result;                                                                         \
  }
#define LOCKSTEP_CONVERSIONS(name, T, ptx, constraint)           \
  LOCKSTEP_CONVERSION(name, T, ptx, constraint, rn, "rni", "rn") \
  LOCKSTEP_CONVERSION(name, T, ptx, constraint, rz, "rzi", "rz") \
  LOCKSTEP_CONVERSION(name, T, ptx, constraint, rd, "rmi", "rm") \
  LOCKSTEP_CONVERSION(name, T, ptx, constraint, ru, "rpi", "rp")
LOCKSTEP_CONVERSIONS(short, short, "s16", "h")
LOCKSTEP_CONVERSIONS(ushort, unsigned short, "u16", "h")
LOCKSTEP_CONVERSIONS(int, int, "s32", "r")
LOCKSTEP_CONVERSIONS(uint, unsigned int, "u32", "r")
LOCKSTEP_CONVERSIONS(ll, long long, "s64", "l")
LOCKSTEP_CONVERSIONS(ull, unsigned long long, "u64", "l")
#undef LOCKSTEP_CONVERSIONS
#undef LOCKSTEP_CONVERSION

LOCKSTEP_HALF unsigned short __half_as_ushort(__half a) {
  return a.__x;
}
LOCKSTEP_HALF short __half_as_short(__half a) {
  return (short)a.__x;
}
LOCKSTEP_HALF __half __ushort_as_half(unsigned short a) {
  return lockstep_half_of(a);
}
LOCKSTEP_HALF __half __short_as_half(short a) {
  return lockstep_half_of((unsigned short)a);
}

LOCKSTEP_HALF __half2 make_half2(__half a, __half b) {
  return __half2(a, b);
}
LOCKSTEP_HALF __half2 __halves2half2(__half a, __half b) {
  return __half2(a, b);
}
LOCKSTEP_HALF __half2 __half2half2(__half a) {
  return __half2(a, a);
}
LOCKSTEP_HALF __half2 __float2half2_rn(float a) {
  return __half2(__half(a), __half(a));
}
LOCKSTEP_HALF __half2 __floats2half2_rn(float a, float b) {
  return __half2(__half(a), __half(b));
}
LOCKSTEP_HALF __half2 __float22half2_rn(float2 a) {
  return __half2(__half(a.x), __half(a.y));
}
LOCKSTEP_HALF float2 __half22float2(__half2 a) {
  return make_float2((float)a.x, (float)a.y);
}
LOCKSTEP_HALF __half __low2half(__half2 a) {
  return a.x;
}
LOCKSTEP_HALF __half __high2half(__half2 a) {
  return a.y;
}
LOCKSTEP_HALF float __low2float(__half2 a) {
  return (float)a.x;
}
LOCKSTEP_HALF float __high2float(__half2 a) {
  return (float)a.y;
}
LOCKSTEP_HALF __half2 __low2half2(__half2 a) {
  return __half2(a.x, a.x);
}
LOCKSTEP_HALF __half2 __high2half2(__half2 a) {
  return __half2(a.y, a.y);
}
LOCKSTEP_HALF __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
LOCKSTEP_HALF __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}
LOCKSTEP_HALF __half2 __lowhigh2highlow(__half2 a) {
  return __half2(a.y, a.x);
}
