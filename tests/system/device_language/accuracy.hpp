#pragma once
// Errors of mathematical functions in units in the last place.

#include <cmath>
#include <functional>
#include <limits>

#include "isa/random.hpp"
#include "tests/system/device_language/functions.hpp"

namespace lockstep::device_language {

/// The format that a wider one is the reference for.
template <class T>
struct Wider;
template <>
struct Wider<float> {
  using type = double;
};
/// That of the x87, with 64 bits of mantissa; the test needs more than those of a double.
template <>
struct Wider<double> {
  using type = long double;
};

/// A function of CUDA, the error that CUDA documents, in units in the last place, and the same in the wider format.
template <class T>
struct Function {
  using Reference = typename Wider<T>::type;
  std::string expression;
  double bound;
  std::function<Reference(Reference, Reference)> reference;
};

/// The error of a result. What is no number, infinite, or zero must be the same, with its sign.
template <class T>
double error_of(T result, typename Wider<T>::type right) {
  using Reference = typename Wider<T>::type;
  using Limits = std::numeric_limits<T>;
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(right)) return std::isnan(result) ? 0 : wrong;
  if (right == 0) return result == 0 && std::signbit(result) == std::signbit(right) ? 0 : wrong;
  // Where rounding to nearest overflows, the largest number is as good.
  const bool same_sign = (result > 0) == (right > 0);
  if (std::isinf(static_cast<T>(right))) return same_sign && std::fabs(result) >= Limits::max() ? 0 : wrong;
  if (std::isinf(result)) return same_sign && std::fabs(right) >= std::nexttoward(Limits::max(), 0) ? 1 : wrong;
  int exponent;
  std::frexp(std::fmax(std::fabs(right), static_cast<Reference>(Limits::min())), &exponent);
  return static_cast<double>(std::fabs(result - right) / std::ldexp(Reference{1}, exponent - Limits::digits));
}

/// Whether the results over operands a, b are within the bounds.
template <class T>
void check_accuracy(const std::vector<Function<T>>& functions, const std::string& type,
                    const std::vector<std::vector<T>>& operands) {
  std::vector<std::string> expressions;
  for (const Function<T>& function : functions) expressions.push_back(function.expression);
  const auto results = evaluate<T, T>(expressions, type, type, operands);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    double largest = 0;
    for (std::size_t i = 0; i < results[f].size(); ++i) {
      const T a = operands[0][i], b = operands.size() > 1 ? operands[1][i] : 0;
      const auto right = functions[f].reference(a, b);
      const double error = error_of<T>(results[f][i], right);
      if (error > functions[f].bound && error > largest)
        UNSCOPED_INFO(std::hexfloat << functions[f].expression << " of " << a << ", " << b << " is " << results[f][i]
                                    << ", not " << right << std::defaultfloat << ": " << error << " ulp");
      largest = std::max(largest, error);
    }
    CHECK(largest <= functions[f].bound);
  }
}

/// The edges, and as many drawn numbers of every exponent and around 1 as `count`.
template <class T, class Bits>
std::vector<T> numbers(const std::vector<T>& edges, std::size_t count) {
  std::vector<T> values = edges;
  Random random(3);
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::bit_cast<T>(static_cast<Bits>(random.next())));
  // Where most functions do their work.
  for (std::size_t i = 0; i < count; ++i) {
    const T fraction = static_cast<T>(static_cast<std::int64_t>(random.next())) * static_cast<T>(0x1p-63);
    values.push_back(fraction * (i % 2 == 0 ? 2 : 20));
  }
  return in_whole_blocks(values);
}

/// All pairs of the edges, and pairs of similar size.
template <class T, class Bits>
std::vector<std::vector<T>> pairs(const std::vector<T>& edges, std::size_t count) {
  std::vector<std::vector<T>> result(2);
  for (const T a : edges)
    for (const T b : edges) {
      result[0].push_back(a);
      result[1].push_back(b);
    }
  Random random(4);
  for (std::size_t i = 0; i < count; ++i) {
    const T a = std::bit_cast<T>(static_cast<Bits>(random.next()));
    result[0].push_back(a);
    result[1].push_back(std::ldexp(a, static_cast<int>(random.below(40)) - 20) *
                        static_cast<T>(500 + random.below(1000)) / 1000);
  }
  return {in_whole_blocks(result[0]), in_whole_blocks(result[1])};
}

/// Bases from 1/2 to 2.5 with exponents that give powers of two from -`largest` to `largest`.
template <class T>
std::vector<std::vector<T>> powers(double largest, std::size_t count) {
  std::vector<std::vector<T>> operands(2);
  Random random(5);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = 0.5 + random.below(1000000) / 500000.0 + 1e-7,
                 power = largest * (random.below(300000) / 150000.0 - 1);
    operands[0].push_back(static_cast<T>(a));
    operands[1].push_back(static_cast<T>(power / std::log2(a)));
  }
  return {in_whole_blocks(operands[0]), in_whole_blocks(operands[1])};
}

/// sin(pi a), from an exact remainder.
template <class T>
T sine_pi(T a) {
  constexpr T pi = static_cast<T>(3.14159265358979323846264338327950288L);
  if (std::isinf(a)) return std::numeric_limits<T>::quiet_NaN();
  if (std::trunc(a) == a) return std::copysign(T{0}, a);
  const T rest = std::remainder(a, T{2}), size = std::fabs(rest);
  return std::copysign(std::sin(pi * (size > T{0.5} ? 1 - size : size)), rest);
}
template <class T>
T cosine_pi(T a) {
  constexpr T pi = static_cast<T>(3.14159265358979323846264338327950288L);
  if (std::isinf(a)) return std::numeric_limits<T>::quiet_NaN();
  const T size = std::fabs(std::remainder(a, T{2}));
  if (size == T{0.5}) return 0;
  if (size < T{0.25}) return std::cos(pi * size);
  return size > T{0.75} ? -std::cos(pi * (1 - size)) : std::sin(pi * (T{0.5} - size));
}

}  // namespace lockstep::device_language
