#pragma once
// Half precision: __half, __half2 and their functions. Below sm_53, which computes no halves, by way of float.
#include "../../lockstep_cuda.cuh"

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
#define LOCKSTEP_HALF static __host__ __device__ __forceinline__ __attribute__((nodebug))
#define LOCKSTEP_MEMBER __host__ __device__ __forceinline__ __attribute__((nodebug))

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

#define LOCKSTEP_TO_HALF(name, rounding)                             \
  LOCKSTEP_HALF unsigned short name(float a) {                       \
    unsigned short result;                                           \
    asm("cvt." rounding ".f16.f32 %0, %1;" : "=h"(result) : "f"(a)); \
    return result;                                                   \
  }
LOCKSTEP_TO_HALF(lockstep_half_rn, "rn")
LOCKSTEP_TO_HALF(lockstep_half_rz, "rz")
LOCKSTEP_TO_HALF(lockstep_half_rd, "rm")
LOCKSTEP_TO_HALF(lockstep_half_ru, "rp")
#undef LOCKSTEP_TO_HALF
LOCKSTEP_HALF float lockstep_half_value(unsigned short a) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(a));
  return result;
}

struct __align__(2) __half {
  unsigned short __x;
  __half() = default;
  LOCKSTEP_MEMBER __half(__half_raw raw) : __x(raw.x) {}
  LOCKSTEP_MEMBER __half(float a) : __x(lockstep_half_rn(a)) {}
  LOCKSTEP_MEMBER __half(double a);
#define LOCKSTEP_FROM(T) \
  LOCKSTEP_MEMBER __half(T a) : __x(lockstep_half_rn((float)a)) {}
  LOCKSTEP_FROM(int)
  LOCKSTEP_FROM(unsigned int)
  LOCKSTEP_FROM(short)
  LOCKSTEP_FROM(unsigned short)
  LOCKSTEP_FROM(long)
  LOCKSTEP_FROM(unsigned long)
  LOCKSTEP_FROM(long long)
  LOCKSTEP_FROM(unsigned long long)
#undef LOCKSTEP_FROM
  LOCKSTEP_MEMBER operator float() const {
    return lockstep_half_value(__x);
  }
  LOCKSTEP_MEMBER operator __half_raw() const {
    return {__x};
  }
};
typedef __half half;
typedef __half __nv_half;

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  LOCKSTEP_MEMBER __half2(__half low, __half high) : x(low), y(high) {}
};
typedef __half2 half2;
typedef __half2 __nv_half2;

LOCKSTEP_HALF __half lockstep_half_of(unsigned short bits) {
  return __half(__half_raw{bits});
}
LOCKSTEP_HALF unsigned lockstep_bits(__half2 a) {
  return a.x.__x | (unsigned)a.y.__x << 16;
}
LOCKSTEP_HALF __half2 lockstep_half2_of(unsigned bits) {
  return __half2(lockstep_half_of((unsigned short)bits), lockstep_half_of((unsigned short)(bits >> 16)));
}
LOCKSTEP_MEMBER __half::__half(double a) {
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__x) : "d"(a));
}

#include "half/arithmetic.h"
#include "half/comparisons.h"
#include "half/conversions.h"
#include "half/memory.h"

#undef LOCKSTEP_MEMBER
#undef LOCKSTEP_HALF
#endif
