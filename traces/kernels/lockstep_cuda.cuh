#pragma once
// The part of CUDA's device language that a kernel needs, for clang without any CUDA toolkit:
//   clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -O2 -gline-tables-only -S
// Device code only: there is no runtime API and no kernel launch here. Under nvcc, and under a clang that found a
// toolkit, the real headers are there already and this file adds nothing.
//
// From sm_70 on, add -Xclang -target-feature -Xclang +ptx64. Below sm_70 the *_sync functions leave their mask to the
// hardware's own convergence, as those GPUs do.

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
// Without lines of its own: what is inlined from here counts for the line of the kernel that calls it.
#define LOCKSTEP_DEVICE static __device__ __forceinline__ __attribute__((nodebug))

typedef __SIZE_TYPE__ size_t;

// ---- vector types ---------------------------------------------------------------------------------------------------

#define LOCKSTEP_VECTORS(T, name, align2, align4)              \
  struct name##1 {                                             \
    T x;                                                       \
  };                                                           \
  struct __align__(align2) name##2 {                           \
    T x, y;                                                    \
  };                                                           \
  struct name##3 {                                             \
    T x, y, z;                                                 \
  };                                                           \
  struct __align__(align4) name##4 {                           \
    T x, y, z, w;                                              \
  };                                                           \
  LOCKSTEP_DEVICE name##1 make_##name##1(T x) {                \
    return {x};                                                \
  }                                                            \
  LOCKSTEP_DEVICE name##2 make_##name##2(T x, T y) {           \
    return {x, y};                                             \
  }                                                            \
  LOCKSTEP_DEVICE name##3 make_##name##3(T x, T y, T z) {      \
    return {x, y, z};                                          \
  }                                                            \
  LOCKSTEP_DEVICE name##4 make_##name##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                       \
  }

LOCKSTEP_VECTORS(signed char, char, 2, 4)
LOCKSTEP_VECTORS(unsigned char, uchar, 2, 4)
LOCKSTEP_VECTORS(short, short, 4, 8)
LOCKSTEP_VECTORS(unsigned short, ushort, 4, 8)
LOCKSTEP_VECTORS(int, int, 8, 16)
LOCKSTEP_VECTORS(unsigned int, uint, 8, 16)
LOCKSTEP_VECTORS(long long, longlong, 16, 16)
LOCKSTEP_VECTORS(unsigned long long, ulonglong, 16, 16)
LOCKSTEP_VECTORS(float, float, 8, 16)
LOCKSTEP_VECTORS(double, double, 16, 16)
#undef LOCKSTEP_VECTORS

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// ---- indices --------------------------------------------------------------------------------------------------------

#define LOCKSTEP_INDEX(name, sreg, convertible)                                        \
  struct lockstep_##name {                                                             \
    __declspec(property(get = get_x)) unsigned int x;                                  \
    __declspec(property(get = get_y)) unsigned int y;                                  \
    __declspec(property(get = get_z)) unsigned int z;                                  \
    LOCKSTEP_DEVICE unsigned int get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
    LOCKSTEP_DEVICE unsigned int get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
    LOCKSTEP_DEVICE unsigned int get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
    __device__ __forceinline__ __attribute__((nodebug)) operator convertible() const { \
      return convertible{get_x(), get_y(), get_z()};                                   \
    }                                                                                  \
  };                                                                                   \
  extern const __device__ __attribute__((weak)) lockstep_##name name;

LOCKSTEP_INDEX(threadIdx, tid, uint3)
LOCKSTEP_INDEX(blockIdx, ctaid, uint3)
LOCKSTEP_INDEX(blockDim, ntid, dim3)
LOCKSTEP_INDEX(gridDim, nctaid, dim3)
#undef LOCKSTEP_INDEX
static const __device__ constexpr int warpSize = 32;

// ---- barriers and fences --------------------------------------------------------------------------------------------

// Inline assembly that clobbers memory, not clang's intrinsics: clang 14 takes for granted that those leave alone a
// variable of a kernel whose address nobody takes, and moves its loads and stores across them.
#define __syncthreads() lockstep_barrier()
LOCKSTEP_DEVICE void lockstep_barrier() {
  asm volatile("bar.sync 0;" ::: "memory");
}
#define LOCKSTEP_BARRIER_REDUCTION(name, reduction)                                                       \
  LOCKSTEP_DEVICE int __syncthreads_##name(int predicate) {                                               \
    int result;                                                                                           \
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.s32 p, %1, 0;\n\t" reduction "\n\t}" : "=r"(result) \
                 : "r"(predicate) : "memory");                                                            \
    return result;                                                                                        \
  }
LOCKSTEP_BARRIER_REDUCTION(count, "bar.red.popc.u32 %0, 0, p;")
LOCKSTEP_BARRIER_REDUCTION(and, "bar.red.and.pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;")
LOCKSTEP_BARRIER_REDUCTION(or, "bar.red.or.pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;")
#undef LOCKSTEP_BARRIER_REDUCTION
LOCKSTEP_DEVICE void __threadfence_block() {
  asm volatile("membar.cta;" ::: "memory");
}
LOCKSTEP_DEVICE void __threadfence() {
  asm volatile("membar.gl;" ::: "memory");
}
LOCKSTEP_DEVICE void __threadfence_system() {
  asm volatile("membar.sys;" ::: "memory");
}
LOCKSTEP_DEVICE long long clock64() {
  return __nvvm_read_ptx_sreg_clock64();
}
LOCKSTEP_DEVICE int clock() {
  return __nvvm_read_ptx_sreg_clock();
}

LOCKSTEP_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
#if __CUDA_ARCH__ >= 700
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
#else
  (void)mask;
  asm volatile("" ::: "memory");
#endif
}

// ---- atomics --------------------------------------------------------------------------------------------------------
// Relaxed, as CUDA's are. The compiler infers the state space: atom.shared or atom.global wherever it can be known.

#define LOCKSTEP_ATOMICS(T)                                                                              \
  LOCKSTEP_DEVICE T atomicAdd(T* address, T value) {                                                     \
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);                                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicSub(T* address, T value) {                                                     \
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);                                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicAnd(T* address, T value) {                                                     \
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);                                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicOr(T* address, T value) {                                                      \
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);                                          \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicXor(T* address, T value) {                                                     \
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);                                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicMin(T* address, T value) {                                                     \
    return __atomic_fetch_min(address, value, __ATOMIC_RELAXED);                                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicMax(T* address, T value) {                                                     \
    return __atomic_fetch_max(address, value, __ATOMIC_RELAXED);                                         \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicExch(T* address, T value) {                                                    \
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                                        \
  }                                                                                                      \
  LOCKSTEP_DEVICE T atomicCAS(T* address, T expected, T desired) {                                       \
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                                     \
  }
LOCKSTEP_ATOMICS(int)
LOCKSTEP_ATOMICS(unsigned int)
LOCKSTEP_ATOMICS(long long)
LOCKSTEP_ATOMICS(unsigned long long)
#undef LOCKSTEP_ATOMICS

LOCKSTEP_DEVICE float atomicAdd(float* address, float value) {
  return __nvvm_atom_add_gen_f(address, value);
}
#if __CUDA_ARCH__ >= 600
LOCKSTEP_DEVICE double atomicAdd(double* address, double value) {
  return __nvvm_atom_add_gen_d(address, value);
}
#endif
LOCKSTEP_DEVICE float atomicExch(float* address, float value) {
  return __nvvm_bitcast_i2f(atomicExch((int*)address, __nvvm_bitcast_f2i(value)));
}
LOCKSTEP_DEVICE unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  return __nvvm_atom_inc_gen_ui(address, limit);
}
LOCKSTEP_DEVICE unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  return __nvvm_atom_dec_gen_ui(address, limit);
}

// ---- exchange between the lanes of a warp ---------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 700
#define LOCKSTEP_SHUFFLE(mode, value, lane, bounds) __nvvm_shfl_sync_##mode##_i32(mask, value, lane, bounds)
LOCKSTEP_DEVICE int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate);
}
LOCKSTEP_DEVICE int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate);
}
LOCKSTEP_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
LOCKSTEP_DEVICE unsigned int __match_any_sync(unsigned int mask, unsigned int value) {
  return __nvvm_match_any_sync_i32(mask, value);
}
LOCKSTEP_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
#else
#define LOCKSTEP_SHUFFLE(mode, value, lane, bounds) ((void)mask, __nvvm_shfl_##mode##_i32(value, lane, bounds))
// Assembly, because clang 14 has no pattern for its own vote builtins below PTX 6.0.
#define LOCKSTEP_VOTE(mode, type, constraint)                                                                         \
  type result;                                                                                                        \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t" mode "\n\t}" : constraint(result) : "r"(predicate)); \
  return result;
LOCKSTEP_DEVICE int __all_sync(unsigned int, int predicate){
    LOCKSTEP_VOTE(".reg .pred q;\n\tvote.all.pred q, p;\n\tselp.s32 %0, 1, 0, q;", int, "=r")} LOCKSTEP_DEVICE
    int __any_sync(unsigned int, int predicate){
        LOCKSTEP_VOTE(".reg .pred q;\n\tvote.any.pred q, p;\n\tselp.s32 %0, 1, 0, q;", int, "=r")} LOCKSTEP_DEVICE
    unsigned int __ballot_sync(unsigned int, int predicate){
        LOCKSTEP_VOTE("vote.ballot.b32 %0, p;", unsigned int, "=r")} LOCKSTEP_DEVICE unsigned int __activemask() {
  return __ballot_sync(0xffffffffu, 1);
}
#undef LOCKSTEP_VOTE
#endif
LOCKSTEP_DEVICE int __shfl_sync(unsigned int mask, int value, int lane, int width = 32) {
  return LOCKSTEP_SHUFFLE(idx, value, lane, ((32 - width) << 8) | 0x1f);
}
LOCKSTEP_DEVICE int __shfl_up_sync(unsigned int mask, int value, unsigned int delta, int width = 32) {
  return LOCKSTEP_SHUFFLE(up, value, delta, (32 - width) << 8);
}
LOCKSTEP_DEVICE int __shfl_down_sync(unsigned int mask, int value, unsigned int delta, int width = 32) {
  return LOCKSTEP_SHUFFLE(down, value, delta, ((32 - width) << 8) | 0x1f);
}
LOCKSTEP_DEVICE int __shfl_xor_sync(unsigned int mask, int value, int lanes, int width = 32) {
  return LOCKSTEP_SHUFFLE(bfly, value, lanes, ((32 - width) << 8) | 0x1f);
}
#undef LOCKSTEP_SHUFFLE

#define LOCKSTEP_SHUFFLE_AS(T, to_int, from_int)                                                       \
  LOCKSTEP_DEVICE T __shfl_sync(unsigned int mask, T value, int lane, int width = 32) {                \
    return from_int(__shfl_sync(mask, to_int(value), lane, width));                                    \
  }                                                                                                    \
  LOCKSTEP_DEVICE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {   \
    return from_int(__shfl_up_sync(mask, to_int(value), delta, width));                                \
  }                                                                                                    \
  LOCKSTEP_DEVICE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) { \
    return from_int(__shfl_down_sync(mask, to_int(value), delta, width));                              \
  }                                                                                                    \
  LOCKSTEP_DEVICE T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {           \
    return from_int(__shfl_xor_sync(mask, to_int(value), lanes, width));                               \
  }
LOCKSTEP_SHUFFLE_AS(unsigned int, int, unsigned)
LOCKSTEP_SHUFFLE_AS(float, __nvvm_bitcast_f2i, __nvvm_bitcast_i2f)
#undef LOCKSTEP_SHUFFLE_AS

// ---- integers -------------------------------------------------------------------------------------------------------

#define LOCKSTEP_MIN_MAX(T)         \
  LOCKSTEP_DEVICE T min(T a, T b) { \
    return b < a ? b : a;           \
  }                                 \
  LOCKSTEP_DEVICE T max(T a, T b) { \
    return a < b ? b : a;           \
  }
LOCKSTEP_MIN_MAX(int)
LOCKSTEP_MIN_MAX(unsigned int)
LOCKSTEP_MIN_MAX(long)
LOCKSTEP_MIN_MAX(unsigned long)
LOCKSTEP_MIN_MAX(long long)
LOCKSTEP_MIN_MAX(unsigned long long)
#undef LOCKSTEP_MIN_MAX
LOCKSTEP_DEVICE unsigned int min(int a, unsigned int b) {
  return min((unsigned int)a, b);
}
LOCKSTEP_DEVICE unsigned int min(unsigned int a, int b) {
  return min(a, (unsigned int)b);
}
LOCKSTEP_DEVICE unsigned int max(int a, unsigned int b) {
  return max((unsigned int)a, b);
}
LOCKSTEP_DEVICE unsigned int max(unsigned int a, int b) {
  return max(a, (unsigned int)b);
}
LOCKSTEP_DEVICE float min(float a, float b) {
  return __nvvm_fmin_f(a, b);
}
LOCKSTEP_DEVICE float max(float a, float b) {
  return __nvvm_fmax_f(a, b);
}
LOCKSTEP_DEVICE double min(double a, double b) {
  return __nvvm_fmin_d(a, b);
}
LOCKSTEP_DEVICE double max(double a, double b) {
  return __nvvm_fmax_d(a, b);
}
LOCKSTEP_DEVICE int abs(int a) {
  return a < 0 ? -a : a;
}
LOCKSTEP_DEVICE int __popc(unsigned int a) {
  return __builtin_popcount(a);
}
LOCKSTEP_DEVICE int __popcll(unsigned long long a) {
  return __builtin_popcountll(a);
}
LOCKSTEP_DEVICE int __clz(int a) {
  return a == 0 ? 32 : __builtin_clz(a);
}
LOCKSTEP_DEVICE int __clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll(a);
}
LOCKSTEP_DEVICE int __ffs(int a) {
  return a == 0 ? 0 : __builtin_ctz(a) + 1;
}
LOCKSTEP_DEVICE unsigned int __brev(unsigned int a) {
  return __builtin_bitreverse32(a);
}
LOCKSTEP_DEVICE int __mulhi(int a, int b) {
  return __nvvm_mulhi_i(a, b);
}
LOCKSTEP_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}
LOCKSTEP_DEVICE int __mul24(int a, int b) {
  return __nvvm_mul24_i(a, b);
}
LOCKSTEP_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) {
  return __nvvm_mul24_ui(a, b);
}

// ---- loads through the read-only path -------------------------------------------------------------------------------

template <typename T>
LOCKSTEP_DEVICE T __ldg(const T* address) {
  return *address;
}
#define LOCKSTEP_LDG(T, builtin)              \
  LOCKSTEP_DEVICE T __ldg(const T* address) { \
    return __nvvm_ldg_##builtin(address);     \
  }
LOCKSTEP_LDG(char, c)
LOCKSTEP_LDG(unsigned char, uc)
LOCKSTEP_LDG(short, s)
LOCKSTEP_LDG(unsigned short, us)
LOCKSTEP_LDG(int, i)
LOCKSTEP_LDG(unsigned int, ui)
LOCKSTEP_LDG(long, l)
LOCKSTEP_LDG(unsigned long, ul)
LOCKSTEP_LDG(long long, ll)
LOCKSTEP_LDG(unsigned long long, ull)
LOCKSTEP_LDG(float, f)
LOCKSTEP_LDG(double, d)
#undef LOCKSTEP_LDG

// ---- floating point -------------------------------------------------------------------------------------------------
// What is one instruction of the GPU. The library functions of full accuracy (sinf, expf, pow, ...) need a toolkit.

LOCKSTEP_DEVICE float fabsf(float a) {
  return __builtin_fabsf(a);
}
LOCKSTEP_DEVICE double fabs(double a) {
  return __builtin_fabs(a);
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
LOCKSTEP_DEVICE float fmaf(float a, float b, float c) {
  return __nvvm_fma_rn_f(a, b, c);
}
LOCKSTEP_DEVICE double fma(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}
LOCKSTEP_DEVICE float sqrtf(float a) {
  return __nvvm_sqrt_rn_f(a);
}
LOCKSTEP_DEVICE double sqrt(double a) {
  return __nvvm_sqrt_rn_d(a);
}
LOCKSTEP_DEVICE float rsqrtf(float a) {
  return __nvvm_rsqrt_approx_f(a);
}
LOCKSTEP_DEVICE float floorf(float a) {
  return __nvvm_floor_f(a);
}
LOCKSTEP_DEVICE float ceilf(float a) {
  return __nvvm_ceil_f(a);
}
LOCKSTEP_DEVICE float truncf(float a) {
  return __nvvm_trunc_f(a);
}
LOCKSTEP_DEVICE float rintf(float a) {
  return __builtin_rintf(a);
}
LOCKSTEP_DEVICE double floor(double a) {
  return __nvvm_floor_d(a);
}
LOCKSTEP_DEVICE double ceil(double a) {
  return __nvvm_ceil_d(a);
}
LOCKSTEP_DEVICE float __saturatef(float a) {
  return __nvvm_saturate_f(a);
}
LOCKSTEP_DEVICE float __fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
LOCKSTEP_DEVICE float __frcp_rn(float a) {
  return __nvvm_rcp_rn_f(a);
}
LOCKSTEP_DEVICE float __frsqrt_rn(float a) {
  return __nvvm_rsqrt_approx_f(a);
}
LOCKSTEP_DEVICE float __fadd_rn(float a, float b) {
  return __nvvm_add_rn_f(a, b);
}
LOCKSTEP_DEVICE float __fmul_rn(float a, float b) {
  return __nvvm_mul_rn_f(a, b);
}
LOCKSTEP_DEVICE float __sinf(float a) {
  return __nvvm_sin_approx_f(a);
}
LOCKSTEP_DEVICE float __cosf(float a) {
  return __nvvm_cos_approx_f(a);
}
LOCKSTEP_DEVICE float __log2f(float a) {
  return __nvvm_lg2_approx_f(a);
}
LOCKSTEP_DEVICE float __logf(float a) {
  return __log2f(a) * 0.693147181f;
}
LOCKSTEP_DEVICE float __exp2f(float a) {
  return __nvvm_ex2_approx_f(a);
}
LOCKSTEP_DEVICE float __expf(float a) {
  return __exp2f(a * 1.442695041f);
}
LOCKSTEP_DEVICE float __powf(float a, float b) {
  return __exp2f(b * __log2f(a));
}
LOCKSTEP_DEVICE int __float2int_rn(float a) {
  return __nvvm_f2i_rn(a);
}
LOCKSTEP_DEVICE int __float2int_rz(float a) {
  return __nvvm_f2i_rz(a);
}
LOCKSTEP_DEVICE int __float2int_rd(float a) {
  return __nvvm_f2i_rm(a);
}
LOCKSTEP_DEVICE int __float2int_ru(float a) {
  return __nvvm_f2i_rp(a);
}
LOCKSTEP_DEVICE int __float_as_int(float a) {
  return __nvvm_bitcast_f2i(a);
}
LOCKSTEP_DEVICE float __int_as_float(int a) {
  return __nvvm_bitcast_i2f(a);
}
LOCKSTEP_DEVICE int __double2int_rn(double a) {
  return __nvvm_d2i_rn(a);
}
LOCKSTEP_DEVICE int __double2hiint(double a) {
  return __nvvm_d2i_hi(a);
}
LOCKSTEP_DEVICE int __double2loint(double a) {
  return __nvvm_d2i_lo(a);
}
LOCKSTEP_DEVICE double __hiloint2double(int high, int low) {
  return __nvvm_lohi_i2d(low, high);
}
LOCKSTEP_DEVICE unsigned int __float_as_uint(float a) {
  return __nvvm_bitcast_f2i(a);
}
LOCKSTEP_DEVICE float __uint_as_float(unsigned int a) {
  return __nvvm_bitcast_i2f(a);
}

#include "lockstep_texture.cuh"

#undef LOCKSTEP_DEVICE
#endif
