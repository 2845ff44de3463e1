// Correctly rounded floating-point arithmetic (PTX ISA 9.7.3): sums, products, fused products, quotients, roots.

#include <cmath>

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  template <class T>
  static T apply(T a) {
    return std::sqrt(a);
  }
};

/// The last steps of every decoder here.
template <class Op, unsigned operands>
void finish_float(Decoder& d, Rounding rounding) {
  const Type type = d.take_type();
  d.destination_and_sources(type, operands);
  if (type == Type::f64) return d.finish(select_f64<Op, operands>(rounding));
  const bool ftz = d.take("ftz"), sat = d.take("sat");
  d.finish(select_f32<Op, operands>(rounding, ftz, sat));
}
/// Where the row lets the rounding be missing, it is to nearest.
template <class Op, unsigned operands>
void decode_rounded(Decoder& d) {
  finish_float<Op, operands>(d, d.take_rounding().value_or(Rounding::nearest));
}

template <class Op, bool subtract>
void decode_sum(Decoder& d) {
  if (is_half(d.instruction().last_type())) return decode_half_sum(d, subtract);
  decode_rounded<Op, 2>(d);
}
void decode_product(Decoder& d) {
  if (is_half(d.instruction().last_type())) return decode_half_product(d);
  decode_rounded<FloatMultiply, 2>(d);
}

/// mad is fma in every target since sm_20; PTX before 3.2 left its rounding out.
void decode_fma(Decoder& d) {
  if (is_half(d.instruction().last_type())) return decode_half_fma(d);
  const Rounding rounding = d.take_rounding().value_or(Rounding::nearest);
  if (rounding != Rounding::nearest) return finish_float<FloatFma, 3>(d, rounding);
  const Type type = d.take_type();
  d.destination_and_sources(type, 3);
  if (type == Type::f64) return d.finish(select_nearest_fma_f64());
  const bool ftz = d.take("ftz"), sat = d.take("sat");
  d.finish(select_nearest_fma_f32(ftz, sat));
}

/// div, rcp and sqrt have approximate forms, which another file decodes.
template <void (*exact)(Decoder&)>
void decode_exact_or_approximate(Decoder& d) {
  if (!d.instruction().has("approx") && !d.instruction().has("full")) return exact(d);
  for (const ArithmeticOpcode& opcode : float_function_opcodes()) {
    if (opcode.opcode == d.opcode()) return opcode.floating(d);
  }
  d.unhandled("approx");
}

}  // namespace

std::span<const ArithmeticOpcode> float_opcodes() {
  static const auto opcodes = [] {
    std::vector<ArithmeticOpcode> all(float_function_opcodes().begin(), float_function_opcodes().end());
    all.insert(all.end(), float_sign_opcodes().begin(), float_sign_opcodes().end());
    // The last entry of a name is the one that counts.
    all.insert(all.end(), {{ptx::Opcode::add, nullptr, decode_sum<Add, false>},
                           {ptx::Opcode::sub, nullptr, decode_sum<Subtract, true>},
                           {ptx::Opcode::mul, nullptr, decode_product},
                           {ptx::Opcode::fma, nullptr, decode_fma},
                           {ptx::Opcode::mad, nullptr, decode_fma},
                           {ptx::Opcode::div, nullptr, decode_exact_or_approximate<decode_rounded<Divide, 2>>},
                           {ptx::Opcode::rcp, nullptr, decode_exact_or_approximate<decode_rounded<Reciprocal, 1>>},
                           {ptx::Opcode::sqrt, nullptr, decode_exact_or_approximate<decode_rounded<SquareRoot, 1>>}});
    return all;
  }();
  return opcodes;
}

}  // namespace lockstep::exec
