#pragma once
// CUDA's vector types and dim3.

// Host code beside kernels makes vectors, too.
#define LOCKSTEP_BOTH static __host__ __device__ __forceinline__ __attribute__((nodebug))
#define LOCKSTEP_VECTORS(T, name, align2, align4)            \
  struct name##1 {                                           \
    T x;                                                     \
  };                                                         \
  struct __align__(align2) name##2 {                         \
    T x, y;                                                  \
  };                                                         \
  struct name##3 {                                           \
    T x, y, z;                                               \
  };                                                         \
  struct __align__(align4) name##4 {                         \
    T x, y, z, w;                                            \
  };                                                         \
  LOCKSTEP_BOTH name##1 make_##name##1(T x) {                \
    return {x};                                              \
  }                                                          \
  LOCKSTEP_BOTH name##2 make_##name##2(T x, T y) {           \
    return {x, y};                                           \
  }                                                          \
  LOCKSTEP_BOTH name##3 make_##name##3(T x, T y, T z) {      \
    return {x, y, z};                                        \
  }                                                          \
  LOCKSTEP_BOTH name##4 make_##name##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                     \
  }

LOCKSTEP_VECTORS(signed char, char, 2, 4)
LOCKSTEP_VECTORS(unsigned char, uchar, 2, 4)
LOCKSTEP_VECTORS(short, short, 4, 8)
LOCKSTEP_VECTORS(unsigned short, ushort, 4, 8)
LOCKSTEP_VECTORS(int, int, 8, 16)
LOCKSTEP_VECTORS(unsigned int, uint, 8, 16)
LOCKSTEP_VECTORS(long, long, 16, 16)
LOCKSTEP_VECTORS(unsigned long, ulong, 16, 16)
LOCKSTEP_VECTORS(long long, longlong, 16, 16)
LOCKSTEP_VECTORS(unsigned long long, ulonglong, 16, 16)
LOCKSTEP_VECTORS(float, float, 8, 16)
LOCKSTEP_VECTORS(double, double, 16, 16)
#undef LOCKSTEP_VECTORS
#undef LOCKSTEP_BOTH

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
