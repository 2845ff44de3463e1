// Mathematical functions of double against the host's with 64 bits of mantissa, within the bounds that CUDA documents (CUDA
// C++ Programming Guide, accuracy of mathematical functions).
#include "tests/system/device_language/accuracy.hpp"

namespace lockstep::double_math_test {

using namespace lockstep::device_language;

namespace {

const std::vector<double> edges = {
    0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1.ffffffffffffep-1023, 0x1p-1022, -0x1p-1022, 0.25, 0.5, -0.5,
    0x1.fffffffffffffp-2, 1.0, -1.0, 0x1.0000000000001p+0, 0x1.fffffffffffffp-1, 1.5, 2.0, 2.5, -2.5, 3.0, -3.0, 709.5,
    709.79, -708.5, -745.2, 1023.5, 1024.0, -1074.5, 4503599627370495.5, 4503599627370496.0, 1e22, 0x1p30,
    0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, std::numeric_limits<double>::infinity(),
    -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
    // Next to a multiple of pi/2: the nearest of all doubles (Kahan), and small ones.
    6381956970095103.0 * 0x1p797, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0x1.2d97c7f3321d2p+2};

}  // namespace

TEST_CASE("Functions of one double are as accurate as CUDA documents, on edges and numbers of every size") {
  using L = long double;
  check_accuracy<double>({{"exp(a)", 1, [](L a, L) { return std::exp(a); }},
                          {"exp2(a)", 1, [](L a, L) { return std::exp2(a); }},
                          {"exp10(a)", 1, [](L a, L) { return std::pow(L{10}, a); }},
                          {"expm1(a)", 1, [](L a, L) { return std::expm1(a); }},
                          {"log(a)", 1, [](L a, L) { return std::log(a); }},
                          {"log2(a)", 1, [](L a, L) { return std::log2(a); }},
                          {"log10(a)", 1, [](L a, L) { return std::log10(a); }},
                          {"log1p(a)", 1, [](L a, L) { return std::log1p(a); }},
                          {"sinh(a)", 2, [](L a, L) { return std::sinh(a); }},
                          {"cosh(a)", 2, [](L a, L) { return std::cosh(a); }},
                          {"tanh(a)", 2, [](L a, L) { return std::tanh(a); }},
                          {"asinh(a)", 3, [](L a, L) { return std::asinh(a); }},
                          {"acosh(a)", 3, [](L a, L) { return std::acosh(a); }},
                          {"atanh(a)", 2, [](L a, L) { return std::atanh(a); }},
                          {"sin(a)", 2, [](L a, L) { return std::sin(a); }},
                          {"cos(a)", 2, [](L a, L) { return std::cos(a); }},
                          {"tan(a)", 2, [](L a, L) { return std::tan(a); }},
                          {"sinpi(a)", 2, [](L a, L) { return sine_pi(a); }},
                          {"cospi(a)", 2, [](L a, L) { return cosine_pi(a); }},
                          {"asin(a)", 2, [](L a, L) { return std::asin(a); }},
                          {"acos(a)", 2, [](L a, L) { return std::acos(a); }},
                          {"atan(a)", 2, [](L a, L) { return std::atan(a); }},
                          {"cbrt(a)", 1, [](L a, L) { return std::cbrt(a); }},
                          {"rcbrt(a)", 1, [](L a, L) { return 1 / std::cbrt(a); }},
                          {"sqrt(a)", 0.501, [](L a, L) { return std::sqrt(a); }},
                          {"rsqrt(a)", 1, [](L a, L) { return 1 / std::sqrt(a); }},
                          {"erf(a)", 2, [](L a, L) { return std::erf(a); }},
                          {"erfc(a)", 5, [](L a, L) { return std::erfc(a); }},
                          {"normcdf(a)", 5, [](L a, L) { return std::erfc(-a / std::sqrt(L{2})) / 2; }},
                          {"round(a)", 0, [](L a, L) { return std::round(a); }},
                          {"rint(a)", 0, [](L a, L) { return std::rint(a); }},
                          {"trunc(a)", 0, [](L a, L) { return std::trunc(a); }},
                          {"floor(a)", 0, [](L a, L) { return std::floor(a); }},
                          {"ceil(a)", 0, [](L a, L) { return std::ceil(a); }},
                          {"logb(a)", 0, [](L a, L) { return std::logb(a); }}},
                         "double", {numbers<double, std::uint64_t>(edges, 2000)});
}

TEST_CASE("Functions of two doubles are as accurate as CUDA documents, and exact where they are") {
  using L = long double;
  const auto d = [](L a) { return static_cast<double>(a); };
  check_accuracy<double>(
      {{"pow(a, b)", 2, [](L a, L b) { return std::pow(a, b); }},
       {"atan2(a, b)", 2, [](L a, L b) { return std::atan2(a, b); }},
       {"hypot(a, b)", 2, [](L a, L b) { return std::hypot(a, b); }},
       {"rhypot(a, b)", 1, [](L a, L b) { return 1 / std::hypot(a, b); }},
       {"norm3d(a, b, a)", 3, [](L a, L b) { return std::hypot(std::hypot(a, b), a); }},
       {"fmod(a, b)", 0, [](L a, L b) { return std::fmod(a, b); }},
       {"remainder(a, b)", 0, [](L a, L b) { return std::remainder(a, b); }},
       {"nextafter(a, b)", 0, [=](L a, L b) { return std::nextafter(d(a), d(b)); }},
       {"fdim(a, b)", 0.501, [](L a, L b) { return std::fdim(a, b); }},
       {"copysign(a, b)", 0, [](L a, L b) { return std::copysign(a, b); }},
       {"ldexp(a, (int)fmin(fmax(b, -2200.0), 2200.0))", 0.5,
        [=](L a, L b) { return std::ldexp(d(a), static_cast<int>(std::fmin(std::fmax(b, L{-2200}), L{2200}))); }}},
      "double", pairs<double, std::uint64_t>(edges, 2000));
}

TEST_CASE("Powers of double of large and small exponents are as accurate as CUDA documents") {
  check_accuracy<double>({{"pow(a, b)", 2, [](long double a, long double b) { return std::pow(a, b); }}}, "double",
                         powers<double>(1080, 4096));
}

}  // namespace lockstep::double_math_test
