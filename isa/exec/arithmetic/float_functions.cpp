// Approximate functions (PTX ISA 9.7.3 and 9.7.4: .approx and .full). GPUs compute them by tables of their own; here
// they are computed in double precision and rounded once, which is inside every error bound the PTX ISA gives.

#include <cmath>

#include "isa/exec/arithmetic/float.hpp"
#include "isa/exec/arithmetic/float_functions.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

struct Sine {
  static double apply(double x) { return std::sin(x); }
};
struct Cosine {
  static double apply(double x) { return std::cos(x); }
};
struct Logarithm {
  static double apply(double x) { return std::log2(x); }
};
struct Exponential {
  static double apply(double x) { return std::exp2(x); }
};
struct HyperbolicTangent {
  static double apply(double x) { return std::tanh(x); }
};
struct Reciprocal {
  static double apply(double x) { return 1.0 / x; }
};
struct ReciprocalRoot {
  static double apply(double x) { return 1.0 / std::sqrt(x); }
};
struct SquareRoot {
  static double apply(double x) { return std::sqrt(x); }
};

template <class Op, bool ftz>
struct OfFloat {
  static float apply(float a) {
    return float_result<ftz, false>(static_cast<float>(Op::apply(float_operand<ftz>(a))), a);
  }
};

template <class Op, class T, bool ftz>
T of_half(T a) {
  return float_operand<ftz>(from_double<T>(Op::apply(to_double(float_operand<ftz>(a))), Rounding::nearest));
}
template <class Op, class T, bool ftz>
Pair<T> of_halves(Pair<T> a) {
  return {of_half<Op, T, ftz>(a.low), of_half<Op, T, ftz>(a.high)};
}

/// The full quotient: at most 2 ulp allowed, rounded correctly here.
template <bool ftz>
float divide_full(float a, float b) {
  return float_result<ftz, false>(float_operand<ftz>(a) / float_operand<ftz>(b), a, b);
}
/// a * (1/b): a divisor beyond 2^126 has a reciprocal that is flushed, so the quotient is 0, or NaN for an infinite a.
template <bool ftz>
float divide_approximately(float a, float b) {
  const float x = float_operand<ftz>(a), y = float_operand<ftz>(b);
  const bool beyond = std::fabs(y) > 0x1p126f && std::fabs(y) < HUGE_VALF;
  return float_result<ftz, false>(beyond ? x * std::copysign(0.0f, y) : x / y, a, b);
}

/// The gross approximations of .approx.ftz.f64 see and give the upper 32 bits only.
template <class Op>
double of_upper_half(double a) {
  using F = FloatFormat<double>;
  constexpr FloatBits<double> lower = 0xffffffff;
  const double seen = flush_denormal(F::of(F::bits(a) & ~lower));
  const double result = flush_denormal(Op::apply(seen));
  if (is_nan(a) || is_nan(result)) return F::of(F::nan);
  const FloatBits<double> bits = F::bits(result), half = (lower >> 1) + (bits >> 32 & 1);
  return F::of((bits + half) & ~lower);
}
double reciprocal_root(double a) {
  return float_result<false, false>(ReciprocalRoot::apply(a), a);
}

// ---- decoding ----

void expect_approx(Decoder& d) {
  if (!d.take("approx")) d.fail(".approx is missing");
}

template <class Op>
void finish_f32(Decoder& d) {
  const bool ftz = d.take("ftz");
  d.finish(ftz ? over_active_lanes<&OfFloat<Op, true>::apply> : over_active_lanes<&OfFloat<Op, false>::apply>);
}

template <class Op>
void decode_f32(Decoder& d) {
  expect_approx(d);
  const Type type = d.take_type();
  if (type != Type::f32) d.fail_type(type);
  d.destination_and_sources(type, 1);
  finish_f32<Op>(d);
}

/// ex2 and tanh exist in half precision too; ex2 of bf16 always flushes.
template <class Op, bool bf16_flushes>
void decode_f32_or_half(Decoder& d) {
  expect_approx(d);
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  if (bf16_flushes && (type == Type::bf16 || type == Type::bf16x2) && !d.take("ftz")) d.fail(".ftz is missing");
  switch (type) {
    case Type::f32: {
      if (bf16_flushes) return finish_f32<Op>(d);
      return d.finish(over_active_lanes<&OfFloat<Op, false>::apply>);
    }
    case Type::f16: return d.finish(over_active_lanes<&of_half<Op, Half, false>>);
    case Type::f16x2: return d.finish(over_active_lanes<&of_halves<Op, Half, false>>);
    case Type::bf16: return d.finish(over_active_lanes<&of_half<Op, Bfloat, bf16_flushes>>);
    case Type::bf16x2: return d.finish(over_active_lanes<&of_halves<Op, Bfloat, bf16_flushes>>);
    default: d.fail_type(type);
  }
}

void decode_reciprocal(Decoder& d) {
  expect_approx(d);
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  if (type == Type::f32) return finish_f32<Reciprocal>(d);
  if (!d.take("ftz")) d.fail(".approx.f64 needs .ftz");
  d.finish(over_active_lanes<&of_upper_half<Reciprocal>>);
}
void decode_reciprocal_root(Decoder& d) {
  expect_approx(d);
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  if (type == Type::f32) return finish_f32<ReciprocalRoot>(d);
  if (type != Type::f64) d.fail_type(type);
  d.finish(d.take("ftz") ? over_active_lanes<&of_upper_half<ReciprocalRoot>> : over_active_lanes<&reciprocal_root>);
}
void decode_divide(Decoder& d) {
  const bool full = d.take("full");
  if (!full) expect_approx(d);
  const Type type = d.take_type();
  if (type != Type::f32) d.fail_type(type);
  d.destination_and_sources(type, 2);
  const bool ftz = d.take("ftz");
  if (full) return d.finish(ftz ? over_lanes<&divide_full<true>> : over_lanes<&divide_full<false>>);
  d.finish(ftz ? over_lanes<&divide_approximately<true>> : over_lanes<&divide_approximately<false>>);
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::sin, nullptr, decode_f32<Sine>},
    {ptx::Opcode::cos, nullptr, decode_f32<Cosine>},
    {ptx::Opcode::lg2, nullptr, decode_f32<Logarithm>},
    {ptx::Opcode::ex2, nullptr, decode_f32_or_half<Exponential, true>},
    {ptx::Opcode::tanh, nullptr, decode_f32_or_half<HyperbolicTangent, false>},
    {ptx::Opcode::rsqrt, nullptr, decode_reciprocal_root},
    {ptx::Opcode::rcp, nullptr, decode_reciprocal},
    {ptx::Opcode::sqrt, nullptr, decode_f32<SquareRoot>},
    {ptx::Opcode::div, nullptr, decode_divide},
};

}  // namespace

std::span<const ArithmeticOpcode> float_function_opcodes() {
  return opcodes;
}

float reciprocal_f32(float a) {
  return OfFloat<Reciprocal, false>::apply(a);
}
float square_root_f32(float a) {
  return OfFloat<SquareRoot, false>::apply(a);
}
float reciprocal_root_f32(float a) {
  return OfFloat<ReciprocalRoot, false>::apply(a);
}
float sine_f32(float a) {
  return OfFloat<Sine, false>::apply(a);
}
float cosine_f32(float a) {
  return OfFloat<Cosine, false>::apply(a);
}
float exponential_2_f32(float a) {
  return OfFloat<Exponential, false>::apply(a);
}
float logarithm_2_f32(float a) {
  return OfFloat<Logarithm, false>::apply(a);
}

}  // namespace lockstep::exec
