// Mathematical functions of float against the host's in double precision, within the bounds that CUDA documents (CUDA C++
// Programming Guide, accuracy of mathematical functions).
#include "tests/system/device_language/accuracy.hpp"

namespace lockstep::float_math_test {

using namespace lockstep::device_language;

namespace {

const std::vector<float> edges = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, -0x1p-126f, 0.25f,
                                  0.5f, -0.5f, 0x1.fffffep-2f, 1.0f, -1.0f, 0x1.000002p+0f, 0x1.fffffep-1f, 1.5f, 2.0f,
                                  2.5f, -2.5f, 3.0f, -3.0f, 88.5f, 88.73f, -87.4f, -103.9f, 104.0f, 127.5f, 128.0f,
                                  -149.5f, 8388607.5f, 8388608.0f, 16777216.0f, 1e10f, 0x1.fffffep+127f,
                                  -0x1.fffffep+127f, std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
                                  // Next to a multiple of pi/2: Kahan's, and small ones.
                                  16367173.0f * 0x1p72f, 0x1.921fb6p+0f, 0x1.921fb6p+1f, 0x1.2d97c8p+2f, 355.0f};

}  // namespace

TEST_CASE("Functions of one float are as accurate as CUDA documents, on edges and numbers of every size") {
  using D = double;
  check_accuracy<float>({{"expf(a)", 2, [](D a, D) { return std::exp(a); }},
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
                        "float", {numbers<float, std::uint32_t>(edges, 3000)});
}

TEST_CASE("The gamma function of float is as accurate as CUDA documents, its logarithm outside of its zeros below 0") {
  const auto outside = [](float a) { return a < -2.264f && a > -10.001f ? 4.0f : a; };
  std::vector<float> values = numbers<float, std::uint32_t>(edges, 3000);
  for (float& value : values) value = outside(value);
  check_accuracy<float>({{"tgammaf(a)", 5, [](double a, double) { return std::tgamma(a); }},
                         {"lgammaf(a)", 6, [](double a, double) { return std::lgamma(a); }}},
                        "float", {values});
}

TEST_CASE("Functions of two floats are as accurate as CUDA documents, and exact where they are") {
  using D = double;
  const auto f = [](D a) { return static_cast<float>(a); };
  check_accuracy<float>(
      {{"powf(a, b)", 4, [](D a, D b) { return std::pow(a, b); }},
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
      "float", pairs<float, std::uint32_t>(edges, 2500));
}

TEST_CASE("Powers of large and small exponents are as accurate as CUDA documents") {
  check_accuracy<float>({{"powf(a, b)", 4, [](double a, double b) { return std::pow(a, b); }}}, "float",
                        powers<float>(150, 8192));
}

}  // namespace lockstep::float_math_test
