#pragma once
// Sums, products and functions of halves.

#if __CUDA_ARCH__ >= 530
#define LOCKSTEP_HALF_2(name, suffix, instruction, operation)                                            \
  LOCKSTEP_HALF __half __h##name##suffix(__half a, __half b) {                                           \
    unsigned short result;                                                                               \
    asm(instruction ".f16 %0, %1, %2;" : "=h"(result) : "h"(a.__x), "h"(b.__x));                         \
    return lockstep_half_of(result);                                                                     \
  }                                                                                                      \
  LOCKSTEP_HALF __half2 __h##name##2##suffix(__half2 a, __half2 b) {                                     \
    unsigned result;                                                                                     \
    asm(instruction ".f16x2 %0, %1, %2;" : "=r"(result) : "r"(lockstep_bits(a)), "r"(lockstep_bits(b))); \
    return lockstep_half2_of(result);                                                                    \
  }
#define LOCKSTEP_HALF_3(name, suffix)                                                                \
  LOCKSTEP_HALF __half __hfma##name(__half a, __half b, __half c) {                                  \
    unsigned short result;                                                                           \
    asm("fma.rn" suffix ".f16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
    return lockstep_half_of(result);                                                                 \
  }                                                                                                  \
  LOCKSTEP_HALF __half2 __hfma2##name(__half2 a, __half2 b, __half2 c) {                             \
    unsigned result;                                                                                 \
    asm("fma.rn" suffix ".f16x2 %0, %1, %2, %3;"                                                     \
        : "=r"(result)                                                                               \
        : "r"(lockstep_bits(a)), "r"(lockstep_bits(b)), "r"(lockstep_bits(c)));                      \
    return lockstep_half2_of(result);                                                                \
  }
LOCKSTEP_HALF_3(, "")
LOCKSTEP_HALF_3(_sat, ".sat")
#else
#define LOCKSTEP_HALF_2(name, suffix, instruction, operation)                 \
  LOCKSTEP_HALF __half __h##name##suffix(__half a, __half b) {                \
    return __half((float)a operation(float) b);                               \
  }                                                                           \
  LOCKSTEP_HALF __half2 __h##name##2##suffix(__half2 a, __half2 b) {          \
    return __half2(__h##name##suffix(a.x, b.x), __h##name##suffix(a.y, b.y)); \
  }
LOCKSTEP_HALF __half __hfma(__half a, __half b, __half c) {
  return __half(__builtin_fmaf((float)a, (float)b, (float)c));
}
LOCKSTEP_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
LOCKSTEP_HALF __half lockstep_saturated(float a) {
  return __half(a > 1.0f ? 1.0f : a > 0.0f ? a : 0.0f);
}
LOCKSTEP_HALF __half __hfma_sat(__half a, __half b, __half c) {
  return lockstep_saturated(__builtin_fmaf((float)a, (float)b, (float)c));
}
LOCKSTEP_HALF __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
#endif
LOCKSTEP_HALF_2(add, , "add", +)
LOCKSTEP_HALF_2(sub, , "sub", -)
LOCKSTEP_HALF_2(mul, , "mul", *)
// Never part of a fused multiply-add.
LOCKSTEP_HALF_2(add, _rn, "add.rn", +)
LOCKSTEP_HALF_2(sub, _rn, "sub.rn", -)
LOCKSTEP_HALF_2(mul, _rn, "mul.rn", *)
#undef LOCKSTEP_HALF_3
#undef LOCKSTEP_HALF_2

LOCKSTEP_HALF __half __hdiv(__half a, __half b) {
  return __half((float)a / (float)b);
}
LOCKSTEP_HALF __half __hneg(__half a) {
  return lockstep_half_of(a.__x ^ 0x8000u);
}
LOCKSTEP_HALF __half __habs(__half a) {
  return lockstep_half_of(a.__x & 0x7fffu);
}
LOCKSTEP_HALF __half2 __h2div(__half2 a, __half2 b) {
  return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
LOCKSTEP_HALF __half2 __hneg2(__half2 a) {
  return __half2(__hneg(a.x), __hneg(a.y));
}
LOCKSTEP_HALF __half2 __habs2(__half2 a) {
  return __half2(__habs(a.x), __habs(a.y));
}
#define LOCKSTEP_SATURATING(name, ...)                                    \
  LOCKSTEP_HALF __half __h##name##_sat(__half a, __half b) {              \
    return __hfma_sat(__VA_ARGS__);                                       \
  }                                                                       \
  LOCKSTEP_HALF __half2 __h##name##2_sat(__half2 a, __half2 b) {          \
    return __half2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)); \
  }
LOCKSTEP_SATURATING(add, a, __half(1.0f), b)
LOCKSTEP_SATURATING(sub, b, __half(-1.0f), a)
LOCKSTEP_SATURATING(mul, a, b, __half(-0.0f))
#undef LOCKSTEP_SATURATING

// Of a half by way of float.
#define LOCKSTEP_HALF_FUNCTION(name, value)                                                \
  static __device__ __forceinline__ __attribute__((nodebug)) __half h##name(__half h) {    \
    const float a = (float)h;                                                              \
    return __half(value);                                                                  \
  }                                                                                        \
  static __device__ __forceinline__ __attribute__((nodebug)) __half2 h2##name(__half2 a) { \
    return __half2(h##name(a.x), h##name(a.y));                                            \
  }
LOCKSTEP_HALF_FUNCTION(sqrt, sqrtf(a))
LOCKSTEP_HALF_FUNCTION(rsqrt, rsqrtf(a))
LOCKSTEP_HALF_FUNCTION(rcp, 1.0f / a)
LOCKSTEP_HALF_FUNCTION(exp, expf(a))
LOCKSTEP_HALF_FUNCTION(exp2, exp2f(a))
LOCKSTEP_HALF_FUNCTION(exp10, exp10f(a))
LOCKSTEP_HALF_FUNCTION(log, logf(a))
LOCKSTEP_HALF_FUNCTION(log2, log2f(a))
LOCKSTEP_HALF_FUNCTION(log10, log10f(a))
LOCKSTEP_HALF_FUNCTION(sin, sinf(a))
LOCKSTEP_HALF_FUNCTION(cos, cosf(a))
LOCKSTEP_HALF_FUNCTION(floor, floorf(a))
LOCKSTEP_HALF_FUNCTION(ceil, ceilf(a))
LOCKSTEP_HALF_FUNCTION(trunc, truncf(a))
LOCKSTEP_HALF_FUNCTION(rint, rintf(a))
#undef LOCKSTEP_HALF_FUNCTION

#define LOCKSTEP_OPERATOR(T, sign, name)                  \
  LOCKSTEP_HALF T operator sign(const T& a, const T& b) { \
    return name(a, b);                                    \
  }                                                       \
  LOCKSTEP_HALF T& operator sign##=(T& a, const T& b) {   \
    return a = name(a, b);                                \
  }
LOCKSTEP_OPERATOR(__half, +, __hadd)
LOCKSTEP_OPERATOR(__half, -, __hsub)
LOCKSTEP_OPERATOR(__half, *, __hmul)
LOCKSTEP_OPERATOR(__half, /, __hdiv)
LOCKSTEP_OPERATOR(__half2, +, __hadd2)
LOCKSTEP_OPERATOR(__half2, -, __hsub2)
LOCKSTEP_OPERATOR(__half2, *, __hmul2)
LOCKSTEP_OPERATOR(__half2, /, __h2div)
#undef LOCKSTEP_OPERATOR
LOCKSTEP_HALF __half operator-(const __half& a) {
  return __hneg(a);
}
LOCKSTEP_HALF __half2 operator-(const __half2& a) {
  return __hneg2(a);
}
LOCKSTEP_HALF __half operator+(const __half& a) {
  return a;
}
