#include "isa/exec/arithmetic/special_functions.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "isa/exec/arithmetic/special_function_tables.hpp"

namespace lockstep::exec::special {

namespace {

constexpr std::uint32_t sign_bit = 0x80000000, infinity = 0x7f800000, nan = 0x7fffffff, mantissa_mask = 0x7fffff;
constexpr int mantissa_bits = 23, bias = 127;

float of_bits(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

/// An f32 in parts; the exponent of a zero or subnormal is -bias.
struct Parts {
  explicit Parts(float value)
      : bits(std::bit_cast<std::uint32_t>(value)),
        sign(bits & sign_bit),
        mantissa(bits & mantissa_mask),
        exponent(static_cast<int>(bits >> mantissa_bits & 0xff) - bias) {}
  bool zero() const { return exponent == -bias; }
  bool special() const { return exponent == bias + 1; }
  bool is_nan() const { return special() && mantissa != 0; }
  std::uint32_t bits, sign, mantissa;
  int exponent;
};

/// x * x for `bits` bits, without the partial products whose weight is below 2^least.
template <unsigned bits, unsigned least>
std::uint64_t truncated_square(std::uint32_t x) {
  std::uint64_t sum = 0;
  for (unsigned k = (least + 1) / 2; k < bits; ++k) {
    if ((x >> k & 1) == 0) continue;
    // Of the products with bits l < k, of weight 2^(k+l+1), those with l >= least - k - 1 are there.
    const unsigned lowest = least > k + 1 ? least - k - 1 : 0;
    const std::uint64_t lower = x & ((std::uint32_t{1} << k) - 1) & ~((std::uint32_t{1} << lowest) - 1);
    sum += (std::uint64_t{1} << 2 * k) + (lower << (k + 1));
  }
  return sum;
}

/// The interpolated value for a mantissa, in units of 2^-fraction_bits of the last place of a result of 24 bits.
template <std::size_t segments>
std::int64_t interpolate(const Segment (&table)[segments], std::uint32_t mantissa) {
  constexpr unsigned x_bits = mantissa_bits - std::countr_zero(segments);
  constexpr unsigned least = x_bits == 17 ? 19 : 17;  // Columns that the squarer leaves out.
  const Segment& segment = table[mantissa >> x_bits];
  const std::uint32_t x = mantissa & ((1u << x_bits) - 1);
  const auto square = static_cast<std::int64_t>(truncated_square<x_bits, least>(x));
  return segment.constant + (std::int64_t{segment.linear} * x << (fraction_bits - x_bits)) +
         (segment.quadratic * square >> (2 * x_bits + 1 - fraction_bits));
}

/// value * 2^scale for a value of 24 bits or exactly 2^24; what is too small is 0.
float assemble(std::uint32_t sign, std::int64_t value, int scale) {
  int exponent = scale + mantissa_bits;
  if (value >> (mantissa_bits + 1) != 0) {
    value >>= 1;
    ++exponent;
  }
  if (exponent > bias) return of_bits(sign | infinity);
  if (exponent < 1 - bias) return of_bits(sign);
  return of_bits(sign | static_cast<std::uint32_t>(exponent + bias) << mantissa_bits |
                 (static_cast<std::uint32_t>(value) & mantissa_mask));
}

/// The f32 below a magnitude of fixed point, in units of 2^-unit.
float normalised(std::uint32_t sign, std::uint64_t magnitude, int unit) {
  if (magnitude == 0) return of_bits(sign);
  const int width = std::bit_width(magnitude), drop = width - mantissa_bits - 1;
  return assemble(sign, static_cast<std::int64_t>(drop >= 0 ? magnitude >> drop : magnitude << -drop), drop - unit);
}

constexpr unsigned phase_bits = 25;  ///< Of a revolution.
constexpr std::uint32_t quarter = 1u << (phase_bits - 2);

/// floor(|value| * 2^phase_bits) modulo one revolution.
std::uint32_t phase_of(const Parts& a) {
  if (a.zero()) return 0;
  const int shift = a.exponent - mantissa_bits + static_cast<int>(phase_bits);
  const std::uint32_t significand = a.mantissa | 1u << mantissa_bits;
  if (shift >= static_cast<int>(phase_bits) || shift <= -24) return 0;
  const std::uint64_t phase = shift >= 0 ? std::uint64_t{significand} << shift : significand >> -shift;
  return static_cast<std::uint32_t>(phase & (4 * std::uint64_t{quarter} - 1));
}

/// The sine of a phase: a quarter of the wave, mirrored by its complement.
float sine_of_phase(std::uint32_t sign, std::uint32_t phase) {
  if ((phase & 2 * quarter) != 0) sign ^= sign_bit;
  const std::uint32_t within = (phase & quarter) != 0 ? ~phase & (quarter - 1) : phase & (quarter - 1);
  const std::int64_t value = within == 0 ? 0 : interpolate(sine_table, within);
  return normalised(sign, static_cast<std::uint64_t>(value), mantissa_bits + 1 + static_cast<int>(fraction_bits));
}

}  // namespace

float reciprocal(float value) {
  const Parts a(value);
  if (a.is_nan()) return of_bits(nan);
  if (a.special()) return of_bits(a.sign);
  if (a.zero()) return of_bits(a.sign | infinity);
  return assemble(a.sign, interpolate(reciprocal_table, a.mantissa) >> fraction_bits, -mantissa_bits - 1 - a.exponent);
}

float reciprocal_root(float value) {
  const Parts a(value);
  if (a.zero()) return of_bits(a.sign | infinity);
  if (a.is_nan() || a.sign != 0) return of_bits(nan);
  if (a.special()) return of_bits(0);
  const bool odd = (a.exponent & 1) != 0;
  const int half = (a.exponent - (odd ? 1 : 0)) / 2;
  if (!odd && a.mantissa == 0) return assemble(0, 1 << mantissa_bits, -mantissa_bits - half);
  const std::int64_t result = interpolate(odd ? reciprocal_root_table_2 : reciprocal_root_table_1, a.mantissa);
  return assemble(0, result >> fraction_bits, -mantissa_bits - 1 - half);
}

float root(float value) {
  const Parts a(value);
  if (a.zero()) return of_bits(a.sign);
  if (a.is_nan() || a.sign != 0) return of_bits(nan);
  if (a.special()) return of_bits(infinity);
  const bool odd = (a.exponent & 1) != 0;
  const int half = (a.exponent - (odd ? 1 : 0)) / 2;
  return assemble(0, interpolate(odd ? root_table_2 : root_table_1, a.mantissa) >> fraction_bits, half - mantissa_bits);
}

float logarithm(float value) {
  const Parts a(value);
  if (a.zero()) return of_bits(sign_bit | infinity);
  if (a.is_nan() || a.sign != 0) return of_bits(nan);
  if (a.special()) return of_bits(infinity);
  if (a.exponent == 0 && a.mantissa == 0) return of_bits(0);
  // The unit adds in steps of 2^-36, and complements a negative sum bit by bit.
  constexpr int unit = 36, interpolated = mantissa_bits + 1 + static_cast<int>(fraction_bits);
  const std::int64_t sum =
      a.exponent * (std::int64_t{1} << unit) + (interpolate(logarithm_table, a.mantissa) >> (interpolated - unit));
  return sum < 0 ? normalised(sign_bit, static_cast<std::uint64_t>(~sum), unit)
                 : normalised(0, static_cast<std::uint64_t>(sum), unit);
}

float power(float value) {
  const Parts a(value);
  if (a.is_nan()) return of_bits(nan);
  if (a.exponent >= 7) return of_bits(a.sign != 0 ? 0 : infinity);  // From 128 on, infinities included.
  const std::uint32_t significand = a.zero() ? 0 : a.mantissa | 1u << mantissa_bits;
  const std::uint32_t magnitude = a.exponent >= 0    ? significand << a.exponent
                                  : a.exponent > -24 ? significand >> -a.exponent
                                                     : 0;
  auto whole = static_cast<int>(magnitude >> mantissa_bits);
  std::uint32_t fraction = magnitude & mantissa_mask;
  if (a.sign != 0) {
    // The fraction of a negative argument is complemented bit by bit, not negated.
    whole = fraction == 0 ? -whole : -whole - 1;
    fraction = fraction == 0 ? 0 : ~fraction & mantissa_mask;
  }
  return assemble(0, interpolate(power_table, fraction) >> fraction_bits, whole - mantissa_bits);
}

float sine(float revolutions) {
  const Parts a(revolutions);
  return a.special() ? of_bits(nan) : sine_of_phase(a.sign, phase_of(a));
}

float cosine(float revolutions) {
  const Parts a(revolutions);
  return a.special() ? of_bits(nan) : sine_of_phase(0, phase_of(a) + quarter);
}

namespace {

// The upper half of an f64: 20 bits of mantissa, and an exponent of 11 bits.
constexpr int upper_mantissa_bits = 20, upper_bias = 1023;
constexpr std::uint32_t upper_infinity = 0x7ff00000, upper_nan = 0x7fffffff, upper_mantissa_mask = 0xfffff;

/// A result of 24 bits or exactly 2^24, cut off at 21 bits; 2^exponent is the weight of its highest bit.
std::uint32_t assemble_upper(std::uint32_t sign, std::int64_t value, int exponent) {
  if (value >> (mantissa_bits + 1) != 0) {
    value >>= 1;
    ++exponent;
  }
  if (exponent > upper_bias) return sign | upper_infinity;
  if (exponent < 1 - upper_bias) return sign;
  const auto mantissa = static_cast<std::uint32_t>(value >> (mantissa_bits - upper_mantissa_bits));
  return sign | static_cast<std::uint32_t>(exponent + upper_bias) << upper_mantissa_bits |
         (mantissa & upper_mantissa_mask);
}

struct UpperParts {
  explicit UpperParts(std::uint32_t bits)
      : sign(bits & sign_bit),
        mantissa((bits & upper_mantissa_mask) << (mantissa_bits - upper_mantissa_bits)),
        exponent(static_cast<int>(bits >> upper_mantissa_bits & 0x7ff) - upper_bias) {}
  bool zero() const { return exponent == -upper_bias; }
  bool special() const { return exponent == upper_bias + 1; }
  std::uint32_t sign, mantissa;  ///< The mantissa as one of 23 bits.
  int exponent;
};

}  // namespace

std::uint32_t reciprocal_upper(std::uint32_t upper) {
  const UpperParts a(upper);
  if (a.special()) return a.mantissa != 0 ? upper_nan : a.sign;
  if (a.zero()) return a.sign | upper_infinity;
  return assemble_upper(a.sign, interpolate(reciprocal_table, a.mantissa) >> fraction_bits, -1 - a.exponent);
}

std::uint32_t reciprocal_root_upper(std::uint32_t upper) {
  const UpperParts a(upper);
  if (a.zero()) return a.sign | upper_infinity;
  if (a.sign != 0 || (a.special() && a.mantissa != 0)) return upper_nan;
  if (a.special()) return 0;
  const bool odd = (a.exponent & 1) != 0;
  const int half = (a.exponent - (odd ? 1 : 0)) / 2;
  if (!odd && a.mantissa == 0) return assemble_upper(0, 1 << mantissa_bits, -half);
  const std::int64_t result = interpolate(odd ? reciprocal_root_table_2 : reciprocal_root_table_1, a.mantissa);
  return assemble_upper(0, result >> fraction_bits, -1 - half);
}

}  // namespace lockstep::exec::special
