#pragma once
// Shared by the files of the floating-point instructions: a lane function around an exact operation, which flushes,
// clamps and makes NaN canonical; and its execution in a rounding direction.

#include <cmath>

#include "isa/exec/arithmetic/families.hpp"
#include "isa/exec/arithmetic/float_format.hpp"

namespace lockstep::exec {

template <bool ftz, class T>
T float_operand(T value) {
  if constexpr (ftz) return flush_denormal(value);
  return value;
}

/// Operations of float, and their results times 2^24 for flush_tiny.
struct FloatMultiply {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
  static float scaled(float a, float b) { return apply(a * 0x1p24f, b); }
};
template <bool negates_product, bool negates_addend>
struct FloatSignedFma {
  template <class T>
  static T apply(T a, T b, T c) {
    return std::fma(negates_product ? -a : a, b, negates_addend ? -c : c);
  }
  static float scaled(float a, float b, float c) { return apply(a * 0x1p24f, b, c * 0x1p24f); }
};
using FloatFma = FloatSignedFma<false, false>;

/// What .ftz makes of a product or a fused one, whose result times 2^24 is `scaled`: zero where it is below the smallest
/// normal number when it is rounded as if its exponent had no bound, though it may round up to that number within the format.
/// Measured on an H200. A factor or addend that overflows when it is scaled belongs to no such result.
inline float flush_tiny(float raw, float scaled) {
  return std::fabs(scaled) < 0x1p-102f ? std::copysign(0.0F, raw) : raw;
}

/// Op::apply, flushed as Op needs it beyond what float_result does.
template <class Op, bool ftz, class T, class... A>
T float_raw(T first, A... others) {
  const T raw = Op::apply(first, others...);
  if constexpr (ftz && requires { Op::scaled(first, others...); }) {
    return flush_tiny(raw, Op::scaled(first, others...));
  } else {
    return raw;
  }
}

/// What becomes of a raw result. Single precision has one NaN. In double precision the first NaN operand is passed on
/// as a quiet NaN (payloads are kept), and an invalid operation gives FloatFormat<double>::nan; the CPU's own choice
/// depends on the order in which a compiler writes the operands.
template <bool ftz, bool sat, class T, class... A>
T float_result(T raw, A... operands) {
  using F = FloatFormat<T>;
  FloatBits<T> bits = F::nan;
  if constexpr (std::is_same_v<T, double>) {
    const auto pass_on = [&](double operand) {
      constexpr FloatBits<T> quiet = FloatBits<T>{1} << 51;
      bits = is_nan(operand) ? F::bits(operand) | quiet : bits;
    };
    // Later calls overrule earlier ones, so the first operand comes last.
    const double in_order[] = {operands...};
    for (std::size_t i = sizeof...(A); i-- > 0;) pass_on(in_order[i]);
  }
  T result = is_nan(raw) ? F::of(bits) : raw;
  if constexpr (ftz) result = flush_denormal(result);
  if constexpr (sat) result = clamp_to_unit(result);
  return result;
}

/// Op::apply on one, two or three numbers of type T, as a lane function.
template <class Op, class T, bool ftz, bool sat>
T float_of_one(T a) {
  return float_result<ftz, sat>(float_raw<Op, ftz>(float_operand<ftz>(a)), a);
}
template <class Op, class T, bool ftz, bool sat>
T float_of_two(T a, T b) {
  return float_result<ftz, sat>(float_raw<Op, ftz>(float_operand<ftz>(a), float_operand<ftz>(b)), a, b);
}
template <class Op, class T, bool ftz, bool sat>
T float_of_three(T a, T b, T c) {
  return float_result<ftz, sat>(float_raw<Op, ftz>(float_operand<ftz>(a), float_operand<ftz>(b), float_operand<ftz>(c)),
                                a, b, c);
}
template <class Op, class T, unsigned operands, bool ftz, bool sat>
constexpr auto float_function() {
  if constexpr (operands == 1) {
    return &float_of_one<Op, T, ftz, sat>;
  } else if constexpr (operands == 2) {
    return &float_of_two<Op, T, ftz, sat>;
  } else {
    return &float_of_three<Op, T, ftz, sat>;
  }
}

/// Runs a lane function with the CPU rounding in direction `rounding`.
template <auto F, Rounding rounding>
void run_rounded(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const RoundingScope scope(rounding);
  Lanes<F, true>::run(frame, operation, mask);
}

template <class Op, class T, unsigned operands, bool ftz, bool sat>
Arithmetic::Run select_rounding(Rounding rounding) {
  constexpr auto function = float_function<Op, T, operands, ftz, sat>();
  switch (rounding) {
    case Rounding::zero: return &run_rounded<function, Rounding::zero>;
    case Rounding::down: return &run_rounded<function, Rounding::down>;
    case Rounding::up: return &run_rounded<function, Rounding::up>;
    default: return over_lanes<function>;
  }
}
/// Op on float with the given rounding, flushing and clamping.
template <class Op, unsigned operands>
Arithmetic::Run select_f32(Rounding rounding, bool ftz, bool sat) {
  if (ftz) {
    return sat ? select_rounding<Op, float, operands, true, true>(rounding)
               : select_rounding<Op, float, operands, true, false>(rounding);
  }
  return sat ? select_rounding<Op, float, operands, false, true>(rounding)
             : select_rounding<Op, float, operands, false, false>(rounding);
}
template <class Op, unsigned operands>
Arithmetic::Run select_f64(Rounding rounding) {
  return select_rounding<Op, double, operands, false, false>(rounding);
}

/// Of a fused multiply-add: a * b + c, or its product, its addend, or both negated.
struct FusedSigns {
  bool negates_product = false, negates_addend = false;
};
/// fma.rn, with the CPU's own instruction where there is one.
Arithmetic::Run select_signed_fma_f32(bool ftz, bool sat, FusedSigns signs);
Arithmetic::Run select_signed_fma_f64(FusedSigns signs);
inline Arithmetic::Run select_nearest_fma_f32(bool ftz, bool sat) {
  return select_signed_fma_f32(ftz, sat, {});
}
inline Arithmetic::Run select_nearest_fma_f64() {
  return select_signed_fma_f64({});
}
/// The same of f16, bf16 or pairs of them; sets what the function reads in Arithmetic::control.
Arithmetic::Run select_signed_fma_half(ptx::Type type, bool ftz, bool sat, FusedSigns signs, std::uint32_t& control);

/// Decoders of f16, bf16 and their pairs; the type is not taken yet.
void decode_half_sum(Decoder& d, bool subtract);
void decode_half_product(Decoder& d);
void decode_half_fma(Decoder& d);
bool is_half(ptx::Type type);

/// Opcodes of float_sign.cpp and float_functions.cpp.
std::span<const ArithmeticOpcode> float_sign_opcodes();
std::span<const ArithmeticOpcode> float_function_opcodes();

}  // namespace lockstep::exec
