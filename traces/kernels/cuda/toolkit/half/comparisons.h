#pragma once
// Comparisons of halves. Those that end in u are true where an operand is not a number.

LOCKSTEP_HALF bool __hisnan(__half a) {
  return (a.__x & 0x7fffu) > 0x7c00u;
}
LOCKSTEP_HALF int __hisinf(__half a) {
  return a.__x == 0x7c00u ? 1 : a.__x == 0xfc00u ? -1 : 0;
}
#define LOCKSTEP_COMPARISON(name, sign, opposite)                                                         \
  LOCKSTEP_HALF bool __h##name(__half a, __half b) {                                                      \
    return (float)a sign(float) b;                                                                        \
  }                                                                                                       \
  LOCKSTEP_HALF bool __h##name##u(__half a, __half b) {                                                   \
    return !((float)a opposite(float) b);                                                                 \
  }                                                                                                       \
  LOCKSTEP_HALF __half2 __h##name##2(__half2 a, __half2 b) {                                              \
    return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f), __half(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                                       \
  LOCKSTEP_HALF bool __hb##name##2(__half2 a, __half2 b) {                                                \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                    \
  }
LOCKSTEP_COMPARISON(eq, ==, !=)
LOCKSTEP_COMPARISON(lt, <, >=)
LOCKSTEP_COMPARISON(le, <=, >)
LOCKSTEP_COMPARISON(gt, >, <=)
LOCKSTEP_COMPARISON(ge, >=, <)
#undef LOCKSTEP_COMPARISON
// Unequal is false for what is not a number, other than the sign != of float.
LOCKSTEP_HALF bool __hne(__half a, __half b) {
  return (float)a < (float)b || (float)a > (float)b;
}
LOCKSTEP_HALF bool __hneu(__half a, __half b) {
  return (float)a != (float)b;
}
LOCKSTEP_HALF bool __hbne2(__half2 a, __half2 b) {
  return __hne(a.x, b.x) && __hne(a.y, b.y);
}
LOCKSTEP_HALF __half2 __hne2(__half2 a, __half2 b) {
  return __half2(__half(__hne(a.x, b.x) ? 1.0f : 0.0f), __half(__hne(a.y, b.y) ? 1.0f : 0.0f));
}

LOCKSTEP_HALF __half __hmax(__half a, __half b) {
  return __half(__builtin_fmaxf((float)a, (float)b));
}
LOCKSTEP_HALF __half __hmin(__half a, __half b) {
  return __half(__builtin_fminf((float)a, (float)b));
}
LOCKSTEP_HALF __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
LOCKSTEP_HALF __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#define LOCKSTEP_OPERATOR(sign, name)                                    \
  LOCKSTEP_HALF bool operator sign(const __half& a, const __half& b) {   \
    return __h##name(a, b);                                              \
  }                                                                      \
  LOCKSTEP_HALF bool operator sign(const __half2& a, const __half2& b) { \
    return __hb##name##2(a, b);                                          \
  }
LOCKSTEP_OPERATOR(==, eq)
LOCKSTEP_OPERATOR(<, lt)
LOCKSTEP_OPERATOR(<=, le)
LOCKSTEP_OPERATOR(>, gt)
LOCKSTEP_OPERATOR(>=, ge)
#undef LOCKSTEP_OPERATOR
LOCKSTEP_HALF bool operator!=(const __half& a, const __half& b) {
  return __hneu(a, b);
}
LOCKSTEP_HALF bool operator!=(const __half2& a, const __half2& b) {
  return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
