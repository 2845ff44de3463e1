#pragma once
// Integer functions.

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
// Of one signed and one unsigned: both as unsigned.
#define LOCKSTEP_MIN_MAX_MIXED(name, T)                          \
  LOCKSTEP_DEVICE unsigned T name(T a, unsigned T b) {           \
    return name((unsigned T)a, b);                               \
  }                                                              \
  LOCKSTEP_DEVICE unsigned T name(unsigned T a, T b) {           \
    return name(a, (unsigned T)b);                               \
  }
LOCKSTEP_MIN_MAX_MIXED(min, int)
LOCKSTEP_MIN_MAX_MIXED(max, int)
LOCKSTEP_MIN_MAX_MIXED(min, long)
LOCKSTEP_MIN_MAX_MIXED(max, long)
LOCKSTEP_MIN_MAX_MIXED(min, long long)
LOCKSTEP_MIN_MAX_MIXED(max, long long)
#undef LOCKSTEP_MIN_MAX_MIXED
LOCKSTEP_DEVICE unsigned int umin(unsigned int a, unsigned int b) {
  return min(a, b);
}
LOCKSTEP_DEVICE unsigned int umax(unsigned int a, unsigned int b) {
  return max(a, b);
}
LOCKSTEP_DEVICE long long llmin(long long a, long long b) {
  return min(a, b);
}
LOCKSTEP_DEVICE long long llmax(long long a, long long b) {
  return max(a, b);
}
LOCKSTEP_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
LOCKSTEP_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
LOCKSTEP_DEVICE int abs(int a) {
  return a < 0 ? -a : a;
}
LOCKSTEP_DEVICE long abs(long a) {
  return a < 0 ? -a : a;
}
LOCKSTEP_DEVICE long long abs(long long a) {
  return a < 0 ? -a : a;
}
LOCKSTEP_DEVICE long labs(long a) {
  return abs(a);
}
LOCKSTEP_DEVICE long long llabs(long long a) {
  return abs(a);
}

// ---- bits -----------------------------------------------------------------------------------------------------------

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
LOCKSTEP_DEVICE int __ffsll(long long a) {
  return a == 0 ? 0 : __builtin_ctzll(a) + 1;
}
LOCKSTEP_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  unsigned int place;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(place) : "r"(mask), "r"(base), "r"(offset));
  return place;
}
LOCKSTEP_DEVICE unsigned int __brev(unsigned int a) {
  return __builtin_bitreverse32(a);
}
LOCKSTEP_DEVICE unsigned long long __brevll(unsigned long long a) {
  return __builtin_bitreverse64(a);
}
// Of the nibbles of the selector three bits count; prmt would take the fourth for a sign.
LOCKSTEP_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  return __nvvm_prmt(a, b, selector & 0x7777);
}
#define LOCKSTEP_FUNNEL_SHIFT(name, mode)                                                            \
  LOCKSTEP_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int count) {       \
    unsigned int result;                                                                             \
    asm("shf." mode ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(count));        \
    return result;                                                                                   \
  }
LOCKSTEP_FUNNEL_SHIFT(__funnelshift_l, "l.wrap")
LOCKSTEP_FUNNEL_SHIFT(__funnelshift_r, "r.wrap")
LOCKSTEP_FUNNEL_SHIFT(__funnelshift_lc, "l.clamp")
LOCKSTEP_FUNNEL_SHIFT(__funnelshift_rc, "r.clamp")
#undef LOCKSTEP_FUNNEL_SHIFT

// ---- sums and products ----------------------------------------------------------------------------------------------

LOCKSTEP_DEVICE int __mulhi(int a, int b) {
  return __nvvm_mulhi_i(a, b);
}
LOCKSTEP_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}
LOCKSTEP_DEVICE long long __mul64hi(long long a, long long b) {
  return __nvvm_mulhi_ll(a, b);
}
LOCKSTEP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
LOCKSTEP_DEVICE int __mul24(int a, int b) {
  return __nvvm_mul24_i(a, b);
}
LOCKSTEP_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) {
  return __nvvm_mul24_ui(a, b);
}
LOCKSTEP_DEVICE unsigned int __sad(int a, int b, unsigned int c) {
  return __nvvm_sad_i(a, b, c);
}
LOCKSTEP_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return __nvvm_sad_ui(a, b, c);
}
// (a + b) / 2 without overflow, rounded down, and up (rhadd); Warren, Hacker's Delight, section 2-5.
LOCKSTEP_DEVICE int __hadd(int a, int b) {
  return (a & b) + ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE int __rhadd(int a, int b) {
  return (a | b) - ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) {
  return (a & b) + ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) {
  return (a | b) - ((a ^ b) >> 1);
}

// ---- dot products of bytes ------------------------------------------------------------------------------------------

#if __CUDA_ARCH__ >= 610
#define LOCKSTEP_DOT(name, instruction, T, A, B)                                               \
  LOCKSTEP_DEVICE T name(A a, B b, T c) {                                                      \
    T result;                                                                                  \
    asm(instruction " %0, %1, %2, %3;"                                                         \
        : "=r"(result) : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(c)); \
    return result;                                                                             \
  }
LOCKSTEP_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
LOCKSTEP_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
LOCKSTEP_DOT(__dp4a, "dp4a.s32.s32", int, char4, char4)
LOCKSTEP_DOT(__dp4a, "dp4a.u32.u32", unsigned int, uchar4, uchar4)
LOCKSTEP_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
LOCKSTEP_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
LOCKSTEP_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
LOCKSTEP_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, ushort2, uchar4)
LOCKSTEP_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
LOCKSTEP_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
LOCKSTEP_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
LOCKSTEP_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, ushort2, uchar4)
#undef LOCKSTEP_DOT
#else
LOCKSTEP_NEEDS_ANY(sm_61, __dp4a)
LOCKSTEP_NEEDS_ANY(sm_61, __dp2a_lo)
LOCKSTEP_NEEDS_ANY(sm_61, __dp2a_hi)
#endif
