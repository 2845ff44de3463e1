#pragma once
// 16-bit floating point: f16 (IEEE 754 binary16) and bf16 (the upper half of binary32), and the rounding of a double
// into any small binary format.

#include <bit>
#include <cstdint>

#include "isa/exec/rounding.hpp"

namespace lockstep::exec {

/// An f16 by its bits.
struct Half {
  std::uint16_t bits;
};
/// A bf16 by its bits.
struct Bfloat {
  std::uint16_t bits;
};
/// Two values in one 32-bit register.
template <class T>
struct Pair {
  T low, high;
};

/// A binary interchange format: sign, exponent and fraction, with an exponent of all ones for infinity and NaN.
struct BinaryFormat {
  int exponent_bits, fraction_bits;
};
inline constexpr BinaryFormat f16_format{5, 10}, bf16_format{8, 7}, tf32_format{8, 10}, f32_format{8, 23},
    f64_format{11, 52};

/// The NaN every single and half precision instruction returns (PTX ISA 9.7.3, 9.7.4).
inline constexpr std::uint16_t canonical_half_nan = 0x7fff;
inline constexpr std::uint32_t canonical_float_nan = 0x7fffffff;

/// The bits of `value` in `format`, rounded once. A NaN gives a positive NaN with all fraction bits set.
/// Nearest takes ties to even; `nearest_away` takes them away from zero.
std::uint64_t round_to_format(double value, BinaryFormat format, Rounding rounding);
/// The same for +-mantissa * 2^exponent.
std::uint64_t round_to_format(bool negative, std::uint64_t mantissa, int exponent, BinaryFormat format,
                              Rounding rounding);

/// The exact value, also of denormals; NaN stays NaN.
double to_double(Half value);
/// The same as a float, without branches.
inline float to_float(Half value) {
  const std::uint32_t magnitude = value.bits & 0x7fffu, sign = (value.bits & 0x8000u) << 16;
  // The fraction and exponent in their places of a float, whose bias is 112 more.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  const std::uint32_t special = magnitude == 0x7c00 ? 0x7f800000u : canonical_float_nan;
  return std::bit_cast<float>(magnitude > 0x7c00 ? special : sign | (magnitude == 0x7c00 ? special : scaled));
}
inline double to_double(Bfloat value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

template <class T>
T from_double(double value, Rounding rounding);
template <>
inline Half from_double<Half>(double value, Rounding rounding) {
  return {static_cast<std::uint16_t>(round_to_format(value, f16_format, rounding))};
}
template <>
inline Bfloat from_double<Bfloat>(double value, Rounding rounding) {
  return {static_cast<std::uint16_t>(round_to_format(value, bf16_format, rounding))};
}

}  // namespace lockstep::exec
