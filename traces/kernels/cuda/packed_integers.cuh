#pragma once
// SIMD functions: 32-bit registers as two integers of 16 bits (names ending in 2) or four of 8 bits (4). vabsdiff4 is an
// instruction; all else is arithmetic on whole registers that keeps carries within their part, after Warren, Hacker's
// Delight, section 2-18. A condition is a 1 in the highest bit of its part; prmt copies that bit over the part.

#define LOCKSTEP_COMPARISONS(n, name, sign, condition)                                 \
  LOCKSTEP_DEVICE unsigned int __vcmp##name##n(unsigned int a, unsigned int b) {       \
    return lockstep_spread##n(condition);                                              \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vset##name##n(unsigned int a, unsigned int b) {       \
    return ((condition) & sign) >> (32 / n - 1);                                       \
  }
#define LOCKSTEP_MINIMUM(n, name, condition)                                           \
  LOCKSTEP_DEVICE unsigned int name##n(unsigned int a, unsigned int b) {               \
    const unsigned int first = lockstep_spread##n(condition);                          \
    return (a & first) | (b & ~first);                                                 \
  }

/// `sign`: the highest bit of every part. `copies`: the selector of prmt that copies it over the part.
#define LOCKSTEP_PACKED(n, sign, copies)                                               \
  LOCKSTEP_DEVICE unsigned int lockstep_spread##n(unsigned int condition) {            \
    return __nvvm_prmt(condition, 0, copies);                                          \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vadd##n(unsigned int a, unsigned int b) {             \
    return ((a & ~sign) + (b & ~sign)) ^ ((a ^ b) & sign);                             \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vsub##n(unsigned int a, unsigned int b) {             \
    return ((a | sign) - (b & ~sign)) ^ ((a ^ ~b) & sign);                             \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int lockstep_different##n(unsigned int a, unsigned int b) { \
    return (((a ^ b) & ~sign) + ~sign) | (a ^ b);                                      \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int lockstep_below##n(unsigned int a, unsigned int b) {     \
    return (~a & b) | (~(a ^ b) & __vsub##n(a, b));                                    \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int lockstep_less##n(unsigned int a, unsigned int b) {      \
    return lockstep_below##n(a ^ sign, b ^ sign);                                      \
  }                                                                                    \
  LOCKSTEP_COMPARISONS(n, eq, sign, ~lockstep_different##n(a, b))                      \
  LOCKSTEP_COMPARISONS(n, ne, sign, lockstep_different##n(a, b))                       \
  LOCKSTEP_COMPARISONS(n, ltu, sign, lockstep_below##n(a, b))                          \
  LOCKSTEP_COMPARISONS(n, leu, sign, ~lockstep_below##n(b, a))                         \
  LOCKSTEP_COMPARISONS(n, gtu, sign, lockstep_below##n(b, a))                          \
  LOCKSTEP_COMPARISONS(n, geu, sign, ~lockstep_below##n(a, b))                         \
  LOCKSTEP_COMPARISONS(n, lts, sign, lockstep_less##n(a, b))                           \
  LOCKSTEP_COMPARISONS(n, les, sign, ~lockstep_less##n(b, a))                          \
  LOCKSTEP_COMPARISONS(n, gts, sign, lockstep_less##n(b, a))                           \
  LOCKSTEP_COMPARISONS(n, ges, sign, ~lockstep_less##n(a, b))                          \
  LOCKSTEP_MINIMUM(n, __vminu, lockstep_below##n(a, b))                                \
  LOCKSTEP_MINIMUM(n, __vmaxu, lockstep_below##n(b, a))                                \
  LOCKSTEP_MINIMUM(n, __vmins, lockstep_less##n(a, b))                                 \
  LOCKSTEP_MINIMUM(n, __vmaxs, lockstep_less##n(b, a))                                 \
  /* Unsigned saturation: all ones where a carry left the part, 0 where a borrow did. */ \
  LOCKSTEP_DEVICE unsigned int __vaddus##n(unsigned int a, unsigned int b) {           \
    const unsigned int sum = __vadd##n(a, b);                                          \
    return sum | lockstep_spread##n((a & b) | ((a | b) & ~sum));                       \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vsubus##n(unsigned int a, unsigned int b) {           \
    return __vsub##n(a, b) & ~lockstep_spread##n(lockstep_below##n(a, b));             \
  }                                                                                    \
  /* Signed saturation: towards the sign of a where that of the result is wrong. */    \
  LOCKSTEP_DEVICE unsigned int lockstep_saturated##n(unsigned int result, unsigned int overflow, unsigned int a) { \
    const unsigned int wrong = lockstep_spread##n(overflow);                           \
    return (result & ~wrong) | ((lockstep_spread##n(a) ^ ~sign) & wrong);              \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vaddss##n(unsigned int a, unsigned int b) {           \
    const unsigned int sum = __vadd##n(a, b);                                          \
    return lockstep_saturated##n(sum, ~(a ^ b) & (a ^ sum), a);                        \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vsubss##n(unsigned int a, unsigned int b) {           \
    const unsigned int difference = __vsub##n(a, b);                                   \
    return lockstep_saturated##n(difference, (a ^ b) & (a ^ difference), a);           \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vneg##n(unsigned int a) {                             \
    return __vsub##n(0, a);                                                            \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vnegss##n(unsigned int a) {                           \
    return __vsubss##n(0, a);                                                          \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vabs##n(unsigned int a) {                             \
    const unsigned int negative = lockstep_spread##n(a);                               \
    return __vsub##n(a ^ negative, negative);                                          \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vabsss##n(unsigned int a) {                           \
    return __vminu##n(__vabs##n(a), ~sign);                                            \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vhaddu##n(unsigned int a, unsigned int b) {           \
    return (a & b) + (((a ^ b) >> 1) & ~sign);                                         \
  }                                                                                    \
  LOCKSTEP_DEVICE unsigned int __vavgu##n(unsigned int a, unsigned int b) {            \
    return (a | b) - (((a ^ b) >> 1) & ~sign);                                         \
  }                                                                                    \
  /* Halves away from zero: up from the floor of an odd sum, unless that is negative. */ \
  LOCKSTEP_DEVICE unsigned int __vavgs##n(unsigned int a, unsigned int b) {            \
    const unsigned int down = __vhaddu##n(a ^ sign, b ^ sign) ^ sign;                  \
    return down + ((a ^ b) & ~(down >> (32 / n - 1)) & (sign >> (32 / n - 1)));        \
  }
LOCKSTEP_PACKED(2, 0x80008000u, 0xbb99)
LOCKSTEP_PACKED(4, 0x80808080u, 0xba98)
#undef LOCKSTEP_PACKED
#undef LOCKSTEP_MINIMUM
#undef LOCKSTEP_COMPARISONS

// Absolute differences, and their sums.
LOCKSTEP_DEVICE unsigned int __vabsdiffu2(unsigned int a, unsigned int b) {
  return __vmaxu2(a, b) - __vminu2(a, b);
}
LOCKSTEP_DEVICE unsigned int __vabsdiffs2(unsigned int a, unsigned int b) {
  return __vsub2(__vmaxs2(a, b), __vmins2(a, b));
}
LOCKSTEP_DEVICE unsigned int __vsadu2(unsigned int a, unsigned int b) {
  const unsigned int difference = __vabsdiffu2(a, b);
  return (difference & 0xffff) + (difference >> 16);
}
LOCKSTEP_DEVICE unsigned int __vsads2(unsigned int a, unsigned int b) {
  const unsigned int difference = __vabsdiffs2(a, b);
  return (difference & 0xffff) + (difference >> 16);
}
#define LOCKSTEP_DIFFERENCE(name, instruction)                                             \
  LOCKSTEP_DEVICE unsigned int name(unsigned int a, unsigned int b) {                      \
    unsigned int result;                                                                   \
    asm(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(0));           \
    return result;                                                                         \
  }
LOCKSTEP_DIFFERENCE(__vabsdiffu4, "vabsdiff4.u32.u32.u32")
LOCKSTEP_DIFFERENCE(__vabsdiffs4, "vabsdiff4.u32.s32.s32")
LOCKSTEP_DIFFERENCE(__vsadu4, "vabsdiff4.u32.u32.u32.add")
LOCKSTEP_DIFFERENCE(__vsads4, "vabsdiff4.u32.s32.s32.add")
#undef LOCKSTEP_DIFFERENCE
