#pragma once
// Bits as integers of PTX types.

#include <cstdint>
#include <string_view>

#include "tests/differential/types.hpp"

namespace lockstep::differential {

__extension__ using Wide = unsigned __int128;  ///< Arithmetic modulo 2^128.
__extension__ using SignedWide = signed __int128;

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned count) {
  return count >= 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}
/// The value of the lowest bits, read as the type.
inline SignedWide integer_of(std::uint64_t bits, std::string_view type) {
  const unsigned width = width_of(type);
  const std::uint64_t low = low_bits(bits, width);
  const auto value = static_cast<SignedWide>(low);
  return is_signed(type) && (low >> (width - 1) & 1) != 0 ? value - (static_cast<SignedWide>(1) << width) : value;
}
inline SignedWide least_of(std::string_view type) {
  return is_signed(type) ? -(static_cast<SignedWide>(1) << (width_of(type) - 1)) : 0;
}
inline SignedWide greatest_of(std::string_view type) {
  return (static_cast<SignedWide>(1) << (width_of(type) - (is_signed(type) ? 1 : 0))) - 1;
}
inline SignedWide clamped(SignedWide value, std::string_view type) {
  if (value < least_of(type)) return least_of(type);
  return value > greatest_of(type) ? greatest_of(type) : value;
}
inline std::uint64_t bits_of_integer(SignedWide value, unsigned width) {
  return low_bits(static_cast<std::uint64_t>(value), width);
}

}  // namespace lockstep::differential
