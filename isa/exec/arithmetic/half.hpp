#pragma once
// 16-bit floating point: f16 (IEEE 754 binary16) and bf16 (the upper half of binary32), and the rounding of a double
// into any small binary format.

#include <bit>
#include <cstdint>

#include "isa/exec/arithmetic/rounding.hpp"

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
  // Masks, because a compiler turns chosen constants into branches.
  const std::uint32_t infinite = 0 - static_cast<std::uint32_t>(magnitude == 0x7c00);
  const std::uint32_t nan = 0 - static_cast<std::uint32_t>(magnitude > 0x7c00);
  const std::uint32_t number = sign | (scaled & ~infinite) | (0x7f800000u & infinite);
  return std::bit_cast<float>((number & ~nan) | (canonical_float_nan & nan));
}
inline double to_double(Bfloat value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// `value` to the nearest number of a format of 16 bits, ties to even. Arithmetic and selections only, so that loops
/// over lanes vectorise: the sum with 1.5 * 2^52 units of the result's last place rounds, and its low bits count the
/// units.
template <int exponent_bits, int fraction_bits>
inline std::uint64_t round_to_nearest(double value) {
  static_assert(1 + exponent_bits + fraction_bits == 16);
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63, exponent = std::uint64_t{0x7ff} << 52;
  constexpr auto power_of_two = [](int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); };
  constexpr auto beyond = std::bit_cast<std::uint64_t>(power_of_two(bias + 1));
  constexpr auto smallest_normal = std::bit_cast<std::uint64_t>(power_of_two(1 - bias));
  constexpr double to_shifter = 1.5 * power_of_two(52 - fraction_bits);
  // Positive doubles order as their bits do. Masks, because a compiler turns chosen constants into branches.
  const auto select = [](bool condition, std::uint64_t yes, std::uint64_t no) {
    const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(condition);
    return (yes & mask) | (no & ~mask);
  };
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~sign_bit;
  const std::uint64_t bounded = select(magnitude < beyond, magnitude, beyond), own_power = bounded & exponent;
  const std::uint64_t power = select(own_power > smallest_normal, own_power, smallest_normal);
  const double shifter = std::bit_cast<double>(power) * to_shifter;
  const std::uint64_t units =
      std::bit_cast<std::uint64_t>(std::bit_cast<double>(bounded) + shifter) - std::bit_cast<std::uint64_t>(shifter);
  // The implicit bit of the units adds one to the exponent field, and so does a carry out of the fraction.
  const std::uint64_t below = (power >> 52) - static_cast<std::uint64_t>(1023 + 1 - bias);
  const std::uint64_t number = (bits >> 63 << 15) | ((below << fraction_bits) + units);
  return select(magnitude > exponent, canonical_half_nan, number);
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

/// The bits of T nearest to `value`, in loops over lanes.
template <class T>
std::uint64_t nearest_half(double value);
template <>
inline std::uint64_t nearest_half<Half>(double value) {
  return round_to_nearest<5, 10>(value);
}
template <>
inline std::uint64_t nearest_half<Bfloat>(double value) {
  return round_to_nearest<8, 7>(value);
}

}  // namespace lockstep::exec
