#include "isa/exec/arithmetic/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>

#include "isa/error.hpp"
#include "isa/exec/arithmetic/half.hpp"

namespace lockstep::exec {

namespace {

int environment_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest: return FE_TONEAREST;
    case Rounding::zero: return FE_TOWARDZERO;
    case Rounding::down: return FE_DOWNWARD;
    case Rounding::up: return FE_UPWARD;
    case Rounding::nearest_away: break;
  }
  throw Bug("the CPU has no rounding to nearest, ties away from zero");
}

/// Whether a magnitude whose kept part is odd or even, with the given rest below it, goes up by one unit.
/// `rest` is 0 exact, 1 below half, 2 half, 3 above half.
bool rounds_up(Rounding rounding, bool negative, bool odd, int rest) {
  switch (rounding) {
    case Rounding::nearest: return rest == 3 || (rest == 2 && odd);
    case Rounding::nearest_away: return rest >= 2;
    case Rounding::zero: return false;
    case Rounding::down: return negative && rest != 0;
    case Rounding::up: return !negative && rest != 0;
  }
  return false;
}

/// Where the bits of `mantissa` below 2^shift lie, for rounds_up.
int rest_below(std::uint64_t mantissa, int shift) {
  if (shift > 63) {
    // Only a full mantissa of 64 bits reaches half of 2^64 and above.
    const std::uint64_t half_of_64 = std::uint64_t{1} << 63;
    if (shift > 64 || mantissa < half_of_64) return mantissa != 0 ? 1 : 0;
    return mantissa == half_of_64 ? 2 : 3;
  }
  const std::uint64_t rest = mantissa & ((std::uint64_t{1} << shift) - 1), half = std::uint64_t{1} << (shift - 1);
  return rest == 0 ? 0 : rest < half ? 1 : rest == half ? 2 : 3;
}

}  // namespace

RoundingScope::RoundingScope(Rounding rounding) {
  std::fesetround(environment_of(rounding));
}
RoundingScope::~RoundingScope() {
  std::fesetround(FE_TONEAREST);
}

double round_to_integral(double value, Rounding rounding) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent >= 52) return value;
  const std::uint64_t sign = bits & std::uint64_t{1} << 63;
  if (exponent < 0) {
    const bool is_zero = (bits << 1) == 0;
    const double magnitude = std::bit_cast<double>(bits ^ sign);
    const int rest = is_zero ? 0 : magnitude < 0.5 ? 1 : magnitude == 0.5 ? 2 : 3;
    const double one = rounds_up(rounding, negative, false, rest) ? 1.0 : 0.0;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(one) | sign);
  }
  const int shift = 52 - exponent;
  const std::uint64_t magnitude = bits ^ sign;
  if (shift == 0) return value;
  std::uint64_t kept = magnitude >> shift;
  if (rounds_up(rounding, negative, (kept & 1) != 0 || exponent == 0, rest_below(magnitude, shift))) ++kept;
  return std::bit_cast<double>(kept << shift | sign);
}

std::uint64_t round_to_format(bool negative, std::uint64_t mantissa, int exponent, BinaryFormat format,
                              Rounding rounding) {
  const std::uint64_t sign = negative ? std::uint64_t{1} << (format.exponent_bits + format.fraction_bits) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  if (mantissa == 0) return sign;

  // The result is a multiple of 2^unit.
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int smallest_unit = 1 - bias - format.fraction_bits;
  const int top = exponent + 63 - std::countl_zero(mantissa);
  const int unit = std::max(top - format.fraction_bits, smallest_unit);
  if (top > bias) return sign | (rounds_up(rounding, negative, true, 3) ? infinity : infinity - 1);

  const int shift = unit - exponent;
  std::uint64_t kept = shift <= 0 ? mantissa << -shift : shift > 63 ? 0 : mantissa >> shift;
  if (shift > 0 && rounds_up(rounding, negative, (kept & 1) != 0, rest_below(mantissa, shift))) ++kept;
  // The implicit bit of `kept` adds one to the exponent field, and so does a carry out of the fraction.
  return sign | ((static_cast<std::uint64_t>(unit - smallest_unit) << format.fraction_bits) + kept);
}

std::uint64_t round_to_format(double value, BinaryFormat format, Rounding rounding) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (field == 0x7ff) {
    const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
    if (fraction != 0) return infinity | ((std::uint64_t{1} << format.fraction_bits) - 1);
    return infinity | (negative ? std::uint64_t{1} << (format.exponent_bits + format.fraction_bits) : 0);
  }
  const std::uint64_t mantissa = field != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  return round_to_format(negative, mantissa, (field != 0 ? field : 1) - 1075, format, rounding);
}

double to_double(Half value) {
  const std::uint64_t sign = static_cast<std::uint64_t>(value.bits >> 15) << 63;
  const int field = value.bits >> 10 & 0x1f;
  const std::uint64_t fraction = value.bits & 0x3ff;
  if (field == 0) {
    const double magnitude = static_cast<double>(fraction) * 0x1p-24;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);
  }
  const std::uint64_t exponent = field == 0x1f ? 0x7ff : static_cast<std::uint64_t>(field + 1023 - 15);
  return std::bit_cast<double>(sign | exponent << 52 | fraction << 42);
}

}  // namespace lockstep::exec
