#pragma once
// The bits of PTX's floating-point types: what all floating-point instructions share about NaN, denormals and ranges.

#include <bit>
#include <cstdint>

#include "isa/exec/arithmetic/half.hpp"

namespace lockstep::exec {

template <class T>
struct FloatFormat;

template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr Bits sign = 0x80000000, exponent = 0x7f800000, one = 0x3f800000, nan = canonical_float_nan;
  static Bits bits(float value) { return std::bit_cast<Bits>(value); }
  static float of(Bits bits) { return std::bit_cast<float>(bits); }
  static float number(float value) { return value; }
};
template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  /// `nan` is what an invalid operation gives.
  static constexpr Bits sign = Bits{1} << 63, exponent = Bits{0x7ff} << 52, one = Bits{0x3ff} << 52,
                        nan = Bits{0xfff8} << 48;
  static Bits bits(double value) { return std::bit_cast<Bits>(value); }
  static double of(Bits bits) { return std::bit_cast<double>(bits); }
  static double number(double value) { return value; }
};
template <>
struct FloatFormat<Half> {
  using Bits = std::uint16_t;
  static constexpr Bits sign = 0x8000, exponent = 0x7c00, one = 0x3c00, nan = canonical_half_nan;
  static Bits bits(Half value) { return value.bits; }
  static Half of(Bits bits) { return {bits}; }
  static double number(Half value) { return to_double(value); }
};
template <>
struct FloatFormat<Bfloat> {
  using Bits = std::uint16_t;
  static constexpr Bits sign = 0x8000, exponent = 0x7f80, one = 0x3f80, nan = canonical_half_nan;
  static Bits bits(Bfloat value) { return value.bits; }
  static Bfloat of(Bits bits) { return {bits}; }
  static double number(Bfloat value) { return to_double(value); }
};

template <class T>
using FloatBits = typename FloatFormat<T>::Bits;

template <class T>
FloatBits<T> magnitude_bits(T value) {
  using F = FloatFormat<T>;
  return static_cast<FloatBits<T>>(F::bits(value) & ~F::sign);
}
template <class T>
bool is_nan(T value) {
  return magnitude_bits(value) > FloatFormat<T>::exponent;
}
/// Replaces a denormal by the zero of its sign.
template <class T>
T flush_denormal(T value) {
  using F = FloatFormat<T>;
  const FloatBits<T> bits = F::bits(value);
  return F::of((bits & F::exponent) == 0 ? static_cast<FloatBits<T>>(bits & F::sign) : bits);
}
/// .sat: NaN and what is below becomes +0, what is above 1 becomes 1.
template <class T>
T clamp_to_unit(T value) {
  using F = FloatFormat<T>;
  const FloatBits<T> bits = F::bits(value);
  // As unsigned numbers: 0 <= positive values <= infinity < NaN < negative values.
  return F::of(bits > F::exponent ? FloatBits<T>{0} : bits > F::one ? F::one : bits);
}
/// .relu: negative values become +0, NaN the canonical NaN.
template <class T>
T clamp_negative(T value) {
  using F = FloatFormat<T>;
  if (is_nan(value)) return F::of(F::nan);
  return F::of((F::bits(value) & F::sign) != 0 ? FloatBits<T>{0} : F::bits(value));
}
/// The canonical NaN for any NaN.
template <class T>
T canonical(T value) {
  return is_nan(value) ? FloatFormat<T>::of(FloatFormat<T>::nan) : value;
}

}  // namespace lockstep::exec
