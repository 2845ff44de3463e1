// Sums that compute their products themselves (ptx/contraction/contraction.hpp), against exact integers: rounded once.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/unit/isa/exec/arithmetic/exact.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::contracted_sums_test {

using namespace lockstep::test;

namespace {

struct Number {
  std::string type, load;  ///< Names of the type, and of one as wide to load.
  unsigned width;
  const Format& format;
  std::uint64_t nan, one;
};

const Number single{"f32", "f32", 32, binary32, 0x7fffffff, 0x3f800000},
    twice{"f64", "f64", 64, binary64, 0xfff8000000000000, 0x3ff0000000000000},
    half{"f16", "b16", 16, binary16, 0x7fff, 0x3c00};

/// Any numbers, and factors of at least 1 and less than 2 whose rounded product the addend cancels or doubles: what the rounding
/// took counts in these.
std::vector<Row> rows_of(const Number& n) {
  std::vector<Row> rows;
  const std::uint64_t mantissa = (std::uint64_t{1} << (n.format.precision - 1)) - 1;
  for (const Row& row : picks(std::vector(3, float_values(n.width, 150, 5)), 2000, 13)) {
    rows.push_back(row);
    const std::uint64_t a = (row[0] & mantissa) | n.one, b = (row[1] & mantissa) | n.one;
    const std::uint64_t product = exact_multiply(a, b, n.format, 'n', 0);
    rows.push_back({a, b, product});
    rows.push_back({a, b, product ^ n.format.sign()});
  }
  std::erase_if(rows, [&](const Row& r) {
    return std::any_of(r.begin(), r.end(), [&](std::uint64_t v) { return n.format.is_nan(v); });
  });
  rows.resize(rows.size() / 32 * 32);
  return rows;
}

/// What the lines leave in %x0 of a * b and c, which are in %x1, %x2 and %x3; one thread for each row.
std::vector<std::uint64_t> results(const Number& n, const std::vector<Row>& rows, const std::string& lines) {
  exec::test::Program program;
  program.ptx =
      ".visible .entry k(.param .u64 out, .param .u64 in) {\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg ." + n.load +
      " %x<10>;\nld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n"
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 5; add.u32 %r1, %r1, %r2;\n"
      "mul.wide.u32 %rd3, %r1, 8; add.s64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 24; add.s64 %rd2, %rd2, %rd3;\n";
  for (int i = 1; i <= 3; ++i)
    program.ptx +=
        "ld.global." + n.load + " %x" + std::to_string(i) + ", [%rd2+" + std::to_string(8 * (i - 1)) + "];\n";
  program.ptx += lines + "\nst.global." + n.load + " [%rd1], %x0;\nret;\n}\n";
  std::vector<std::uint64_t> in;
  for (const Row& row : rows) in.insert(in.end(), row.begin(), row.end());
  program.grid = {static_cast<std::uint32_t>(rows.size() / 32), 1, 1};
  program.buffers = {{"out", exec::test::bytes_of(std::vector<std::uint64_t>(rows.size()))},
                     {"in", exec::test::bytes_of(in)}};
  return program.run<std::uint64_t>();
}

using Reference = std::function<std::uint64_t(std::uint64_t a, std::uint64_t b, std::uint64_t c)>;

void check(const Number& n, const std::string& lines, const Reference& expected) {
  INFO(lines);
  const std::vector<Row> rows = rows_of(n);
  const std::vector<std::uint64_t> found = results(n, rows, lines);
  std::size_t wrong = 0, rounded_twice = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    wrong += found[i] != expected(r[0], r[1], r[2]) ? 1 : 0;
    const std::uint64_t product = exact_multiply(r[0], r[1], n.format, 'n', n.nan);
    rounded_twice += expected(r[0], r[1], r[2]) != expected(product, n.one, r[2]) ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(rounded_twice > rows.size() / 20);  // The rows tell one rounding from two.
}

}  // namespace

TEST_CASE("a contracted sum rounds once, with the signs of its operands", "[exec]") {
  for (const Number* one : {&single, &twice, &half}) {
    const Number& n = *one;
    const auto minus = [&](std::uint64_t bits) { return bits ^ n.format.sign(); };
    const auto fused = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
      return exact_fma(a, b, c, n.format, 'n', n.nan);
    };
    const auto lines = [&](const char* after_product) {
      return fmt::format(fmt::runtime("mul.{0} %x9, %x1, %x2; " + std::string(after_product)), n.type);
    };
    check(n, lines("add.{0} %x0, %x9, %x3;"), fused);
    check(n, lines("sub.{0} %x0, %x9, %x3;"), [&](auto a, auto b, auto c) { return fused(a, b, minus(c)); });
    check(n, lines("sub.{0} %x0, %x3, %x9;"), [&](auto a, auto b, auto c) { return fused(minus(a), b, c); });
    check(n, lines("neg.{0} %x8, %x9; sub.{0} %x0, %x8, %x3;"),
          [&](auto a, auto b, auto c) { return fused(minus(a), b, minus(c)); });
  }
}

TEST_CASE("a contracted sum flushes and saturates as it says", "[exec]") {
  const auto fused = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return exact_fma(a, b, c, binary32, 'n', single.nan);
  };
  check(single, "mul.ftz.f32 %x9, %x1, %x2; sub.ftz.f32 %x0, %x3, %x9;", [&](auto a, auto b, auto c) {
    const std::uint64_t p = binary32.flushed(a) ^ binary32.sign(), q = binary32.flushed(b), s = binary32.flushed(c);
    const std::uint64_t sum = fused(p, q, s);
    return is_tiny_fma(p, q, s, binary32, 'n') ? sum & binary32.sign() : binary32.flushed(sum);
  });
  check(single, "mul.f32 %x9, %x1, %x2; add.sat.f32 %x0, %x9, %x3;", [&](auto a, auto b, auto c) {
    const std::uint64_t sum = fused(a, b, c);
    if (binary32.is_nan(sum) || (sum & binary32.sign()) != 0) return std::uint64_t{0};
    return std::min<std::uint64_t>(sum, 0x3f800000);
  });
}

TEST_CASE("a product that is read otherwise too is rounded before its sum", "[exec]") {
  // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24, of which the last bit is lost.
  const std::vector<Row> row(32, {0x3f800800, 0x3f800800, 0x3f801000});
  const std::string sum = "mul.f32 %x9, %x1, %x2; sub.f32 %x0, %x9, %x3; ";
  CHECK(results(single, row, sum)[0] == 0x33800000);
  CHECK(results(single, row, sum + "st.global.f32 [%rd1+4], %x9;")[0] == 0x3f801000'00000000);
}

}  // namespace lockstep::contracted_sums_test
