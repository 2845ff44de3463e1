#pragma once
// Texture and surface functions of CUDA for clang without a toolkit; part of lockstep_cuda.cuh. Objects only: texture
// references exist in PTX, but no longer in CUDA.

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

/// What a fetch of T returns in registers, and how T is made of it.
template <class T>
struct lockstep_texel;
#define LOCKSTEP_TEXEL(T, name, registers)                                                      \
  template <>                                                                                   \
  struct lockstep_texel<T> {                                                                    \
    typedef registers fetched;                                                                  \
    LOCKSTEP_DEVICE T from(const fetched& v) { return (T)v.x; }                                 \
  };                                                                                            \
  template <>                                                                                   \
  struct lockstep_texel<name##1> {                                                              \
    typedef registers fetched;                                                                  \
    LOCKSTEP_DEVICE name##1 from(const fetched& v) { return {(T)v.x}; }                         \
  };                                                                                            \
  template <>                                                                                   \
  struct lockstep_texel<name##2> {                                                              \
    typedef registers fetched;                                                                  \
    LOCKSTEP_DEVICE name##2 from(const fetched& v) { return {(T)v.x, (T)v.y}; }                 \
  };                                                                                            \
  template <>                                                                                   \
  struct lockstep_texel<name##4> {                                                              \
    typedef registers fetched;                                                                  \
    LOCKSTEP_DEVICE name##4 from(const fetched& v) { return {(T)v.x, (T)v.y, (T)v.z, (T)v.w}; } \
  };
LOCKSTEP_TEXEL(signed char, char, int4)
LOCKSTEP_TEXEL(unsigned char, uchar, uint4)
LOCKSTEP_TEXEL(short, short, int4)
LOCKSTEP_TEXEL(unsigned short, ushort, uint4)
LOCKSTEP_TEXEL(int, int, int4)
LOCKSTEP_TEXEL(unsigned int, uint, uint4)
LOCKSTEP_TEXEL(float, float, float4)
#undef LOCKSTEP_TEXEL

// One function of CUDA: its parameters after the object, their names, the instruction up to its result type, what
// follows that, and the operands.
#define LOCKSTEP_REMOVE_PARENTHESES(...) __VA_ARGS__
#define LOCKSTEP_FETCH_AS(name, parameters, before, type, constraint, registers, after, operands) \
  LOCKSTEP_DEVICE void lockstep_##name(registers& v, cudaTextureObject_t texture,                 \
                                       LOCKSTEP_REMOVE_PARENTHESES parameters) {                  \
    asm(before "." type "." after                                                                 \
        : constraint(v.x), constraint(v.y), constraint(v.z), constraint(v.w)                      \
        : "l"(texture), LOCKSTEP_REMOVE_PARENTHESES operands);                                    \
  }
#define LOCKSTEP_FETCH(name, parameters, names, before, after, operands)                                      \
  LOCKSTEP_FETCH_AS(name, parameters, before, "f32", "=f", float4, after, operands)                           \
  LOCKSTEP_FETCH_AS(name, parameters, before, "s32", "=r", int4, after, operands)                             \
  LOCKSTEP_FETCH_AS(name, parameters, before, "u32", "=r", uint4, after, operands)                            \
  template <class T>                                                                                          \
  LOCKSTEP_DEVICE T name(cudaTextureObject_t texture, LOCKSTEP_REMOVE_PARENTHESES parameters) {               \
    typename lockstep_texel<T>::fetched v;                                                                    \
    lockstep_##name(v, texture, LOCKSTEP_REMOVE_PARENTHESES names);                                           \
    return lockstep_texel<T>::from(v);                                                                        \
  }                                                                                                           \
  template <class T>                                                                                          \
  LOCKSTEP_DEVICE void name(T* result, cudaTextureObject_t texture, LOCKSTEP_REMOVE_PARENTHESES parameters) { \
    *result = name<T>(texture, LOCKSTEP_REMOVE_PARENTHESES names);                                            \
  }

LOCKSTEP_FETCH(tex1Dfetch, (int x), (x), "tex.1d.v4", "s32 {%0, %1, %2, %3}, [%4, {%5}];", ("r"(x)))
LOCKSTEP_FETCH(tex1D, (float x), (x), "tex.1d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5}];", ("f"(x)))
LOCKSTEP_FETCH(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
               ("r"(layer), "f"(x)))
LOCKSTEP_FETCH(tex1DLod, (float x, float level), (x, level), "tex.level.1d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5}], %6;",
               ("f"(x), "f"(level)))
LOCKSTEP_FETCH(tex2D, (float x, float y), (x, y), "tex.2d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
               ("f"(x), "f"(y)))
LOCKSTEP_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d.v4",
               "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", ("r"(layer), "f"(x), "f"(y)))
LOCKSTEP_FETCH(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d.v4",
               "f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", ("f"(x), "f"(y), "f"(level)))
LOCKSTEP_FETCH(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "tex.grad.2d.v4",
               "f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};",
               ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
LOCKSTEP_FETCH(tex3D, (float x, float y, float z), (x, y, z), "tex.3d.v4",
               "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", ("f"(x), "f"(y), "f"(z)))
LOCKSTEP_FETCH(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.3d.v4",
               "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", ("f"(x), "f"(y), "f"(z), "f"(level)))
LOCKSTEP_FETCH(lockstep_gather_r, (float x, float y), (x, y), "tld4.r.2d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
               ("f"(x), "f"(y)))
LOCKSTEP_FETCH(lockstep_gather_g, (float x, float y), (x, y), "tld4.g.2d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
               ("f"(x), "f"(y)))
LOCKSTEP_FETCH(lockstep_gather_b, (float x, float y), (x, y), "tld4.b.2d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
               ("f"(x), "f"(y)))
LOCKSTEP_FETCH(lockstep_gather_a, (float x, float y), (x, y), "tld4.a.2d.v4", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];",
               ("f"(x), "f"(y)))
template <class T>
LOCKSTEP_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  switch (component) {
    case 1: return lockstep_gather_g<T>(texture, x, y);
    case 2: return lockstep_gather_b<T>(texture, x, y);
    case 3: return lockstep_gather_a<T>(texture, x, y);
    default: return lockstep_gather_r<T>(texture, x, y);
  }
}
#undef LOCKSTEP_FETCH
#undef LOCKSTEP_FETCH_AS

// ---- surfaces: x counts bytes ---------------------------------------------------------------------------------------

struct lockstep_byte {
  unsigned short v;
};
struct lockstep_short {
  unsigned short v;
};
template <int bytes>
struct lockstep_words;
template <>
struct lockstep_words<1> {
  typedef lockstep_byte type;
};
template <>
struct lockstep_words<2> {
  typedef lockstep_short type;
};
template <>
struct lockstep_words<4> {
  typedef uint1 type;
};
template <>
struct lockstep_words<8> {
  typedef uint2 type;
};
template <>
struct lockstep_words<16> {
  typedef uint4 type;
};

// One access: where in the surface, which coordinates, how many registers.
#define LOCKSTEP_SURFACE_WORDS(name, mode, geometry, place, parameters, coordinates, words, type, values, outputs,     \
                               inputs)                                                                                 \
  LOCKSTEP_DEVICE void lockstep_load_##name##_##mode(words& w, cudaSurfaceObject_t surface,                            \
                                                     LOCKSTEP_REMOVE_PARENTHESES parameters) {                         \
    asm volatile("suld.b." geometry "." type "." #mode " " values ", [%[surface], " place "];"                         \
                 : LOCKSTEP_REMOVE_PARENTHESES outputs                                                                 \
                 : [surface] "l"(surface), LOCKSTEP_REMOVE_PARENTHESES coordinates                                     \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  LOCKSTEP_DEVICE void lockstep_store_##name##_##mode(const words& w, cudaSurfaceObject_t surface,                     \
                                                      LOCKSTEP_REMOVE_PARENTHESES parameters) {                        \
    asm volatile("sust.b." geometry "." type "." #mode " [%[surface], " place "], " values ";"                         \
                 :                                                                                                     \
                 : [surface] "l"(surface), LOCKSTEP_REMOVE_PARENTHESES coordinates, LOCKSTEP_REMOVE_PARENTHESES inputs \
                 : "memory");                                                                                          \
  }
#define LOCKSTEP_SURFACE_MODE(name, mode, geometry, place, parameters, coordinates)                                \
  LOCKSTEP_SURFACE_WORDS(name, mode, geometry, place, parameters, coordinates, lockstep_byte, "b8", "{%[a]}",      \
                         ([a] "=h"(w.v)), ([a] "h"(w.v)))                                                          \
  LOCKSTEP_SURFACE_WORDS(name, mode, geometry, place, parameters, coordinates, lockstep_short, "b16", "{%[a]}",    \
                         ([a] "=h"(w.v)), ([a] "h"(w.v)))                                                          \
  LOCKSTEP_SURFACE_WORDS(name, mode, geometry, place, parameters, coordinates, uint1, "b32", "{%[a]}",             \
                         ([a] "=r"(w.x)), ([a] "r"(w.x)))                                                          \
  LOCKSTEP_SURFACE_WORDS(name, mode, geometry, place, parameters, coordinates, uint2, "v2.b32", "{%[a], %[b]}",    \
                         ([a] "=r"(w.x), [b] "=r"(w.y)), ([a] "r"(w.x), [b] "r"(w.y)))                             \
  LOCKSTEP_SURFACE_WORDS(name, mode, geometry, place, parameters, coordinates, uint4, "v4.b32",                    \
                         "{%[a], %[b], %[c], %[d]}", ([a] "=r"(w.x), [b] "=r"(w.y), [c] "=r"(w.z), [d] "=r"(w.w)), \
                         ([a] "r"(w.x), [b] "r"(w.y), [c] "r"(w.z), [d] "r"(w.w)))
#define LOCKSTEP_SURFACE(name, geometry, place, parameters, names, coordinates)                                        \
  LOCKSTEP_SURFACE_MODE(name, zero, geometry, place, parameters, coordinates)                                          \
  LOCKSTEP_SURFACE_MODE(name, clamp, geometry, place, parameters, coordinates)                                         \
  LOCKSTEP_SURFACE_MODE(name, trap, geometry, place, parameters, coordinates)                                          \
  template <class T>                                                                                                   \
  LOCKSTEP_DEVICE void name##read(T* result, cudaSurfaceObject_t surface, LOCKSTEP_REMOVE_PARENTHESES parameters,      \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                               \
    typename lockstep_words<sizeof(T)>::type w;                                                                        \
    switch (mode) {                                                                                                    \
      case cudaBoundaryModeZero: lockstep_load_##name##_zero(w, surface, LOCKSTEP_REMOVE_PARENTHESES names); break;    \
      case cudaBoundaryModeClamp: lockstep_load_##name##_clamp(w, surface, LOCKSTEP_REMOVE_PARENTHESES names); break;  \
      default: lockstep_load_##name##_trap(w, surface, LOCKSTEP_REMOVE_PARENTHESES names); break;                      \
    }                                                                                                                  \
    __builtin_memcpy(result, &w, sizeof(T));                                                                           \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  LOCKSTEP_DEVICE T name##read(cudaSurfaceObject_t surface, LOCKSTEP_REMOVE_PARENTHESES parameters,                    \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                  \
    T result;                                                                                                          \
    name##read(&result, surface, LOCKSTEP_REMOVE_PARENTHESES names, mode);                                             \
    return result;                                                                                                     \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  LOCKSTEP_DEVICE void name##write(T value, cudaSurfaceObject_t surface, LOCKSTEP_REMOVE_PARENTHESES parameters,       \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                              \
    typename lockstep_words<sizeof(T)>::type w{};                                                                      \
    __builtin_memcpy(&w, &value, sizeof(T));                                                                           \
    switch (mode) {                                                                                                    \
      case cudaBoundaryModeZero: lockstep_store_##name##_zero(w, surface, LOCKSTEP_REMOVE_PARENTHESES names); break;   \
      case cudaBoundaryModeClamp: lockstep_store_##name##_clamp(w, surface, LOCKSTEP_REMOVE_PARENTHESES names); break; \
      default: lockstep_store_##name##_trap(w, surface, LOCKSTEP_REMOVE_PARENTHESES names); break;                     \
    }                                                                                                                  \
  }

LOCKSTEP_SURFACE(surf1D, "1d", "{%[x]}", (int x), (x), ([x] "r"(x)))
LOCKSTEP_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int x, int y), (x, y), ([x] "r"(x), [y] "r"(y)))
LOCKSTEP_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z), (x, y, z),
                 ([x] "r"(x), [y] "r"(y), [z] "r"(z)))
LOCKSTEP_SURFACE(surf1DLayered, "a1d", "{%[z], %[x]}", (int x, int layer), (x, layer), ([x] "r"(x), [z] "r"(layer)))
LOCKSTEP_SURFACE(surf2DLayered, "a2d", "{%[z], %[x], %[y], %[y]}", (int x, int y, int layer), (x, y, layer),
                 ([x] "r"(x), [y] "r"(y), [z] "r"(layer)))
#undef LOCKSTEP_SURFACE
#undef LOCKSTEP_SURFACE_MODE
#undef LOCKSTEP_SURFACE_WORDS
#undef LOCKSTEP_REMOVE_PARENTHESES
