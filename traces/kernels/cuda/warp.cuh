#pragma once
// Exchange between the lanes of a warp. Below sm_70 the masks are left to the hardware's own convergence, as those GPUs do.

// ---- votes ----------------------------------------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 700
LOCKSTEP_DEVICE int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate);
}
LOCKSTEP_DEVICE int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate);
}
LOCKSTEP_DEVICE int __uni_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate);
}
LOCKSTEP_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
LOCKSTEP_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
#else
// Assembly, because clang 14 has no pattern for its own vote builtins below PTX 6.0.
#define LOCKSTEP_VOTE(name, type, constraint, mode)                                           \
  LOCKSTEP_DEVICE type name(unsigned int, int predicate) {                                    \
    type result;                                                                              \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t" mode "\n\t}"               \
                 : constraint(result) : "r"(predicate));                                      \
    return result;                                                                            \
  }
LOCKSTEP_VOTE(__all_sync, int, "=r", ".reg .pred q;\n\tvote.all.pred q, p;\n\tselp.s32 %0, 1, 0, q;")
LOCKSTEP_VOTE(__any_sync, int, "=r", ".reg .pred q;\n\tvote.any.pred q, p;\n\tselp.s32 %0, 1, 0, q;")
LOCKSTEP_VOTE(__uni_sync, int, "=r", ".reg .pred q;\n\tvote.uni.pred q, p;\n\tselp.s32 %0, 1, 0, q;")
LOCKSTEP_VOTE(__ballot_sync, unsigned int, "=r", "vote.ballot.b32 %0, p;")
#undef LOCKSTEP_VOTE
LOCKSTEP_DEVICE unsigned int __activemask() {
  return __ballot_sync(0xffffffffu, 1);
}
#endif

// ---- shuffles -------------------------------------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 700
#define LOCKSTEP_SHUFFLE(mode, value, lane, bounds) __nvvm_shfl_sync_##mode##_i32(mask, value, lane, bounds)
#else
#define LOCKSTEP_SHUFFLE(mode, value, lane, bounds) ((void)mask, __nvvm_shfl_##mode##_i32(value, lane, bounds))
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

// Values of 64 bits go in two halves.
#define LOCKSTEP_SHUFFLE_LONG(mode, T)                                                                        \
  LOCKSTEP_DEVICE long long __shfl_##mode##sync(unsigned int mask, long long value, T lane, int width = 32) { \
    const int low = __shfl_##mode##sync(mask, (int)value, lane, width);                                       \
    const int high = __shfl_##mode##sync(mask, (int)(value >> 32), lane, width);                              \
    return (long long)high << 32 | (unsigned int)low;                                                         \
  }
LOCKSTEP_SHUFFLE_LONG(, int)
LOCKSTEP_SHUFFLE_LONG(up_, unsigned int)
LOCKSTEP_SHUFFLE_LONG(down_, unsigned int)
LOCKSTEP_SHUFFLE_LONG(xor_, int)
#undef LOCKSTEP_SHUFFLE_LONG

#define LOCKSTEP_SHUFFLE_AS(T, to_integer, from_integer)                                               \
  LOCKSTEP_DEVICE T __shfl_sync(unsigned int mask, T value, int lane, int width = 32) {                \
    return from_integer(__shfl_sync(mask, to_integer(value), lane, width));                            \
  }                                                                                                    \
  LOCKSTEP_DEVICE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {   \
    return from_integer(__shfl_up_sync(mask, to_integer(value), delta, width));                        \
  }                                                                                                    \
  LOCKSTEP_DEVICE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) { \
    return from_integer(__shfl_down_sync(mask, to_integer(value), delta, width));                      \
  }                                                                                                    \
  LOCKSTEP_DEVICE T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {           \
    return from_integer(__shfl_xor_sync(mask, to_integer(value), lanes, width));                       \
  }
LOCKSTEP_SHUFFLE_AS(unsigned int, int, unsigned)
LOCKSTEP_SHUFFLE_AS(float, __nvvm_bitcast_f2i, __nvvm_bitcast_i2f)
LOCKSTEP_SHUFFLE_AS(unsigned long long, (long long), (unsigned long long))
LOCKSTEP_SHUFFLE_AS(long, (long long), (long))
LOCKSTEP_SHUFFLE_AS(unsigned long, (long long), (unsigned long))
LOCKSTEP_SHUFFLE_AS(double, __nvvm_bitcast_d2ll, __nvvm_bitcast_ll2d)
#undef LOCKSTEP_SHUFFLE_AS

// ---- lanes of the same value ----------------------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 700
// Assembly: clang 14 gives the masks of its own builtins for values of 64 bits as many bits.
#define LOCKSTEP_MATCH(T, bits, constraint)                                                              \
  LOCKSTEP_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {                            \
    unsigned int lanes;                                                                                  \
    asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(lanes) : constraint(value), "r"(mask));    \
    return lanes;                                                                                        \
  }                                                                                                      \
  LOCKSTEP_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {            \
    unsigned int lanes;                                                                                  \
    int all;                                                                                             \
    asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync." bits " %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}" \
                 : "=r"(lanes), "=r"(all) : constraint(value), "r"(mask));                               \
    *predicate = all;                                                                                    \
    return lanes;                                                                                        \
  }
LOCKSTEP_MATCH(int, "b32", "r")
LOCKSTEP_MATCH(unsigned int, "b32", "r")
LOCKSTEP_MATCH(float, "b32", "f")
LOCKSTEP_MATCH(long, "b64", "l")
LOCKSTEP_MATCH(unsigned long, "b64", "l")
LOCKSTEP_MATCH(long long, "b64", "l")
LOCKSTEP_MATCH(unsigned long long, "b64", "l")
LOCKSTEP_MATCH(double, "b64", "d")
#undef LOCKSTEP_MATCH
#else
LOCKSTEP_NEEDS_ANY(sm_70, __match_any_sync)
LOCKSTEP_NEEDS_ANY(sm_70, __match_all_sync)
#endif

// ---- reductions -----------------------------------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 800
#define LOCKSTEP_REDUCE(name, T, operation)                                                                \
  LOCKSTEP_DEVICE T __reduce_##name##_sync(unsigned int mask, T value) {                                   \
    T result;                                                                                              \
    asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));           \
    return result;                                                                                         \
  }
LOCKSTEP_REDUCE(add, int, "add.s32")
LOCKSTEP_REDUCE(add, unsigned int, "add.u32")
LOCKSTEP_REDUCE(min, int, "min.s32")
LOCKSTEP_REDUCE(min, unsigned int, "min.u32")
LOCKSTEP_REDUCE(max, int, "max.s32")
LOCKSTEP_REDUCE(max, unsigned int, "max.u32")
LOCKSTEP_REDUCE(and, unsigned int, "and.b32")
LOCKSTEP_REDUCE(or, unsigned int, "or.b32")
LOCKSTEP_REDUCE(xor, unsigned int, "xor.b32")
#undef LOCKSTEP_REDUCE
#else
LOCKSTEP_NEEDS_ANY(sm_80, __reduce_add_sync)
LOCKSTEP_NEEDS_ANY(sm_80, __reduce_min_sync)
LOCKSTEP_NEEDS_ANY(sm_80, __reduce_max_sync)
LOCKSTEP_NEEDS_ANY(sm_80, __reduce_and_sync)
LOCKSTEP_NEEDS_ANY(sm_80, __reduce_or_sync)
LOCKSTEP_NEEDS_ANY(sm_80, __reduce_xor_sync)
#endif
