// Approximate functions (PTX ISA 9.7.3 and 9.7.4: .approx and .full): the special function unit's results, and around
// them the instructions that ptxas 13.0 writes for sm_90.

#include "isa/exec/arithmetic/float_functions.hpp"

#include <cmath>
#include <limits>

#include "isa/exec/arithmetic/float.hpp"
#include "isa/exec/arithmetic/special_functions.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

constexpr float least_normal = 0x1p-126f;

/// False for NaN.
bool is_tiny(float a) {
  return std::fabs(a) < least_normal;
}

/// a in revolutions: a product with 1 / (2 pi), rounded towards zero.
float revolutions(float a) {
  constexpr float factor = 0.15915493667125701904f;
  const double product = static_cast<double>(a) * factor;  // Exact: 48 bits.
  const float nearest = static_cast<float>(product);
  return std::fabs(nearest) > std::fabs(product) ? std::nextafterf(nearest, 0.0f) : nearest;
}

struct Sine {
  template <bool ftz>
  static float apply(float a) {
    return special::sine(revolutions(a));
  }
};
struct Cosine {
  template <bool ftz>
  static float apply(float a) {
    return special::cosine(revolutions(a));
  }
};
struct Logarithm {
  template <bool ftz>
  static float apply(float a) {
    return !ftz && is_tiny(a) ? special::logarithm(a * 0x1p24f) - 24.0f : special::logarithm(a);
  }
};
struct Power {
  template <bool ftz>
  static float apply(float a) {
    if (ftz || !(a < -126.0f)) return special::power(a);
    const float root = special::power(a * 0.5f);
    return root * root;
  }
};
struct Reciprocal {
  template <bool ftz>
  static float apply(float a) {
    if (ftz) return special::reciprocal(a);
    const float scale = std::fabs(a) > 0x1p126f ? 0.25f : is_tiny(a) ? 0x1p24f : 1.0f;
    return special::reciprocal(a * scale) * scale;
  }
};
struct ReciprocalRoot {
  template <bool ftz>
  static float apply(float a) {
    return !ftz && is_tiny(a) ? special::reciprocal_root(a * 0x1p24f) * 0x1p12f : special::reciprocal_root(a);
  }
};
struct SquareRoot {
  template <bool ftz>
  static float apply(float a) {
    return !ftz && is_tiny(a) ? special::root(a * 0x1p24f) * 0x1p-12f : special::root(a);
  }
};
struct HyperbolicTangent {
  template <bool ftz>
  static float apply(float a) {
    return static_cast<float>(std::tanh(static_cast<double>(a)));
  }
};

template <class Op, bool ftz>
struct OfFloat {
  static float apply(float a) { return float_result<ftz, false>(Op::template apply<ftz>(a), a); }
};

/// ex2 of half precision: the single-precision result, cut off.
template <class T, bool ftz>
T power_of_half(T a) {
  const double result = special::power(static_cast<float>(to_double(float_operand<ftz>(a))));
  constexpr double beyond = std::is_same_v<T, Half> ? 0x1p16 : HUGE_VAL;
  return float_operand<ftz>(from_double<T>(result >= beyond ? HUGE_VAL : result, Rounding::zero));
}
template <class T>
T tangent_of_half(T a) {
  return from_double<T>(std::tanh(to_double(a)), Rounding::nearest);
}
template <class T, T of(T)>
Pair<T> of_pair(Pair<T> a) {
  return {of(a.low), of(a.high)};
}

/// a / b as a product with the reciprocal of b.
template <bool ftz>
float divide_approximately(float a, float b) {
  if (!ftz && is_tiny(b)) {
    a *= 0x1p24f;
    b *= 0x1p24f;
  }
  return float_result<ftz, false>(float_operand<ftz>(a) * special::reciprocal(b), a, b);
}
/// The same, with both operands scaled where the reciprocal would be subnormal.
template <bool ftz>
float divide_full(float a, float b) {
  if (std::fabs(b) > 0x1p126f) {
    a = float_operand<ftz>(float_operand<ftz>(a) * 0.25f);
    b *= 0.25f;
  }
  return divide_approximately<ftz>(a, b);
}

/// The upper 32 bits of an f64, which is all that .approx.ftz.f64 sees and gives.
template <std::uint32_t function(std::uint32_t)>
double of_upper_half(double a) {
  using F = FloatFormat<double>;
  return F::of(FloatBits<double>{function(static_cast<std::uint32_t>(F::bits(a) >> 32))} << 32);
}
/// Two steps of iteration from the unit's value of the upper half, as ptxas 13.0 writes them; a positive normal number.
double refined_reciprocal_root(double a) {
  const double guess = of_upper_half<special::reciprocal_root_upper>(a);
  const double error = std::fma(a, -(guess * guess), 1.0);
  return std::fma(std::fma(error, 0.375, 0.5), guess * error, guess);
}
double reciprocal_root(double a) {
  using F = FloatFormat<double>;
  if (std::isnan(a)) return F::of(F::bits(a) | FloatBits<double>{1} << 51);
  if (a == 0) return std::copysign(std::numeric_limits<double>::infinity(), a);
  if (a < 0) return F::of(F::nan);
  if (std::isinf(a)) return 0.0;
  if (a < std::numeric_limits<double>::min()) return refined_reciprocal_root(a * 0x1p54) * 0x1p27;
  return refined_reciprocal_root(a);
}

// ---- decoding ----

template <class Op>
void finish_f32(Decoder& d) {
  const bool ftz = d.take("ftz");
  d.finish(ftz ? over_active_lanes<&OfFloat<Op, true>::apply> : over_active_lanes<&OfFloat<Op, false>::apply>);
}

template <class Op>
void decode_f32(Decoder& d) {
  d.take("approx");
  d.destination_and_sources(d.take_type(), 1);
  finish_f32<Op>(d);
}

/// ex2 exists in half precision too; that of bf16 always flushes.
void decode_power(Decoder& d) {
  d.take("approx");
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  if (type == Type::f32) return finish_f32<Power>(d);
  d.take("ftz");
  switch (type) {
    case Type::f16: return d.finish(over_active_lanes<&power_of_half<Half, false>>);
    case Type::f16x2: return d.finish(over_active_lanes<&of_pair<Half, &power_of_half<Half, false>>>);
    case Type::bf16: return d.finish(over_active_lanes<&power_of_half<Bfloat, true>>);
    case Type::bf16x2: return d.finish(over_active_lanes<&of_pair<Bfloat, &power_of_half<Bfloat, true>>>);
    default: d.unhandled(type);
  }
}
void decode_tangent(Decoder& d) {
  d.take("approx");
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  switch (type) {
    case Type::f32: return d.finish(over_active_lanes<&OfFloat<HyperbolicTangent, false>::apply>);
    case Type::f16: return d.finish(over_active_lanes<&tangent_of_half<Half>>);
    case Type::f16x2: return d.finish(over_active_lanes<&of_pair<Half, &tangent_of_half<Half>>>);
    case Type::bf16: return d.finish(over_active_lanes<&tangent_of_half<Bfloat>>);
    case Type::bf16x2: return d.finish(over_active_lanes<&of_pair<Bfloat, &tangent_of_half<Bfloat>>>);
    default: d.unhandled(type);
  }
}

void decode_reciprocal(Decoder& d) {
  d.take("approx");
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  if (type == Type::f32) return finish_f32<Reciprocal>(d);
  d.take("ftz");
  d.finish(over_active_lanes<&of_upper_half<special::reciprocal_upper>>);
}
void decode_reciprocal_root(Decoder& d) {
  d.take("approx");
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  if (type == Type::f32) return finish_f32<ReciprocalRoot>(d);
  d.finish(d.take("ftz") ? over_active_lanes<&of_upper_half<special::reciprocal_root_upper>>
                         : over_active_lanes<&reciprocal_root>);
}
void decode_divide(Decoder& d) {
  const bool full = d.take_which({"approx", "full"}) == 1;
  d.destination_and_sources(d.take_type(), 2);
  const bool ftz = d.take("ftz");
  if (full) return d.finish(ftz ? over_lanes<&divide_full<true>> : over_lanes<&divide_full<false>>);
  d.finish(ftz ? over_lanes<&divide_approximately<true>> : over_lanes<&divide_approximately<false>>);
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::sin, nullptr, decode_f32<Sine>},      {ptx::Opcode::cos, nullptr, decode_f32<Cosine>},
    {ptx::Opcode::lg2, nullptr, decode_f32<Logarithm>}, {ptx::Opcode::ex2, nullptr, decode_power},
    {ptx::Opcode::tanh, nullptr, decode_tangent},       {ptx::Opcode::rsqrt, nullptr, decode_reciprocal_root},
    {ptx::Opcode::rcp, nullptr, decode_reciprocal},     {ptx::Opcode::sqrt, nullptr, decode_f32<SquareRoot>},
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
  return OfFloat<Power, false>::apply(a);
}
float logarithm_2_f32(float a) {
  return OfFloat<Logarithm, false>::apply(a);
}
float quotient_f32(float a, float b) {
  return divide_approximately<false>(a, b);
}

}  // namespace lockstep::exec
