// Approximate functions, extrema, signs and properties of floating-point numbers (PTX ISA 9.7.3 and 9.7.4).

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tests/unit/isa/exec/arithmetic/exact.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

constexpr std::uint64_t nan32 = 0x7fffffff, inf32 = 0x7f800000, ninf32 = 0xff800000, nzero = 0x80000000;

/// Random floats with magnitudes from 2^low to 2^high, of both signs.
std::vector<Row> floats_between(int low, int high, bool negative) {
  std::mt19937_64 engine(5);
  std::vector<Row> rows;
  for (int i = 0; i < 4000; ++i) {
    const auto exponent = low + static_cast<int>(engine() % static_cast<unsigned>(high - low));
    const float value = std::ldexp(1.0f + static_cast<float>(engine() % (1 << 23)) * 0x1p-23f, exponent);
    rows.push_back({bits(negative && engine() % 2 != 0 ? -value : value)});
  }
  return rows;
}

/// The largest error against a long double function, relative to it or absolute.
double largest_error(const std::string& text, const std::vector<Row>& rows,
                     const std::function<long double(long double)>& function, bool relative) {
  const auto results = InstructionRunner(text).run_rows(rows);
  double largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const long double exact_value = function(as_float(rows[i][0]));
    const long double error = std::fabs(as_float(results[i]) - exact_value);
    largest = std::max(largest, static_cast<double>(relative ? error / std::fabs(exact_value) : error));
  }
  return largest;
}

std::vector<std::uint64_t> run_all(const std::string& text, const Row& values) {
  std::vector<Row> rows;
  for (const std::uint64_t value : values) rows.push_back({value});
  return InstructionRunner(text).run_rows(rows);
}

}  // namespace

TEST_CASE("approximations are inside the error bounds of the ISA", "[arithmetic]") {
  CHECK(largest_error("sin.approx.f32 %f0, %f1;", floats_between(-20, 2, true), sinl, false) < 0x1p-20);
  CHECK(largest_error("cos.approx.f32 %f0, %f1;", floats_between(-20, 2, true), cosl, false) < 0x1p-20);
  CHECK(largest_error("ex2.approx.f32 %f0, %f1;", floats_between(-20, 6, true), exp2l, true) < 0x1p-22);
  // The ISA bounds lg2 absolutely from 1/2 to 2, where the logarithm has its zero, and relatively elsewhere.
  CHECK(largest_error("lg2.approx.f32 %f0, %f1;", floats_between(-1, 1, false), log2l, false) < 0x1p-22);
  CHECK(largest_error("lg2.approx.f32 %f0, %f1;", floats_between(1, 120, false), log2l, true) < 0x1p-22);
  CHECK(largest_error("lg2.approx.f32 %f0, %f1;", floats_between(-120, -1, false), log2l, true) < 0x1p-22);
  CHECK(largest_error("tanh.approx.f32 %f0, %f1;", floats_between(-20, 6, true), tanhl, true) < 0x1p-11);
  CHECK(largest_error(
            "rcp.approx.f32 %f0, %f1;", floats_between(-120, 120, true), [](long double x) { return 1 / x; }, true) <
        0x1p-23);
  CHECK(largest_error(
            "rsqrt.approx.f32 %f0, %f1;", floats_between(-120, 120, false), [](long double x) { return 1 / sqrtl(x); },
            true) < 0x1p-22);
  CHECK(largest_error("sqrt.approx.f32 %f0, %f1;", floats_between(-120, 120, false), sqrtl, true) < 0x1p-23);
}

TEST_CASE("approximations have the ISA's results for special operands", "[arithmetic]") {
  const Row x = {ninf32, nzero, 0, inf32, 0x7fc00000};
  CHECK(run_all("sin.approx.f32 %f0, %f1;", x) == Row{nan32, nzero, 0, nan32, nan32});
  CHECK(run_all("cos.approx.f32 %f0, %f1;", x) == Row{nan32, bits(1.0f), bits(1.0f), nan32, nan32});
  CHECK(run_all("ex2.approx.f32 %f0, %f1;", x) == Row{0, bits(1.0f), bits(1.0f), inf32, nan32});
  CHECK(run_all("lg2.approx.f32 %f0, %f1;", x) == Row{nan32, ninf32, ninf32, inf32, nan32});
  CHECK(run_all("rcp.approx.f32 %f0, %f1;", x) == Row{nzero, ninf32, inf32, 0, nan32});
  CHECK(run_all("rsqrt.approx.f32 %f0, %f1;", x) == Row{nan32, ninf32, inf32, 0, nan32});
  CHECK(run_all("sqrt.approx.f32 %f0, %f1;", x) == Row{nan32, nzero, 0, inf32, nan32});
  CHECK(run_all("tanh.approx.f32 %f0, %f1;", x) == Row{bits(-1.0f), nzero, 0, bits(1.0f), nan32});
  // A denormal counts as zero with .ftz only; 2^-140 is 0x200.
  CHECK(run_all("lg2.approx.ftz.f32 %f0, %f1;", {0x200}) == Row{ninf32});
  CHECK(run_all("lg2.approx.f32 %f0, %f1;", {0x200}) == Row{bits(-140.0f)});
  CHECK(run_all("ex2.approx.ftz.f32 %f0, %f1;", {bits(-140.0f)}) == Row{0});
  CHECK(run_all("ex2.approx.f32 %f0, %f1;", {bits(-140.0f)}) == Row{0x200});
  CHECK(run_all("rcp.approx.ftz.f32 %f0, %f1;", {0x80000200}) == Row{ninf32});
}

TEST_CASE("div.approx gives zero for a divisor beyond 2^126, div.full does not", "[arithmetic]") {
  const std::vector<Row> rows = {{bits(0x1p127f), bits(0x1p127f)}, {inf32, bits(0x1p127f)}, {bits(6.0f), bits(-3.0f)},
                                 {bits(0x1p126f), bits(0x1p126f)}, {bits(1.0f), 0},         {0, 0}};
  CHECK(InstructionRunner("div.approx.f32 %f0, %f1, %f2;").run_rows(rows) ==
        Row{0, nan32, bits(-2.0f), bits(1.0f), inf32, nan32});
  CHECK(InstructionRunner("div.full.f32 %f0, %f1, %f2;").run_rows(rows) ==
        Row{bits(1.0f), inf32, bits(-2.0f), bits(1.0f), inf32, nan32});
  CHECK(InstructionRunner("div.full.ftz.f32 %f0, %f1, %f2;").run({bits(0x1p-100f), bits(0x1p40f)}) == 0);
}

TEST_CASE("gross f64 approximations use and give the upper 32 bits", "[arithmetic]") {
  const Row values = {bits(3.0), bits(-0x1p-1040), bits(HUGE_VAL), bits(0x1.fffffffffffffp0)};
  const auto reciprocals = run_all("rcp.approx.ftz.f64 %fd0, %fd1;", values);
  CHECK(reciprocals[0] == 0x3fd5555500000000);  // 1/3 = 0x3fd5555555555555
  CHECK(reciprocals[1] == 0xfff0000000000000);
  CHECK(reciprocals[2] == 0);
  CHECK(as_double(reciprocals[3]) == Approx(0.5).epsilon(1e-6));
  CHECK(run_all("rsqrt.approx.ftz.f64 %fd0, %fd1;", {bits(4.0), bits(0.0)}) == Row{bits(0.5), 0x7ff0000000000000});
  // The NaN of these is the upper half of single precision's, as an H200 has it.
  CHECK(run_all("rcp.approx.ftz.f64 %fd0, %fd1;", {0xfff8000000000000}) == Row{0x7fffffff00000000});
  CHECK(run_all("rsqrt.approx.ftz.f64 %fd0, %fd1;", {bits(-1.0)}) == Row{0x7fffffff00000000});
}

TEST_CASE("rsqrt.approx.f64 has the bits of an H100", "[arithmetic]") {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> measured = {
      {0x0000000000000000, 0x7ff0000000000000}, {0x8000000000000000, 0xfff0000000000000},
      {0x7ff0000000000000, 0x0000000000000000}, {0xfff0000000000000, 0xfff8000000000000},
      {0x7ff0000000000001, 0x7ff8000000000001}, {0xfff8000000000123, 0xfff8000000000123},
      {0x0000000000000001, 0x6180000000000000}, {0x8000000000000001, 0xfff8000000000000},
      {0x000fffffffffffff, 0x5fe0000000000001}, {0x0010000000000000, 0x5fe0000000000000},
      {0x7fefffffffffffff, 0x1ff0000000000000}, {0x3ff0000000000000, 0x3ff0000000000000},
      {0x4000000000000000, 0x3fe6a09e667f3bcd}, {0x00087413a8b3d667, 0x5fe603201cd8a104},
      {0x00076671a300714c, 0x5fe786cef3f59e95}, {0x14269b57fb8d31f9, 0x55d309363568b9c8},
      {0x3e1edefcfabd75da, 0x40d70995e7d7c13b}, {0x635ac67471cc39b1, 0x2e38bc9ed408a59c},
      {0x7b59baf2b613ed82, 0x22393bee060107c7}};
  for (const auto& [argument, result] : measured)
    CHECK(run_all("rsqrt.approx.f64 %fd0, %fd1;", {argument}) == Row{result});
}

TEST_CASE("the hyperbolic tangent of half precision is the exact one, rounded once", "[arithmetic]") {
  std::vector<Row> rows;
  for (std::uint64_t value = 0; value < 0x7c00; value += 3) rows.insert(rows.end(), {{value}, {value | 0x8000}});
  const auto value_of = [](std::uint64_t h) {
    const Exact e = exact(h, binary16);
    return std::ldexp(static_cast<long double>(e.mantissa), e.exponent);
  };
  const auto round_to_half = [](long double value) -> std::uint64_t {
    if (value == 0) return 0;
    if (std::isinf(value)) return 0x7c00;
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 62));
    return rounded({mantissa, exponent - 62}, binary16, 'n');
  };
  CHECK(mismatch("tanh.approx.f16 %h0, %h1;", rows,
                 [&](const Row& r) { return r[0] == 0x8000 ? 0x8000 : round_to_half(tanhl(value_of(r[0]))); }) == "");
  CHECK(InstructionRunner("ex2.approx.f16x2 %r0, %r1;").run({0x40003c00}) == 0x44004000);
  CHECK(InstructionRunner("ex2.approx.ftz.bf16x2 %r0, %r1;").run({0xc0803f80}) == 0x3d804000);
  CHECK(InstructionRunner("tanh.approx.bf16 %h0, %h1;").run({0x7f80}) == 0x3f80);
}

TEST_CASE("min and max prefer numbers, order zeros by sign, and pass NaN on with .NaN", "[arithmetic]") {
  const auto both = [](const std::string& modifiers, std::uint64_t a, std::uint64_t b) {
    return std::pair(InstructionRunner("min" + modifiers + ".f32 %f0, %f1, %f2;").run({a, b}),
                     InstructionRunner("max" + modifiers + ".f32 %f0, %f1, %f2;").run({a, b}));
  };
  using P = std::pair<std::uint64_t, std::uint64_t>;
  const std::uint64_t one = bits(1.0f), two = bits(2.0f), minus = bits(-3.0f), nan = 0xffc12345;
  CHECK(both("", one, two) == P{one, two});
  CHECK(both("", two, minus) == P{minus, two});
  CHECK(both("", 0, nzero) == P{nzero, 0});
  CHECK(both("", nzero, 0) == P{nzero, 0});
  CHECK(both("", nan, one) == P{one, one});
  CHECK(both("", one, nan) == P{one, one});
  CHECK(both("", nan, nan) == P{nan32, nan32});
  CHECK(both("", ninf32, inf32) == P{ninf32, inf32});
  CHECK(both(".NaN", one, nan) == P{nan32, nan32});
  CHECK(both(".NaN", one, two) == P{one, two});
  CHECK(both(".ftz", 0x80000001, 0x00000001) == P{nzero, 0});
  CHECK(both(".xorsign.abs", two, minus) == P{bits(-2.0f), bits(-3.0f)});
  CHECK(both(".xorsign.abs", bits(-2.0f), minus) == P{two, bits(3.0f)});
  CHECK(both(".ftz.NaN.xorsign.abs", minus, nan) == P{nan32, nan32});
  CHECK(InstructionRunner("min.f32 %f0, %f1, %f2, %f3;").run({two, one, minus}) == minus);
  CHECK(InstructionRunner("max.NaN.abs.f32 %f0, %f1, %f2, %f3;").run({two, one, minus}) == bits(3.0f));
  CHECK(InstructionRunner("min.f64 %fd0, %fd1, %fd2;")
            .run_rows({{bits(0.0), bits(-0.0)}, {0x7ff8000000000001, bits(5.0)}, {bits(4.0), bits(-4.0)}}) ==
        Row{bits(-0.0), bits(5.0), bits(-4.0)});
}

TEST_CASE("half-precision min and max follow the same rules", "[arithmetic]") {
  CHECK(InstructionRunner("max.f16 %h0, %h1, %h2;").run_rows({{0x3c00, 0xc000}, {0x7e00, 0x3c00}, {0x8000, 0}}) ==
        Row{0x3c00, 0x3c00, 0});
  CHECK(InstructionRunner("min.NaN.f16x2 %r0, %r1, %r2;").run({0x3c007e01, 0x40003c00}) == 0x3c007fff);
  CHECK(InstructionRunner("max.bf16 %h0, %h1, %h2;").run({0x3f80, 0x4000}) == 0x4000);
  CHECK(InstructionRunner("min.xorsign.abs.bf16x2 %r0, %r1, %r2;").run({0x3f80bf80, 0xc0004000}) == 0xbf80bf80);
  CHECK(InstructionRunner("max.ftz.f16 %h0, %h1, %h2;").run({0x0001, 0x8400}) == 0);
}

TEST_CASE("abs, neg and copysign touch the sign bit of numbers alone", "[arithmetic]") {
  const Row x = {0xbf800000, 0x3f800000, nzero, 0x80000001};
  CHECK(run_all("abs.f32 %f0, %f1;", x) == Row{0x3f800000, 0x3f800000, 0, 1});
  CHECK(run_all("neg.f32 %f0, %f1;", x) == Row{0x3f800000, 0xbf800000, 0, 1});
  CHECK(run_all("abs.ftz.f32 %f0, %f1;", {0x80000001}) == Row{0});
  CHECK(run_all("neg.ftz.f32 %f0, %f1;", {0x80000001}) == Row{0});
  CHECK(run_all("neg.f64 %fd0, %fd1;", {bits(2.5)}) == Row{bits(-2.5)});
  CHECK(run_all("abs.f16x2 %r0, %r1;", {0xbc00fc00}) == Row{0x3c007c00});
  CHECK(run_all("neg.bf16 %h0, %h1;", {0x3f80}) == Row{0xbf80});
  CHECK(InstructionRunner("copysign.f32 %f0, %f1, %f2;").run({bits(-1.0f), bits(5.0f)}) == bits(-5.0f));
  CHECK(InstructionRunner("copysign.f64 %fd0, %fd1, %fd2;").run({bits(1.0), bits(-5.0)}) == bits(5.0));
}

// What an H200 left for these operands (tests/differential).
TEST_CASE("abs and neg of NaN are the NaN of an addition, as on an H200", "[arithmetic]") {
  CHECK(run_all("abs.f32 %f0, %f1;", {0xffbfffff, 0x7fc0dd27}) == Row{nan32, nan32});
  CHECK(run_all("neg.f32 %f0, %f1;", {0x7fffffff, 0xffc00001}) == Row{nan32, nan32});
  CHECK(run_all("abs.f16 %h0, %h1;", {0xffe0, 0x7f80}) == Row{0x7fff, 0x7fff});
  CHECK(run_all("abs.bf16 %h0, %h1;", {0xffc0}) == Row{0x7fff});
  CHECK(run_all("abs.f16x2 %r0, %r1;", {0x7f80fc73, 0x41007e00}) == Row{0x7fff7fff, 0x41007fff});
  const Row wide = {0xfff8000000000001, 0x7fff00ffffff0007};
  CHECK(run_all("abs.f64 %fd0, %fd1;", wide) == wide);
  CHECK(run_all("neg.f64 %fd0, %fd1;", wide) == wide);
}

TEST_CASE("testp sorts every kind of number", "[arithmetic]") {
  // Zero, denormal, smallest and largest normal, infinity, NaN. Zero counts as normal (PTX ISA 9.7.3.1).
  const Row singles = {nzero, 0x007fffff, 0x00800000, 0xff7fffff, ninf32, 0x7f800001};
  const Row doubles = {
      0, 0x000fffffffffffff, 0x8010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000001};
  const std::vector<std::pair<std::string, Row>> expected = {
      {"finite", {1, 1, 1, 1, 0, 0}},     {"infinite", {0, 0, 0, 0, 1, 0}}, {"number", {1, 1, 1, 1, 1, 0}},
      {"notanumber", {0, 0, 0, 0, 0, 1}}, {"normal", {1, 0, 1, 1, 0, 0}},   {"subnormal", {0, 1, 0, 0, 0, 0}}};
  for (const auto& [property, result] : expected) {
    INFO(property);
    CHECK(run_all("testp." + property + ".f32 %p0, %f1;", singles) == result);
    CHECK(run_all("testp." + property + ".f64 %p0, %fd1;", doubles) == result);
  }
}
