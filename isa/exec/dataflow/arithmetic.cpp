// The values are those of the PTX instructions of the same kind, bit for bit (isa/exec/arithmetic/README.md).

#include "isa/exec/dataflow/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/error.hpp"
#include "isa/exec/arithmetic/float_format.hpp"
#include "isa/exec/arithmetic/float_functions.hpp"

namespace lockstep::dataflow {

namespace {

using Word = std::uint32_t;
using Signed = std::int32_t;

Signed as_signed(Word a) {
  return static_cast<Signed>(a);
}
float as_float(Word a) {
  return std::bit_cast<float>(a);
}
/// A result: there is one NaN.
Word word_of(float value) {
  return std::bit_cast<Word>(exec::canonical(value));
}

struct Move {
  static Word apply(Word a, Word, Word) { return a; }
};
struct Add {
  static Word apply(Word a, Word b, Word) { return a + b; }
};
struct Subtract {
  static Word apply(Word a, Word b, Word) { return a - b; }
};
struct Multiply {
  static Word apply(Word a, Word b, Word) { return a * b; }
};
struct MultiplyHighSigned {
  static Word apply(Word a, Word b, Word) {
    return static_cast<Word>(static_cast<std::uint64_t>(std::int64_t{as_signed(a)} * as_signed(b)) >> 32);
  }
};
struct MultiplyHigh {
  static Word apply(Word a, Word b, Word) { return static_cast<Word>(std::uint64_t{a} * b >> 32); }
};
struct MultiplyAdd {
  static Word apply(Word a, Word b, Word c) { return a * b + c; }
};
struct AbsoluteDifferenceSigned {
  static Word apply(Word a, Word b, Word c) { return (as_signed(a) < as_signed(b) ? b - a : a - b) + c; }
};
struct AbsoluteDifference {
  static Word apply(Word a, Word b, Word c) { return (a < b ? b - a : a - b) + c; }
};
struct MinimumSigned {
  static Word apply(Word a, Word b, Word) { return as_signed(a) < as_signed(b) ? a : b; }
};
struct Minimum {
  static Word apply(Word a, Word b, Word) { return std::min(a, b); }
};
struct MaximumSigned {
  static Word apply(Word a, Word b, Word) { return as_signed(a) < as_signed(b) ? b : a; }
};
struct Maximum {
  static Word apply(Word a, Word b, Word) { return std::max(a, b); }
};
struct Absolute {
  static Word apply(Word a, Word, Word) { return as_signed(a) < 0 ? 0 - a : a; }
};
struct Negate {
  static Word apply(Word a, Word, Word) { return 0 - a; }
};
struct And {
  static Word apply(Word a, Word b, Word) { return a & b; }
};
struct Or {
  static Word apply(Word a, Word b, Word) { return a | b; }
};
struct Xor {
  static Word apply(Word a, Word b, Word) { return a ^ b; }
};
struct Not {
  static Word apply(Word a, Word, Word) { return ~a; }
};
struct ShiftLeft {
  static Word apply(Word a, Word b, Word) { return b > 31 ? 0 : a << b; }
};
struct ShiftRightSigned {
  static Word apply(Word a, Word b, Word) { return static_cast<Word>(as_signed(a) >> std::min(b, Word{31})); }
};
struct ShiftRight {
  static Word apply(Word a, Word b, Word) { return b > 31 ? 0 : a >> b; }
};
struct Select {
  static Word apply(Word a, Word b, Word c) { return a != 0 ? b : c; }
};
struct Equal {
  static Word apply(Word a, Word b, Word) { return a == b; }
};
struct NotEqual {
  static Word apply(Word a, Word b, Word) { return a != b; }
};
struct LessSigned {
  static Word apply(Word a, Word b, Word) { return as_signed(a) < as_signed(b); }
};
struct LessEqualSigned {
  static Word apply(Word a, Word b, Word) { return as_signed(a) <= as_signed(b); }
};
struct Less {
  static Word apply(Word a, Word b, Word) { return a < b; }
};
struct LessEqual {
  static Word apply(Word a, Word b, Word) { return a <= b; }
};
/// The comparison with its operands exchanged, for integers and numbers alike.
template <class Op>
struct Exchanged {
  static Word apply(Word a, Word b, Word c) { return Op::apply(b, a, c); }
};

struct AddF32 {
  static Word apply(Word a, Word b, Word) { return word_of(as_float(a) + as_float(b)); }
};
struct SubtractF32 {
  static Word apply(Word a, Word b, Word) { return word_of(as_float(a) - as_float(b)); }
};
struct MultiplyF32 {
  static Word apply(Word a, Word b, Word) { return word_of(as_float(a) * as_float(b)); }
};
struct FmaF32 {
  static Word apply(Word a, Word b, Word c) { return word_of(std::fma(as_float(a), as_float(b), as_float(c))); }
};
/// A number wins over NaN, and -0 counts as below +0.
template <bool maximum>
struct ExtremumF32 {
  static Word apply(Word a, Word b, Word) {
    const float x = as_float(a), y = as_float(b);
    if (exec::is_nan(x)) return word_of(y);
    if (exec::is_nan(y)) return a;
    if (x == y) return maximum ? a & b : a | b;
    return (maximum ? x > y : x < y) ? a : b;
  }
};
struct AbsoluteF32 {
  static Word apply(Word a, Word, Word) { return a & 0x7fffffff; }
};
struct NegateF32 {
  static Word apply(Word a, Word, Word) { return a ^ 0x80000000; }
};
struct EqualF32 {
  static Word apply(Word a, Word b, Word) { return as_float(a) == as_float(b); }
};
struct NotEqualF32 {
  static Word apply(Word a, Word b, Word) { return as_float(a) < as_float(b) || as_float(a) > as_float(b); }
};
struct LessF32 {
  static Word apply(Word a, Word b, Word) { return as_float(a) < as_float(b); }
};
struct LessEqualF32 {
  static Word apply(Word a, Word b, Word) { return as_float(a) <= as_float(b); }
};
struct FromSigned {
  static Word apply(Word a, Word, Word) { return std::bit_cast<Word>(static_cast<float>(as_signed(a))); }
};
struct FromUnsigned {
  static Word apply(Word a, Word, Word) { return std::bit_cast<Word>(static_cast<float>(a)); }
};
/// Toward zero, clamped to the range; NaN gives 0 (PTX ISA 9.7.9, cvt).
template <class Integer>
struct ToInteger {
  static Word apply(Word a, Word, Word) {
    constexpr auto low = static_cast<double>(std::numeric_limits<Integer>::min());
    constexpr auto high = static_cast<double>(std::numeric_limits<Integer>::max());
    const auto value = static_cast<double>(as_float(a));
    if (value != value) return 0;
    return static_cast<Word>(static_cast<Integer>(std::clamp(value, low, high)));
  }
};
template <float (*F)(float)>
struct Function {
  static Word apply(Word a, Word, Word) { return std::bit_cast<Word>(F(as_float(a))); }
};

template <class Op, bool predicated>
inline void loop(const Operands& operands, Word* results, std::uint32_t count) {
  const Word *const a = operands.a, *const b = operands.b, *const c = operands.c, *const p = operands.predicate;
  for (std::uint32_t i = 0; i < count; ++i) {
    if constexpr (predicated) {
      results[i] = (p[i] != 0) != operands.inverted ? Op::apply(a[i], b[i], c[i]) : a[i];
    } else {
      results[i] = Op::apply(a[i], b[i], c[i]);
    }
  }
}
template <class Op, bool predicated>
void run(const Operands& operands, Word* results, std::uint32_t count) {
  loop<Op, predicated>(operands, results, count);
}

#if defined(__x86_64__)
/// A fused product is one instruction on CPUs that have it and a call elsewhere; the bits are the same.
template <bool predicated>
[[gnu::target("avx2,fma")]] void run_fma(const Operands& operands, Word* results, std::uint32_t count) {
  const Word *const a = operands.a, *const b = operands.b, *const c = operands.c, *const p = operands.predicate;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (predicated && (p[i] != 0) == operands.inverted) {
      results[i] = a[i];
    } else {
      results[i] = word_of(__builtin_fmaf(as_float(a[i]), as_float(b[i]), as_float(c[i])));
    }
  }
}
template <bool predicated>
Compute select_fma() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has ? &run_fma<predicated> : &run<FmaF32, predicated>;
}
#else
template <bool predicated>
Compute select_fma() {
  return &run<FmaF32, predicated>;
}
#endif

template <bool predicated>
Compute select(Opcode op) {
  switch (op) {
    case Opcode::move: return run<Move, predicated>;
    case Opcode::add: return run<Add, predicated>;
    case Opcode::sub: return run<Subtract, predicated>;
    case Opcode::mul: return run<Multiply, predicated>;
    case Opcode::mul_hi_s32: return run<MultiplyHighSigned, predicated>;
    case Opcode::mul_hi_u32: return run<MultiplyHigh, predicated>;
    case Opcode::mad: return run<MultiplyAdd, predicated>;
    case Opcode::sad_s32: return run<AbsoluteDifferenceSigned, predicated>;
    case Opcode::sad_u32: return run<AbsoluteDifference, predicated>;
    case Opcode::min_s32: return run<MinimumSigned, predicated>;
    case Opcode::min_u32: return run<Minimum, predicated>;
    case Opcode::max_s32: return run<MaximumSigned, predicated>;
    case Opcode::max_u32: return run<Maximum, predicated>;
    case Opcode::abs_s32: return run<Absolute, predicated>;
    case Opcode::neg_s32: return run<Negate, predicated>;
    case Opcode::bit_and: return run<And, predicated>;
    case Opcode::bit_or: return run<Or, predicated>;
    case Opcode::bit_xor: return run<Xor, predicated>;
    case Opcode::bit_not: return run<Not, predicated>;
    case Opcode::shift_left: return run<ShiftLeft, predicated>;
    case Opcode::shift_right_s32: return run<ShiftRightSigned, predicated>;
    case Opcode::shift_right_u32: return run<ShiftRight, predicated>;
    case Opcode::select: return run<Select, predicated>;
    case Opcode::guard: return run<Move, false>;  // Which results are void is the network's affair.
    case Opcode::set_eq: return run<Equal, predicated>;
    case Opcode::set_ne: return run<NotEqual, predicated>;
    case Opcode::set_lt_s32: return run<LessSigned, predicated>;
    case Opcode::set_le_s32: return run<LessEqualSigned, predicated>;
    case Opcode::set_gt_s32: return run<Exchanged<LessSigned>, predicated>;
    case Opcode::set_ge_s32: return run<Exchanged<LessEqualSigned>, predicated>;
    case Opcode::set_lt_u32: return run<Less, predicated>;
    case Opcode::set_le_u32: return run<LessEqual, predicated>;
    case Opcode::set_gt_u32: return run<Exchanged<Less>, predicated>;
    case Opcode::set_ge_u32: return run<Exchanged<LessEqual>, predicated>;
    case Opcode::add_f32: return run<AddF32, predicated>;
    case Opcode::sub_f32: return run<SubtractF32, predicated>;
    case Opcode::mul_f32: return run<MultiplyF32, predicated>;
    case Opcode::fma_f32: return select_fma<predicated>();
    case Opcode::min_f32: return run<ExtremumF32<false>, predicated>;
    case Opcode::max_f32: return run<ExtremumF32<true>, predicated>;
    case Opcode::abs_f32: return run<AbsoluteF32, predicated>;
    case Opcode::neg_f32: return run<NegateF32, predicated>;
    case Opcode::set_eq_f32: return run<EqualF32, predicated>;
    case Opcode::set_ne_f32: return run<NotEqualF32, predicated>;
    case Opcode::set_lt_f32: return run<LessF32, predicated>;
    case Opcode::set_le_f32: return run<LessEqualF32, predicated>;
    case Opcode::set_gt_f32: return run<Exchanged<LessF32>, predicated>;
    case Opcode::set_ge_f32: return run<Exchanged<LessEqualF32>, predicated>;
    case Opcode::s32_to_f32: return run<FromSigned, predicated>;
    case Opcode::u32_to_f32: return run<FromUnsigned, predicated>;
    case Opcode::f32_to_s32: return run<ToInteger<Signed>, predicated>;
    case Opcode::f32_to_u32: return run<ToInteger<Word>, predicated>;
    case Opcode::reciprocal: return run<Function<exec::reciprocal_f32>, predicated>;
    case Opcode::square_root: return run<Function<exec::square_root_f32>, predicated>;
    case Opcode::reciprocal_square_root: return run<Function<exec::reciprocal_root_f32>, predicated>;
    case Opcode::sine: return run<Function<exec::sine_f32>, predicated>;
    case Opcode::cosine: return run<Function<exec::cosine_f32>, predicated>;
    case Opcode::exponential_2: return run<Function<exec::exponential_2_f32>, predicated>;
    case Opcode::logarithm_2: return run<Function<exec::logarithm_2_f32>, predicated>;
    case Opcode::load:
    case Opcode::store:
    case Opcode::reduce: break;
  }
  throw Bug(std::string("dataflow: a core cannot execute ") + facts(op).name);
}

}  // namespace

Compute compute_of(Opcode op, bool predicated) {
  return predicated ? select<true>(op) : select<false>(op);
}

}  // namespace lockstep::dataflow
