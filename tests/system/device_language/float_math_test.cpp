// Mathematical functions of float against the host's in double precision, within the bounds that CUDA documents (CUDA C++
// Programming Guide, section on the accuracy of mathematical functions).
#include <cmath>
#include <functional>
#include <limits>

#include "isa/random.hpp"
#include "tests/system/device_language/functions.hpp"

using namespace lockstep;
using device_language::evaluate;

namespace {

using Reference = std::function<double(double, double)>;

struct Function {
  std::string expression;
  double bound;  ///< In units in the last place of the right result.
  Reference reference;
};

/// The distance of neighbouring floats at a number.
double unit_in_the_last_place(double number) {
  if (std::fabs(number) < 0x1p-126) return 0x1p-149;
  int exponent;
  std::frexp(number, &exponent);
  return std::ldexp(1.0, exponent - 24);
}

/// Errors in units in the last place. What is no number, infinite, or zero must be the same, with its sign.
double error_of(float result, double right) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(right)) return std::isnan(result) ? 0 : infinity;
  if (right == 0) return result == 0 && std::signbit(result) == std::signbit(right) ? 0 : infinity;
  // Where rounding to nearest overflows, the largest number is as good.
  const bool overflow = std::isinf(static_cast<float>(right)), same_sign = (result > 0) == (right > 0);
  if (overflow) return same_sign && std::fabs(result) >= 0x1.fffffep127f ? 0 : infinity;
  if (std::isinf(result)) return same_sign && std::fabs(right) >= 0x1.fffffcp127 ? 1 : infinity;
  return std::fabs(result - right) / unit_in_the_last_place(right);
}

void check(const std::vector<Function>& functions, const std::vector<std::vector<float>>& operands) {
  std::vector<std::string> expressions;
  for (const Function& function : functions) expressions.push_back(function.expression);
  const auto results = evaluate<float, float>(expressions, "float", "float", operands);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    double largest = 0;
    for (std::size_t i = 0; i < results[f].size(); ++i) {
      const float a = operands[0][i], b = operands.size() > 1 ? operands[1][i] : 0;
      const double right = functions[f].reference(static_cast<double>(a), static_cast<double>(b));
      const double error = error_of(results[f][i], right);
      if (error > functions[f].bound && error > largest)
        UNSCOPED_INFO(std::hexfloat << functions[f].expression << " of " << a << ", " << b << " is " << results[f][i]
                                    << ", not " << right << std::defaultfloat << ": " << error << " ulp");
      largest = std::max(largest, error);
    }
    CHECK(largest <= functions[f].bound);
  }
}

const std::vector<float> edges = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, -0x1p-126f, 0.25f,
                                  0.5f, -0.5f, 0x1.fffffep-2f, 1.0f, -1.0f, 0x1.000002p+0f, 0x1.fffffep-1f, 1.5f, 2.0f,
                                  2.5f, -2.5f, 3.0f, -3.0f, 88.5f, 88.73f, -87.4f, -103.9f, 104.0f, 127.5f, 128.0f,
                                  -149.5f, 8388607.5f, 8388608.0f, 16777216.0f, 1e10f, 0x1.fffffep+127f,
                                  -0x1.fffffep+127f, std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
                                  // Next to a multiple of pi/2: Kahan's, and small ones.
                                  16367173.0f * 0x1p72f, 0x1.921fb6p+0f, 0x1.921fb6p+1f, 0x1.2d97c8p+2f, 355.0f};

/// The edges, and numbers of every exponent.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> values = edges;
  Random random(3);
  while (values.size() < count) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.next())));
  // Where most functions do their work.
  while (values.size() < 2 * count)
    values.push_back(static_cast<float>(static_cast<std::int32_t>(random.next())) * 0x1p-31f *
                     (values.size() % 2 == 0 ? 2 : 20));
  return device_language::in_whole_blocks(values);
}

/// Pairs: all of the edges, and numbers of similar size.
std::vector<std::vector<float>> pairs(std::size_t count) {
  std::vector<std::vector<float>> result(2);
  for (const float a : edges)
    for (const float b : edges) {
      result[0].push_back(a);
      result[1].push_back(b);
    }
  Random random(4);
  while (result[0].size() < count) {
    const float a = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    result[0].push_back(a);
    result[1].push_back(std::ldexp(a, static_cast<int>(random.below(40)) - 20) *
                        (0.5f + static_cast<float>(random.below(1000)) / 1000));
  }
  return {device_language::in_whole_blocks(result[0]), device_language::in_whole_blocks(result[1])};
}

/// sin(pi a), from an exact remainder.
double sine_pi(double a) {
  if (std::isinf(a)) return std::numeric_limits<double>::quiet_NaN();
  if (std::trunc(a) == a) return std::copysign(0.0, a);
  const double rest = std::remainder(a, 2.0), size = std::fabs(rest);
  return std::copysign(std::sin(M_PI * (size > 0.5 ? 1 - size : size)), rest);
}
double cosine_pi(double a) {
  if (std::isinf(a)) return std::numeric_limits<double>::quiet_NaN();
  const double size = std::fabs(std::remainder(a, 2.0));
  if (size == 0.5) return 0.0;
  return size < 0.25   ? std::cos(M_PI * size)
         : size > 0.75 ? -std::cos(M_PI * (1 - size))
                       : std::sin(M_PI * (0.5 - size));
}

}  // namespace

TEST_CASE("Functions of one float are as accurate as CUDA documents, on edges and numbers of every size") {
  using D = double;
  check({{"expf(a)", 2, [](D a, D) { return std::exp(a); }},
         {"exp2f(a)", 2, [](D a, D) { return std::exp2(a); }},
         {"exp10f(a)", 2, [](D a, D) { return std::pow(10.0, a); }},
         {"expm1f(a)", 1.01, [](D a, D) { return std::expm1(a); }},
         {"logf(a)", 1, [](D a, D) { return std::log(a); }},
         {"log2f(a)", 1, [](D a, D) { return std::log2(a); }},
         {"log10f(a)", 2, [](D a, D) { return std::log10(a); }},
         {"log1pf(a)", 1, [](D a, D) { return std::log1p(a); }},
         {"sinhf(a)", 3, [](D a, D) { return std::sinh(a); }},
         {"coshf(a)", 2, [](D a, D) { return std::cosh(a); }},
         {"tanhf(a)", 2, [](D a, D) { return std::tanh(a); }},
         {"asinhf(a)", 3, [](D a, D) { return std::asinh(a); }},
         {"acoshf(a)", 4, [](D a, D) { return std::acosh(a); }},
         {"atanhf(a)", 3, [](D a, D) { return std::atanh(a); }},
         {"sinf(a)", 2, [](D a, D) { return std::sin(a); }},
         {"cosf(a)", 2, [](D a, D) { return std::cos(a); }},
         {"tanf(a)", 4, [](D a, D) { return std::tan(a); }},
         {"sinpif(a)", 1, [](D a, D) { return sine_pi(a); }},
         {"cospif(a)", 1, [](D a, D) { return cosine_pi(a); }},
         {"asinf(a)", 2, [](D a, D) { return std::asin(a); }},
         {"acosf(a)", 2, [](D a, D) { return std::acos(a); }},
         {"atanf(a)", 2, [](D a, D) { return std::atan(a); }},
         {"cbrtf(a)", 1, [](D a, D) { return std::cbrt(a); }},
         {"rcbrtf(a)", 1, [](D a, D) { return 1 / std::cbrt(a); }},
         {"sqrtf(a)", 0.5, [](D a, D) { return std::sqrt(a); }},
         {"rsqrtf(a)", 2, [](D a, D) { return 1 / std::sqrt(a); }},
         {"__frsqrt_rn(a)", 0.5, [](D a, D) { return 1 / std::sqrt(a); }},
         {"erff(a)", 2, [](D a, D) { return std::erf(a); }},
         {"erfcf(a)", 4, [](D a, D) { return std::erfc(a); }},
         {"normcdff(a)", 5, [](D a, D) { return 0.5 * std::erfc(-a * M_SQRT1_2); }},
         {"roundf(a)", 0, [](D a, D) { return std::round(a); }},
         {"rintf(a)", 0, [](D a, D) { return std::rint(a); }},
         {"truncf(a)", 0, [](D a, D) { return std::trunc(a); }},
         {"floorf(a)", 0, [](D a, D) { return std::floor(a); }},
         {"ceilf(a)", 0, [](D a, D) { return std::ceil(a); }},
         {"logbf(a)", 0, [](D a, D) { return std::logb(a); }},
         {"exp(a)", 2, [](D a, D) { return std::exp(a); }}},
        {numbers(3000)});
}

TEST_CASE("The gamma function of float is as accurate as CUDA documents, its logarithm outside of its zeros below 0") {
  const auto outside = [](float a) { return a < -2.264f && a > -10.001f ? 4.0f : a; };
  std::vector<float> values = numbers(3000);
  for (float& value : values) value = outside(value);
  check({{"tgammaf(a)", 5, [](double a, double) { return std::tgamma(a); }},
         {"lgammaf(a)", 6, [](double a, double) { return std::lgamma(a); }}},
        {values});
}

TEST_CASE("Functions of two floats are as accurate as CUDA documents, and exact where they are") {
  using D = double;
  const auto f = [](D a) { return static_cast<float>(a); };
  check({{"powf(a, b)", 4, [](D a, D b) { return std::pow(a, b); }},
         {"atan2f(a, b)", 3, [](D a, D b) { return std::atan2(a, b); }},
         {"hypotf(a, b)", 3, [](D a, D b) { return std::hypot(a, b); }},
         {"rhypotf(a, b)", 2, [](D a, D b) { return 1 / std::hypot(a, b); }},
         {"norm3df(a, b, a)", 3, [](D a, D b) { return std::hypot(std::hypot(a, b), a); }},
         {"fmodf(a, b)", 0, [](D a, D b) { return std::fmod(a, b); }},
         {"remainderf(a, b)", 0, [](D a, D b) { return std::remainder(a, b); }},
         {"nextafterf(a, b)", 0, [=](D a, D b) { return std::nextafter(f(a), f(b)); }},
         {"fdimf(a, b)", 0.5, [](D a, D b) { return std::fdim(a, b); }},
         {"copysignf(a, b)", 0, [](D a, D b) { return std::copysign(a, b); }},
         {"fmaxf(a, b) + 0.0f", 0, [](D a, D b) { return std::fmax(a, b) + 0.0; }},
         {"ldexpf(a, (int)fminf(fmaxf(b, -400.0f), 400.0f))", 0.5,
          [=](D a, D b) { return std::ldexp(f(a), static_cast<int>(std::fmin(std::fmax(b, -400), 400))); }}},
        pairs(4000));
}

TEST_CASE("Powers of large and small exponents are as accurate as CUDA documents") {
  std::vector<std::vector<float>> operands(2);
  Random random(5);
  while (operands[0].size() < 8192) {
    const double a = 0.5 + random.below(1000000) / 500000.0, power = random.below(300000) / 1000.0 - 150;
    operands[0].push_back(static_cast<float>(a));
    operands[1].push_back(static_cast<float>(power / std::log2(a)));
  }
  check({{"powf(a, b)", 4, [](double a, double b) { return std::pow(a, b); }}}, operands);
}
