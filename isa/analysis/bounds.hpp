#pragma once
// Arithmetic on coefficients and bounds. Internal to this folder.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "isa/analysis/expression.hpp"

namespace lockstep::analysis {

/// Two's complement, so that nothing here can overflow.
inline std::int64_t product(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}
inline std::int64_t sum(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
}
inline std::int64_t floor_quotient(std::int64_t x, std::int64_t y) {
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}

using Bound = std::optional<std::int64_t>;

/// Nothing where a bound is missing or the result would not fit.
inline Bound bound_product(const Bound& x, const Bound& y) {
  std::int64_t result = 0;
  if (!x || !y || __builtin_mul_overflow(*x, *y, &result)) return std::nullopt;
  return result;
}
inline Bound bound_sum(const Bound& x, const Bound& y) {
  std::int64_t result = 0;
  if (!x || !y || __builtin_add_overflow(*x, *y, &result)) return std::nullopt;
  return result;
}

/// The range of a product of two.
inline Range times(const Range& x, const Range& y) {
  if (x.low && x.high && y.low && y.high) {
    const Bound all[] = {bound_product(x.low, y.low), bound_product(x.low, y.high), bound_product(x.high, y.low),
                         bound_product(x.high, y.high)};
    if (!std::all_of(std::begin(all), std::end(all), [](const Bound& one) { return one.has_value(); })) return {};
    return {*std::min_element(std::begin(all), std::end(all)), *std::max_element(std::begin(all), std::end(all))};
  }
  if (x.low && y.low && *x.low >= 0 && *y.low >= 0) return {bound_product(x.low, y.low), std::nullopt};
  const auto constant_times = [](const Range& constant, const Range& other) -> Range {
    if (*constant.low >= 0) return {bound_product(constant.low, other.low), bound_product(constant.low, other.high)};
    return {bound_product(constant.low, other.high), bound_product(constant.low, other.low)};
  };
  if (x.low && x.high && *x.low == *x.high) return constant_times(x, y);
  if (y.low && y.high && *y.low == *y.high) return constant_times(y, x);
  return {};
}

inline Range plus(const Range& x, const Range& y) {
  return {bound_sum(x.low, y.low), bound_sum(x.high, y.high)};
}

}  // namespace lockstep::analysis
