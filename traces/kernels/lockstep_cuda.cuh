#pragma once
// CUDA's device language for clang without any CUDA toolkit:
//   clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -O2 -gline-tables-only -S
// Device code only: the runtime API and what a launch needs are in cuda/toolkit. Under nvcc, and under a clang that found a
// toolkit, the real headers are there already and this file adds nothing. The page of the folder cuda says what is where.
//
// From sm_70 on, add -Xclang -target-feature -Xclang +ptx64; from sm_80 on +ptx71. Below sm_70 the *_sync functions leave
// their mask to the hardware's own convergence, as those GPUs do.

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)

// Sources ask these whether the compiler takes kernels, and which functions CUDA has.
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 4
#define CUDART_VERSION 11040

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
// Without lines of its own: what is inlined from here counts for the line of the kernel that calls it.
#define LOCKSTEP_DEVICE static __device__ __forceinline__ __attribute__((nodebug))
// A function that exists from an architecture on. A template, so that a kernel may define its own for those before it.
#define LOCKSTEP_UNAVAILABLE(architecture)                                                                       \
  __attribute__((unavailable("it needs " #architecture ": say --arch " #architecture                             \
                             " or write a line \"// Needs " #architecture "\" in the kernel's file")))
#define LOCKSTEP_NEEDS(architecture, result, name, ...) \
  template <int = 0>                                    \
  LOCKSTEP_UNAVAILABLE(architecture)                    \
  LOCKSTEP_DEVICE result name(__VA_ARGS__);
#define LOCKSTEP_NEEDS_ANY(architecture, name) \
  template <class... T>                        \
  LOCKSTEP_UNAVAILABLE(architecture)           \
  LOCKSTEP_DEVICE int name(T...);

typedef __SIZE_TYPE__ size_t;

// Vectors first: others take them.
#include "cuda/vectors.cuh"
#include "cuda/atomics.cuh"
#include "cuda/conversions.cuh"
#include "cuda/execution.cuh"
#include "cuda/integers.cuh"
#include "cuda/memory.cuh"
#include "cuda/packed_integers.cuh"
#include "cuda/runtime.cuh"
#include "cuda/textures.cuh"
#include "cuda/warp.cuh"
#include "cuda/warp_before_volta.cuh"
// Floating point, each on top of those before it.
#include "cuda/floats.cuh"
#include "cuda/parts.cuh"
#include "cuda/float_exponentials.cuh"
#include "cuda/float_trigonometry.cuh"
#include "cuda/float_roots.cuh"
#include "cuda/float_error.cuh"
#include "cuda/float_gamma.cuh"
#include "cuda/double_exponentials.cuh"
#include "cuda/double_trigonometry.cuh"
#include "cuda/double_roots.cuh"
#include "cuda/double_error.cuh"
#include "cuda/overloads.cuh"

#undef LOCKSTEP_NEEDS_ANY
#undef LOCKSTEP_NEEDS
#undef LOCKSTEP_UNAVAILABLE
#undef LOCKSTEP_DEVICE
#endif
