// Floating-point instructions that choose or change bits without rounding: abs, neg, min, max, copysign, testp.

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

// Bits of Arithmetic::control.
constexpr std::uint32_t flushing = 1, passing_nan = 2, xoring_sign = 4, absolute = 8;

/// What a NaN becomes, with its sign: GPUs add it to zero.
template <class T>
T passed_nan(T a) {
  using F = FloatFormat<T>;
  if constexpr (std::is_same_v<T, double>) return F::of(F::bits(a) | std::uint64_t{1} << 51);
  return F::of(F::nan);
}
struct Absolute {
  template <class T>
  static T apply(T a) {
    return is_nan(a) ? passed_nan(a) : FloatFormat<T>::of(magnitude_bits(a));
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    using F = FloatFormat<T>;
    return is_nan(a) ? passed_nan(a) : F::of(static_cast<FloatBits<T>>(F::bits(a) ^ F::sign));
  }
};
template <class Op, bool ftz>
struct Maybe {
  template <class T>
  static T apply(T a) {
    return Op::template apply<T>(float_operand<ftz>(a));
  }
  template <class T>
  static Pair<T> apply_to_pair(Pair<T> a) {
    return {apply<T>(a.low), apply<T>(a.high)};
  }
};

/// The smaller or larger of two; a number wins over NaN, and -0 counts as below +0.
template <bool maximum>
struct Extremum {
  template <class T>
  static T apply(T a, T b, Control modes) {
    using F = FloatFormat<T>;
    if ((modes.value & flushing) != 0) {
      a = flush_denormal(a);
      b = flush_denormal(b);
    }
    FloatBits<T> sign = 0;
    if ((modes.value & xoring_sign) != 0) sign = (F::bits(a) ^ F::bits(b)) & F::sign;
    if ((modes.value & (xoring_sign | absolute)) != 0) {
      a = F::of(magnitude_bits(a));
      b = F::of(magnitude_bits(b));
    }
    const bool a_is_nan = is_nan(a), b_is_nan = is_nan(b);
    if ((a_is_nan && b_is_nan) || ((modes.value & passing_nan) != 0 && (a_is_nan || b_is_nan))) return F::of(F::nan);
    return F::of(static_cast<FloatBits<T>>(F::bits(choose(a, b, a_is_nan, b_is_nan)) | sign));
  }
  /// Without modifiers, for the common types: selections only.
  template <class T>
  static T plain(T a, T b) {
    const bool a_is_nan = is_nan(a), b_is_nan = is_nan(b);
    return canonical(choose(a, b, a_is_nan, b_is_nan));
  }
  template <class T>
  static T of_three(T a, T b, T c, Control modes) {
    return apply<T>(apply<T>(a, b, modes), c, modes);
  }
  template <class T>
  static Pair<T> of_pairs(Pair<T> a, Pair<T> b, Control modes) {
    return {apply<T>(a.low, b.low, modes), apply<T>(a.high, b.high, modes)};
  }

 private:
  template <class T>
  static T choose(T a, T b, bool a_is_nan, bool b_is_nan) {
    using F = FloatFormat<T>;
    const auto x = F::number(a), y = F::number(b);
    // Equal numbers differ at most in the sign of zero.
    const auto equal = static_cast<FloatBits<T>>(maximum ? F::bits(a) & F::bits(b) : F::bits(a) | F::bits(b));
    const T ordered = F::of(x == y ? equal : (maximum ? x > y : x < y) ? F::bits(a) : F::bits(b));
    return F::of(a_is_nan ? F::bits(b) : b_is_nan ? F::bits(a) : F::bits(ordered));
  }
};

/// The magnitude of b with the sign of a.
struct CopySign {
  template <class T>
  static T apply(T a, T b) {
    using F = FloatFormat<T>;
    return F::of((F::bits(a) & F::sign) | magnitude_bits(b));
  }
};

/// Properties of testp, in the order they are taken.
enum Property : unsigned { finite, infinite, number, not_a_number, normal, subnormal };
template <unsigned property>
struct Has {
  template <class T>
  static bool apply(T a) {
    using F = FloatFormat<T>;
    const FloatBits<T> magnitude = magnitude_bits(a);
    switch (property) {
      case finite: return magnitude < F::exponent;
      case infinite: return magnitude == F::exponent;
      case number: return magnitude <= F::exponent;
      case not_a_number: return magnitude > F::exponent;
      // Zero is neither normal nor subnormal to IEEE 754; PTX counts it as normal (PTX ISA 9.7.3.1).
      case normal: return (magnitude & F::exponent) != 0 ? magnitude < F::exponent : magnitude == 0;
      default: return (magnitude & F::exponent) == 0 && magnitude != 0;
    }
  }
};

// ---- decoding ----

template <class Op>
void finish_sign(Decoder& d, Type type) {
  switch (type) {
    case Type::f16: return d.finish(over_lanes<&Op::template apply<Half>>);
    case Type::bf16: return d.finish(over_lanes<&Op::template apply<Bfloat>>);
    case Type::f16x2: return d.finish(over_lanes<&Op::template apply_to_pair<Half>>);
    case Type::bf16x2: return d.finish(over_lanes<&Op::template apply_to_pair<Bfloat>>);
    case Type::f32: return d.finish(over_lanes<&Op::template apply<float>>);
    default: return d.finish(over_lanes<&Op::template apply<double>>);
  }
}
template <class Op>
void decode_sign(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  d.take("ftz") ? finish_sign<Maybe<Op, true>>(d, type) : finish_sign<Maybe<Op, false>>(d, type);
}

template <bool maximum>
void decode_extremum(Decoder& d) {
  using Op = Extremum<maximum>;
  const Type type = d.take_type();
  const bool three = type == Type::f32 && d.operand_count() == 4;
  d.destination_and_sources(type, three ? 3 : 2);
  std::uint32_t& modes = d.result().control;
  if (d.take("ftz")) modes |= flushing;
  if (d.take("NaN")) modes |= passing_nan;
  const bool xors = d.take("xorsign");
  if (d.take("abs")) modes |= xors ? xoring_sign : absolute;
  if (three && xors) d.fail(".xorsign is for two sources");
  if (!three && (modes & absolute) != 0) d.fail(".abs alone is for three sources; of two it needs .xorsign");
  switch (type) {
    case Type::f16: return d.finish(over_active_lanes<&Op::template apply<Half>>);
    case Type::bf16: return d.finish(over_active_lanes<&Op::template apply<Bfloat>>);
    case Type::f16x2: return d.finish(over_active_lanes<&Op::template of_pairs<Half>>);
    case Type::bf16x2: return d.finish(over_active_lanes<&Op::template of_pairs<Bfloat>>);
    case Type::f64: return d.finish(over_lanes<&Op::template plain<double>>);
    default: break;
  }
  if (three) return d.finish(over_lanes<&Op::template of_three<float>>);
  d.finish(modes == 0 ? over_lanes<&Op::template plain<float>> : over_lanes<&Op::template apply<float>>);
}

void decode_copy_sign(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  d.finish(type == Type::f32 ? over_lanes<&CopySign::apply<float>> : over_lanes<&CopySign::apply<double>>);
}

template <class T>
Arithmetic::Run select_property(unsigned property) {
  switch (property) {
    case finite: return over_lanes<&Has<finite>::apply<T>>;
    case infinite: return over_lanes<&Has<infinite>::apply<T>>;
    case number: return over_lanes<&Has<number>::apply<T>>;
    case not_a_number: return over_lanes<&Has<not_a_number>::apply<T>>;
    case normal: return over_lanes<&Has<normal>::apply<T>>;
    default: return over_lanes<&Has<subnormal>::apply<T>>;
  }
}
void decode_test_property(Decoder& d) {
  const unsigned property = d.take_which({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = d.take_type();
  d.expect_operands(2);
  d.destination(0, Type::pred);
  d.source(0, 1, type);
  d.finish(type == Type::f32 ? select_property<float>(property) : select_property<double>(property));
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::abs, nullptr, decode_sign<Absolute>},  {ptx::Opcode::neg, nullptr, decode_sign<Negate>},
    {ptx::Opcode::min, nullptr, decode_extremum<false>}, {ptx::Opcode::max, nullptr, decode_extremum<true>},
    {ptx::Opcode::copysign, nullptr, decode_copy_sign},  {ptx::Opcode::testp, nullptr, decode_test_property},
};

}  // namespace

std::span<const ArithmeticOpcode> float_sign_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
