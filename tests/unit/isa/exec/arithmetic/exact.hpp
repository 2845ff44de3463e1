#pragma once
// Exact binary numbers of any size, and their rounding to a floating-point format by the definition of IEEE 754: the
// reference that directed rounding is tested against. Shares nothing with the simulator.

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <string>

namespace lockstep::test {

using boost::multiprecision::cpp_int;

/// A format by its precision (with the implicit bit) and its exponent field.
struct Format {
  int precision, exponent_bits;
  int width() const { return precision + exponent_bits; }
  std::uint64_t sign() const { return std::uint64_t{1} << (width() - 1); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << (precision - 1); }
  int smallest_unit() const { return 3 - (1 << (exponent_bits - 1)) - precision; }  ///< Exponent of the least denormal.
  bool is_nan(std::uint64_t bits) const { return (bits & ~sign()) > infinity(); }
  bool is_infinite(std::uint64_t bits) const { return (bits & ~sign()) == infinity(); }
  bool is_zero(std::uint64_t bits) const { return (bits & ~sign()) == 0; }
  bool is_negative(std::uint64_t bits) const { return (bits & sign()) != 0; }
  /// Zero of the same sign for a denormal.
  std::uint64_t flushed(std::uint64_t bits) const { return (bits & infinity()) == 0 ? bits & sign() : bits; }
};
inline constexpr Format binary16{11, 5}, bfloat16{8, 8}, binary32{24, 8}, binary64{53, 11};

/// mantissa * 2^exponent. A quotient or root carries one more bit, which is 1 when something lies below it.
struct Exact {
  cpp_int mantissa;
  int exponent = 0;
};
Exact exact(std::uint64_t bits, const Format& format);  ///< Of a finite number.
Exact operator+(const Exact& a, const Exact& b);
Exact operator-(const Exact& a);
Exact operator*(const Exact& a, const Exact& b);
Exact quotient(const Exact& a, const Exact& b);
Exact square_root(const Exact& a);

/// The bits of a number that is not zero; `mode` is 'n' (nearest, ties to even), 'z', 'm' (down) or 'p' (up).
std::uint64_t rounded(const Exact& value, const Format& format, char mode);

/// What PTX's add, mul, fma, div, sqrt give on bits, NaN results as `nan`.
std::uint64_t exact_add(std::uint64_t a, std::uint64_t b, const Format& format, char mode, std::uint64_t nan);
std::uint64_t exact_multiply(std::uint64_t a, std::uint64_t b, const Format& format, char mode, std::uint64_t nan);
std::uint64_t exact_fma(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Format& format, char mode,
                        std::uint64_t nan);
std::uint64_t exact_divide(std::uint64_t a, std::uint64_t b, const Format& format, char mode, std::uint64_t nan);
/// Whether a * b + c is subnormal when it is rounded as if the exponent had no bound (IEEE 754: tiny after rounding).
bool is_tiny_fma(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Format& format, char mode);
std::uint64_t exact_root(std::uint64_t a, const Format& format, char mode, std::uint64_t nan);

}  // namespace lockstep::test
