#pragma once
// What a tensor core of Hopper makes of a row of A, a column of B and an element of C, to the bit: see README.md.

#include <array>
#include <cstdint>

#include "isa/exec/arithmetic/half.hpp"

namespace lockstep::exec::matrix {

/// Types of A and B whose products are summed as one, with the type of C and D.
enum class Precision : std::uint8_t { f16_to_f16, f16_to_f32, bf16_to_f32, tf32_to_f32 };

inline constexpr unsigned most_factors = 16;

/// A row of A or a column of B, taken apart.
struct Factors {
  std::array<std::int32_t, most_factors> significand;  ///< With the leading bit.
  std::array<std::int32_t, most_factors> exponent;     ///< Of the leading bit; far below all others where it is zero.
  std::array<std::int32_t, most_factors> sign;         ///< 0, or -1 of a negative number.
  std::array<std::uint8_t, most_factors> is_infinite, is_nan, is_zero;
  bool finite = true;  ///< None is infinite or NaN.
};

/// Sets factor k from its bits: of .tf32 the register, of which the low 13 bits do not count.
void set_factor(Precision precision, Factors& factors, unsigned k, std::uint32_t bits);

/// The bits of a[0] * b[0] + ... + a[depth - 1] * b[depth - 1] + c. `c` and the result are of the type of C.
std::uint32_t dot_product(Precision precision, const Factors& a, const Factors& b, unsigned depth, std::uint32_t c);

/// The next partial sum of f64: a fused multiply-add, with the NaN of b, c or a, in this order.
double next_sum(double a, double b, double c);

}  // namespace lockstep::exec::matrix
