#pragma once
// Atomics on memory. Relaxed, as CUDA's are. The compiler infers the state space of those without a scope: atom.shared or
// atom.global wherever it can be known.

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
LOCKSTEP_DEVICE float atomicExch(float* address, float value) {
  return __nvvm_bitcast_i2f(atomicExch((int*)address, __nvvm_bitcast_f2i(value)));
}
LOCKSTEP_DEVICE unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  return __nvvm_atom_inc_gen_ui(address, limit);
}
LOCKSTEP_DEVICE unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  return __nvvm_atom_dec_gen_ui(address, limit);
}

#if __CUDA_ARCH__ >= 600
LOCKSTEP_DEVICE double atomicAdd(double* address, double value) {
  return __nvvm_atom_add_gen_d(address, value);
}

// With a scope: of the thread block (_block), or of all that can reach the memory (_system).
#define LOCKSTEP_SCOPED(name, suffix, scope, operation, T, constraint)                    \
  LOCKSTEP_DEVICE T name##suffix(T* address, T value) {                                   \
    T old;                                                                                \
    asm volatile("atom." scope "." operation " %0, [%1], %2;"                             \
                 : "=" constraint(old) : "l"(address), constraint(value) : "memory");     \
    return old;                                                                           \
  }
#define LOCKSTEP_SCOPED_BITS(suffix, scope, T, bits, constraint)                          \
  LOCKSTEP_SCOPED(atomicAnd, suffix, scope, "and." bits, T, constraint)                   \
  LOCKSTEP_SCOPED(atomicOr, suffix, scope, "or." bits, T, constraint)                     \
  LOCKSTEP_SCOPED(atomicXor, suffix, scope, "xor." bits, T, constraint)                   \
  LOCKSTEP_SCOPED(atomicExch, suffix, scope, "exch." bits, T, constraint)                 \
  LOCKSTEP_DEVICE T atomicCAS##suffix(T* address, T expected, T desired) {                \
    T old;                                                                                \
    asm volatile("atom." scope ".cas." bits " %0, [%1], %2, %3;"                          \
                 : "=" constraint(old)                                                    \
                 : "l"(address), constraint(expected), constraint(desired) : "memory");   \
    return old;                                                                           \
  }
#define LOCKSTEP_SCOPED_INTEGER(suffix, scope, T, type, sum, bits, constraint)            \
  LOCKSTEP_SCOPED_BITS(suffix, scope, T, bits, constraint)                                \
  LOCKSTEP_SCOPED(atomicAdd, suffix, scope, "add." sum, T, constraint)                    \
  LOCKSTEP_SCOPED(atomicMin, suffix, scope, "min." type, T, constraint)                   \
  LOCKSTEP_SCOPED(atomicMax, suffix, scope, "max." type, T, constraint)                   \
  LOCKSTEP_DEVICE T atomicSub##suffix(T* address, T value) {                              \
    return atomicAdd##suffix(address, (T)(0 - value));                                    \
  }
#define LOCKSTEP_SCOPE(suffix, scope)                                                     \
  LOCKSTEP_SCOPED_INTEGER(suffix, scope, int, "s32", "s32", "b32", "r")                   \
  LOCKSTEP_SCOPED_INTEGER(suffix, scope, unsigned int, "u32", "u32", "b32", "r")          \
  LOCKSTEP_SCOPED_INTEGER(suffix, scope, long long, "s64", "u64", "b64", "l")             \
  LOCKSTEP_SCOPED_INTEGER(suffix, scope, unsigned long long, "u64", "u64", "b64", "l")    \
  LOCKSTEP_SCOPED(atomicInc, suffix, scope, "inc.u32", unsigned int, "r")                 \
  LOCKSTEP_SCOPED(atomicDec, suffix, scope, "dec.u32", unsigned int, "r")                 \
  LOCKSTEP_SCOPED(atomicExch, suffix, scope, "exch.b32", float, "f")                      \
  LOCKSTEP_SCOPED(atomicAdd, suffix, scope, "add.f32", float, "f")                        \
  LOCKSTEP_SCOPED(atomicAdd, suffix, scope, "add.f64", double, "d")
LOCKSTEP_SCOPE(_block, "cta")
LOCKSTEP_SCOPE(_system, "sys")
#undef LOCKSTEP_SCOPE
#undef LOCKSTEP_SCOPED_INTEGER
#undef LOCKSTEP_SCOPED_BITS
#undef LOCKSTEP_SCOPED
#else
LOCKSTEP_NEEDS(sm_60, double, atomicAdd, double* address, double value)
#define LOCKSTEP_SCOPED(name)                                        \
  LOCKSTEP_NEEDS_ANY(sm_60, name##_block)                            \
  LOCKSTEP_NEEDS_ANY(sm_60, name##_system)
LOCKSTEP_SCOPED(atomicAdd)
LOCKSTEP_SCOPED(atomicSub)
LOCKSTEP_SCOPED(atomicExch)
LOCKSTEP_SCOPED(atomicMin)
LOCKSTEP_SCOPED(atomicMax)
LOCKSTEP_SCOPED(atomicInc)
LOCKSTEP_SCOPED(atomicDec)
LOCKSTEP_SCOPED(atomicCAS)
LOCKSTEP_SCOPED(atomicAnd)
LOCKSTEP_SCOPED(atomicOr)
LOCKSTEP_SCOPED(atomicXor)
#undef LOCKSTEP_SCOPED
#endif

#if __CUDA_ARCH__ >= 700
LOCKSTEP_DEVICE unsigned short atomicCAS(unsigned short* address, unsigned short expected, unsigned short desired) {
  unsigned short old;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(old) : "l"(address), "h"(expected), "h"(desired) : "memory");
  return old;
}
#else
LOCKSTEP_NEEDS(sm_70, unsigned short, atomicCAS, unsigned short* address, unsigned short, unsigned short)
#endif
