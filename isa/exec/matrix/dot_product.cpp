#include "isa/exec/matrix/dot_product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec::matrix {

namespace {

/// Bits behind the binary point to which every term is cut off, counted from the largest exponent of all.
constexpr int kept_bits = 25;
/// Of a zero: a sum of two such still lies below any exponent of a number.
constexpr std::int32_t no_exponent = -1000;

struct Number {
  std::int32_t significand = 0, exponent = no_exponent, sign = 0;
  bool is_infinite = false, is_nan = false;
};

Number take_apart(std::uint32_t bits, BinaryFormat format) {
  const int width = format.exponent_bits + format.fraction_bits;
  const auto fraction = static_cast<std::int32_t>(bits & ((1u << format.fraction_bits) - 1));
  const auto exponent = static_cast<std::int32_t>(bits >> format.fraction_bits & ((1u << format.exponent_bits) - 1));
  const std::int32_t largest = (1 << format.exponent_bits) - 1, bias = largest >> 1;
  Number number;
  number.sign = (bits >> width & 1) != 0 ? -1 : 0;
  if (exponent == largest) {
    number.is_nan = fraction != 0;
    number.is_infinite = fraction == 0;
    return number;
  }
  number.significand = exponent == 0 ? fraction : fraction | 1 << format.fraction_bits;
  if (number.significand != 0) number.exponent = std::max(exponent, 1) - bias;
  return number;
}

/// +-magnitude * 2^unit, cut off or rounded to nearest even; what is too large is infinite in either case.
std::uint32_t rounded(bool negative, std::uint64_t magnitude, int unit, BinaryFormat format, bool to_nearest) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint32_t sign = negative ? 1u << (format.exponent_bits + format.fraction_bits) : 0;
  const int exponent = std::max(63 - std::countl_zero(magnitude) + unit, 1 - bias);
  const int cut = exponent - format.fraction_bits - unit;  // Bits of the magnitude behind the last one that is kept.
  std::uint64_t kept = cut <= 0 ? magnitude << -cut : cut > 63 ? 0 : magnitude >> cut;
  if (to_nearest && cut > 0 && cut <= 63) {
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << cut) - 1), half = std::uint64_t{1} << (cut - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  }
  // The leading bit of a normal number, and a carry out of the fraction, add one to the exponent field.
  const std::uint64_t bits = (static_cast<std::uint64_t>(exponent + bias - 1) << format.fraction_bits) + kept;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  return sign | static_cast<std::uint32_t>(std::min(bits, infinity));
}

std::uint32_t infinity_of(bool negative, BinaryFormat format) {
  const std::uint32_t exponent = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  return negative ? exponent | 1u << (format.exponent_bits + format.fraction_bits) : exponent;
}

/// Where a term is infinite or NaN.
std::uint32_t of_special_terms(const Factors& a, const Factors& b, unsigned depth, const Number& c, BinaryFormat format,
                               std::uint32_t nan) {
  bool positive = c.is_infinite && c.sign == 0, negative = c.is_infinite && c.sign != 0;
  if (c.is_nan) return nan;
  for (unsigned k = 0; k < depth; ++k) {
    const bool infinite = a.is_infinite[k] != 0 || b.is_infinite[k] != 0;
    if (a.is_nan[k] != 0 || b.is_nan[k] != 0 || (infinite && (a.is_zero[k] != 0 || b.is_zero[k] != 0))) return nan;
    if (!infinite) continue;
    (a.sign[k] != b.sign[k] ? negative : positive) = true;
  }
  return positive && negative ? nan : infinity_of(negative, format);
}

template <Precision precision>
struct Formats;
template <>
struct Formats<Precision::f16_to_f16> {
  static constexpr BinaryFormat in = f16_format, out = f16_format;
};
template <>
struct Formats<Precision::f16_to_f32> {
  static constexpr BinaryFormat in = f16_format, out = f32_format;
};
template <>
struct Formats<Precision::bf16_to_f32> {
  static constexpr BinaryFormat in = bf16_format, out = f32_format;
};
template <>
struct Formats<Precision::tf32_to_f32> {
  static constexpr BinaryFormat in = tf32_format, out = f32_format;
};

/// All terms are cut off towards zero at the same place, summed exactly, and the sum is brought into the format once.
template <Precision precision>
std::uint32_t sum_of(const Factors& a, const Factors& b, unsigned depth, std::uint32_t c_bits) {
  constexpr BinaryFormat in = Formats<precision>::in, out = Formats<precision>::out;
  const Number c = take_apart(c_bits, out);
  if (!a.finite || !b.finite || c.is_nan || c.is_infinite) [[unlikely]]
    return of_special_terms(a, b, depth, c, out, out.fraction_bits == 10 ? canonical_half_nan : canonical_float_nan);
  std::int32_t largest = c.exponent, exponent[most_factors];
  for (unsigned k = 0; k < depth; ++k) {
    exponent[k] = a.exponent[k] + b.exponent[k];
    largest = std::max(largest, exponent[k]);
  }
  if (largest < no_exponent / 2) return 0;  // Zeros only, of whatever signs.
  const auto aligned = [&](std::int32_t significand, int fraction_bits, std::int32_t own, std::int32_t sign) {
    const std::int32_t shifted = significand << (kept_bits - fraction_bits) >> std::min(largest - own, 31);
    return (shifted ^ sign) - sign;
  };
  std::int64_t sum = aligned(c.significand, out.fraction_bits, c.exponent, c.sign);
  for (unsigned k = 0; k < depth; ++k)
    sum += aligned(a.significand[k] * b.significand[k], 2 * in.fraction_bits, exponent[k], a.sign[k] ^ b.sign[k]);
  if (sum == 0) return 0;
  const bool negative = sum < 0;
  return rounded(negative, static_cast<std::uint64_t>(negative ? -sum : sum), largest - kept_bits, out,
                 out.fraction_bits == 10);
}

constexpr BinaryFormat format_of_factors(Precision precision) {
  switch (precision) {
    case Precision::bf16_to_f32: return bf16_format;
    case Precision::tf32_to_f32: return tf32_format;
    default: return f16_format;
  }
}

}  // namespace

void set_factor(Precision precision, Factors& factors, unsigned k, std::uint32_t bits) {
  const Number number =
      take_apart(precision == Precision::tf32_to_f32 ? bits >> 13 : bits, format_of_factors(precision));
  factors.significand[k] = number.significand;
  factors.exponent[k] = number.exponent;
  factors.sign[k] = number.sign;
  factors.is_infinite[k] = number.is_infinite ? 1 : 0;
  factors.is_nan[k] = number.is_nan ? 1 : 0;
  factors.is_zero[k] = number.significand == 0 && !number.is_infinite && !number.is_nan ? 1 : 0;
  factors.finite = factors.finite && !number.is_infinite && !number.is_nan;
}

std::uint32_t dot_product(Precision precision, const Factors& a, const Factors& b, unsigned depth, std::uint32_t c) {
  switch (precision) {
    case Precision::f16_to_f16: return sum_of<Precision::f16_to_f16>(a, b, depth, c);
    case Precision::f16_to_f32: return sum_of<Precision::f16_to_f32>(a, b, depth, c);
    case Precision::bf16_to_f32: return sum_of<Precision::bf16_to_f32>(a, b, depth, c);
    default: return sum_of<Precision::tf32_to_f32>(a, b, depth, c);
  }
}

double next_sum(double a, double b, double c) {
  return float_result<false, false>(std::fma(a, b, c), b, c, a);
}

}  // namespace lockstep::exec::matrix
