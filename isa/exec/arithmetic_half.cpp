// Half-precision arithmetic (PTX ISA 9.7.4) on f16, bf16 and pairs of them. Operands become doubles, in which products
// are exact and sums are rounded to odd, so the one rounding to the result type is the correct one.

#include "isa/exec/arithmetic_float.hpp"

namespace lockstep::exec {

bool is_half(ptx::Type type) {
  return type == ptx::Type::f16 || type == ptx::Type::f16x2 || type == ptx::Type::bf16 || type == ptx::Type::bf16x2;
}

namespace {

using ptx::Type;

// Bits of Arithmetic::control.
constexpr std::uint32_t flushing = 1, saturating = 2, clamping_negative = 4;

template <class T>
double operand_of(T value, Control modes) {
  return to_double((modes.value & flushing) != 0 ? flush_denormal(value) : value);
}
template <class T>
T result_of(double value, Control modes) {
  T result = from_double<T>(value, Rounding::nearest);
  if ((modes.value & flushing) != 0) result = flush_denormal(result);
  if ((modes.value & saturating) != 0) result = clamp_to_unit(result);
  if ((modes.value & clamping_negative) != 0) result = clamp_negative(result);
  return result;
}

struct Add {
  template <class T>
  static T apply(T a, T b, Control modes) {
    return result_of<T>(add_to_odd(operand_of(a, modes), operand_of(b, modes)), modes);
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b, Control modes) {
    return result_of<T>(add_to_odd(operand_of(a, modes), -operand_of(b, modes)), modes);
  }
};
struct Multiply {
  template <class T>
  static T apply(T a, T b, Control modes) {
    return result_of<T>(operand_of(a, modes) * operand_of(b, modes), modes);
  }
};
struct Fma {
  template <class T>
  static T apply(T a, T b, T c, Control modes) {
    return result_of<T>(add_to_odd(operand_of(a, modes) * operand_of(b, modes), operand_of(c, modes)), modes);
  }
};

template <class Op, class T>
Pair<T> pair_of_two(Pair<T> a, Pair<T> b, Control modes) {
  return {Op::template apply<T>(a.low, b.low, modes), Op::template apply<T>(a.high, b.high, modes)};
}
template <class Op, class T>
Pair<T> pair_of_three(Pair<T> a, Pair<T> b, Pair<T> c, Control modes) {
  return {Op::template apply<T>(a.low, b.low, c.low, modes), Op::template apply<T>(a.high, b.high, c.high, modes)};
}

template <class Op>
void finish_two(ArithmeticDecoder& d, Type type) {
  switch (type) {
    case Type::f16: return d.finish(over_active_lanes<&Op::template apply<Half>>);
    case Type::bf16: return d.finish(over_active_lanes<&Op::template apply<Bfloat>>);
    case Type::f16x2: return d.finish(over_active_lanes<&pair_of_two<Op, Half>>);
    default: return d.finish(over_active_lanes<&pair_of_two<Op, Bfloat>>);
  }
}

bool is_f16(Type type) {
  return type == Type::f16 || type == Type::f16x2;
}

template <class Op>
void decode_two(ArithmeticDecoder& d) {
  d.take("rn");
  const Type type = d.take_type();
  if (!is_half(type)) d.fail_type(type);
  d.destination_and_sources(type, 2);
  if (is_f16(type) && d.take("ftz")) d.result().control |= flushing;
  if (is_f16(type) && d.take("sat")) d.result().control |= saturating;
  finish_two<Op>(d, type);
}

}  // namespace

void decode_half_sum(ArithmeticDecoder& d, bool subtract) {
  subtract ? decode_two<Subtract>(d) : decode_two<Add>(d);
}
void decode_half_product(ArithmeticDecoder& d) {
  decode_two<Multiply>(d);
}
void decode_half_fma(ArithmeticDecoder& d) {
  if (!d.take("rn")) d.fail(".rn is missing");
  const Type type = d.take_type();
  if (!is_half(type)) d.fail_type(type);
  d.destination_and_sources(type, 3);
  if (is_f16(type) && d.take("ftz")) d.result().control |= flushing;
  if (d.take("relu")) {
    d.result().control |= clamping_negative;
  } else if (is_f16(type) && d.take("sat")) {
    d.result().control |= saturating;
  }
  switch (type) {
    case Type::f16: return d.finish(over_active_lanes<&Fma::apply<Half>>);
    case Type::bf16: return d.finish(over_active_lanes<&Fma::apply<Bfloat>>);
    case Type::f16x2: return d.finish(over_active_lanes<&pair_of_three<Fma, Half>>);
    default: return d.finish(over_active_lanes<&pair_of_three<Fma, Bfloat>>);
  }
}

}  // namespace lockstep::exec
