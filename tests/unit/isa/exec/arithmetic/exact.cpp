#include "tests/unit/isa/exec/arithmetic/exact.hpp"

#include <algorithm>

namespace lockstep::test {

Exact exact(std::uint64_t bits, const Format& format) {
  const std::uint64_t magnitude = bits & ~format.sign();
  const std::uint64_t unit = std::uint64_t{1} << (format.precision - 1);
  const auto field = static_cast<int>(magnitude / unit);
  Exact result;
  result.mantissa = field == 0 ? magnitude : magnitude % unit + unit;
  result.exponent = format.smallest_unit() + std::max(field - 1, 0);
  if (format.is_negative(bits)) result.mantissa = -result.mantissa;
  return result;
}

Exact operator+(const Exact& a, const Exact& b) {
  const int exponent = std::min(a.exponent, b.exponent);
  return {(a.mantissa << (a.exponent - exponent)) + (b.mantissa << (b.exponent - exponent)), exponent};
}
Exact operator-(const Exact& a) {
  return {-a.mantissa, a.exponent};
}
Exact operator*(const Exact& a, const Exact& b) {
  return {a.mantissa * b.mantissa, a.exponent + b.exponent};
}
Exact quotient(const Exact& a, const Exact& b) {
  const int more = 200;
  const cpp_int dividend = abs(a.mantissa) << more, divisor = abs(b.mantissa);
  cpp_int mantissa = dividend / divisor * 2;
  if (dividend % divisor != 0) ++mantissa;
  if ((a.mantissa < 0) != (b.mantissa < 0)) mantissa = -mantissa;
  return {mantissa, a.exponent - b.exponent - more - 1};
}
Exact square_root(const Exact& a) {
  const int more = 200 + (a.exponent & 1);
  const cpp_int square = a.mantissa << more;
  const cpp_int root = sqrt(square);
  cpp_int mantissa = root * 2;
  if (root * root != square) ++mantissa;
  return {mantissa, (a.exponent - more) / 2 - 1};
}

std::uint64_t rounded(const Exact& value, const Format& format, char mode) {
  const bool negative = value.mantissa < 0;
  const cpp_int magnitude = abs(value.mantissa);
  const int length = static_cast<int>(msb(magnitude)) + 1;
  int unit = std::max(value.exponent + length - format.precision, format.smallest_unit());

  cpp_int whole = magnitude, rest = 0, one = 1;  // magnitude = whole * one + rest, in units of 2^unit
  if (unit >= value.exponent) {
    one = cpp_int(1) << (unit - value.exponent);
    whole = magnitude / one;
    rest = magnitude % one;
  } else {
    whole = magnitude << (value.exponent - unit);
  }
  bool away = false;
  if (mode == 'n') away = rest * 2 > one || (rest * 2 == one && whole % 2 != 0);
  if (mode == 'm') away = negative && rest != 0;
  if (mode == 'p') away = !negative && rest != 0;
  if (away) ++whole;

  const cpp_int carry = cpp_int(1) << format.precision;
  if (whole == carry) {
    whole /= 2;
    ++unit;
  }
  const std::uint64_t sign = negative ? format.sign() : 0;
  const std::uint64_t hidden = std::uint64_t{1} << (format.precision - 1);
  const auto kept = static_cast<std::uint64_t>(whole);
  if (kept < hidden) return sign | kept;
  const auto field = static_cast<std::uint64_t>(unit - format.smallest_unit() + 1);
  if (field >= (std::uint64_t{1} << format.exponent_bits) - 1) {
    const bool to_infinity = mode == 'n' || (mode == 'm' && negative) || (mode == 'p' && !negative);
    return sign | (to_infinity ? format.infinity() : format.infinity() - 1);
  }
  return sign | (field * hidden + (kept - hidden));
}

std::uint64_t exact_add(std::uint64_t a, std::uint64_t b, const Format& f, char mode, std::uint64_t nan) {
  if (f.is_nan(a) || f.is_nan(b)) return nan;
  if (f.is_infinite(a)) return f.is_infinite(b) && a != b ? nan : a;
  if (f.is_infinite(b)) return b;
  const Exact sum = exact(a, f) + exact(b, f);
  if (sum.mantissa != 0) return rounded(sum, f, mode);
  // An exact zero keeps a sign that both have; otherwise it is +0, rounding down -0.
  if (f.is_zero(a) && a == b) return a;
  return mode == 'm' ? f.sign() : 0;
}

std::uint64_t exact_multiply(std::uint64_t a, std::uint64_t b, const Format& f, char mode, std::uint64_t nan) {
  if (f.is_nan(a) || f.is_nan(b)) return nan;
  const std::uint64_t sign = (a ^ b) & f.sign();
  if (f.is_infinite(a) || f.is_infinite(b)) return f.is_zero(a) || f.is_zero(b) ? nan : sign | f.infinity();
  if (f.is_zero(a) || f.is_zero(b)) return sign;
  return rounded(exact(a, f) * exact(b, f), f, mode);
}

std::uint64_t exact_fma(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Format& f, char mode,
                        std::uint64_t nan) {
  if (f.is_nan(a) || f.is_nan(b) || f.is_nan(c)) return nan;
  const std::uint64_t sign = (a ^ b) & f.sign();
  if (f.is_infinite(a) || f.is_infinite(b)) {
    const std::uint64_t product = sign | f.infinity();
    if (f.is_zero(a) || f.is_zero(b) || (f.is_infinite(c) && c != product)) return nan;
    return product;
  }
  if (f.is_infinite(c)) return c;
  const Exact sum = exact(a, f) * exact(b, f) + exact(c, f);
  if (sum.mantissa != 0) return rounded(sum, f, mode);
  const bool product_is_zero = f.is_zero(a) || f.is_zero(b);
  if (product_is_zero && f.is_zero(c) && sign == (c & f.sign())) return sign;
  return mode == 'm' ? f.sign() : 0;
}

bool is_tiny_fma(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Format& f, char mode) {
  for (const std::uint64_t operand : {a, b, c}) {
    if (f.is_nan(operand) || f.is_infinite(operand)) return false;
  }
  Exact sum = exact(a, f) * exact(b, f) + exact(c, f);
  if (sum.mantissa == 0) return false;
  // As many binades higher as the precision has bits, no bit of a subnormal is lost.
  sum.exponent += f.precision;
  return (rounded(sum, f, mode) & ~f.sign()) >> (f.precision - 1) <= static_cast<std::uint64_t>(f.precision);
}

std::uint64_t exact_divide(std::uint64_t a, std::uint64_t b, const Format& f, char mode, std::uint64_t nan) {
  if (f.is_nan(a) || f.is_nan(b)) return nan;
  const std::uint64_t sign = (a ^ b) & f.sign();
  if (f.is_infinite(a)) return f.is_infinite(b) ? nan : sign | f.infinity();
  if (f.is_infinite(b)) return sign;
  if (f.is_zero(b)) return f.is_zero(a) ? nan : sign | f.infinity();
  if (f.is_zero(a)) return sign;
  return rounded(quotient(exact(a, f), exact(b, f)), f, mode);
}

std::uint64_t exact_root(std::uint64_t a, const Format& f, char mode, std::uint64_t nan) {
  if (f.is_nan(a)) return nan;
  if (f.is_zero(a)) return a;
  if (f.is_negative(a)) return nan;
  if (f.is_infinite(a)) return a;
  return rounded(square_root(exact(a, f)), f, mode);
}

}  // namespace lockstep::test
