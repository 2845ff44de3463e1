#pragma once
// Coefficients of the special function unit (special_functions.hpp), recovered from measured results.

#include <cstdint>

namespace lockstep::exec::special {

inline constexpr unsigned fraction_bits = 17;

/// A quadratic. For the low bits x of n bits of the mantissa, the result is
///   constant + linear * x * 2^(17-n) + quadratic * x^2 * 2^(16-2n)
/// in units of 2^-17 of the last place of a result of 24 bits.
struct Segment {
  std::int64_t constant;
  std::int32_t linear, quadratic;
};

extern const Segment reciprocal_table[128];        ///< 1 / x from 1 to 2.
extern const Segment reciprocal_root_table_1[64];  ///< 1 / sqrt(x) from 1 to 2,
extern const Segment reciprocal_root_table_2[64];  ///< and from 2 to 4.
extern const Segment root_table_1[64];             ///< sqrt(x) from 1 to 2,
extern const Segment root_table_2[64];             ///< and from 2 to 4.
extern const Segment power_table[64];              ///< 2^x from 0 to 1.
extern const Segment logarithm_table[64];          ///< log2(x) from 1 to 2.
extern const Segment sine_table[64];               ///< A quarter of the wave.

}  // namespace lockstep::exec::special
