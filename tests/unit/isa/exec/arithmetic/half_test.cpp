// f16 and bf16: all 65536 values, arithmetic against exact integers (PTX ISA 9.7.4).

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cmath>

#include "tests/unit/isa/exec/arithmetic/exact.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

constexpr std::uint64_t half_nan = 0x7fff;

struct HalfType {
  std::string name;
  Format format;
};
const HalfType f16{"f16", binary16}, bf16{"bf16", bfloat16};

std::vector<Row> all_halves() {
  std::vector<Row> rows;
  for (std::uint64_t value = 0; value < 0x10000; ++value) rows.push_back({value});
  return rows;
}
/// Edges of both formats, then random bits.
std::vector<std::uint64_t> values() {
  std::vector<std::uint64_t> result = float_values(16, 300, 1);
  for (const std::uint64_t value : {0x7f80, 0xff80, 0x7f81, 0x7f7f, 0x0080, 0x007f, 0x0081, 0x3f80, 0x3f81, 0xbf80})
    result.push_back(value);
  return result;
}

std::uint64_t in_halves(const Row& row, auto function) {
  Row low, high;
  for (const std::uint64_t operand : row) {
    low.push_back(operand & 0xffff);
    high.push_back(operand >> 16);
  }
  return function(low) | function(high) << 16;
}
std::vector<Row> packed(const std::vector<Row>& rows) {
  std::vector<Row> result;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    Row row;
    for (std::size_t j = 0; j < rows[i].size(); ++j) row.push_back(rows[i][j] | rows[i + 1][j] << 16);
    result.push_back(row);
  }
  return result;
}

std::uint64_t clamped(std::uint64_t value) {
  if (binary16.is_nan(value) || binary16.is_negative(value)) return 0;
  return std::min<std::uint64_t>(value, 0x3c00);
}
std::uint64_t relu(std::uint64_t value, const Format& f) {
  if (f.is_nan(value)) return half_nan;
  return f.is_negative(value) ? 0 : value;
}

}  // namespace

TEST_CASE("every f16 and bf16 value widens exactly", "[arithmetic]") {
  const auto rows = all_halves();
  // By the definition of the formats, with ldexp.
  const auto value_of = [](std::uint64_t bits16, int fraction, int bias) {
    const double sign = (bits16 & 0x8000) != 0 ? -1 : 1;
    const int field = static_cast<int>(bits16 & 0x7fff) >> fraction;
    const double part = static_cast<double>(bits16 & ((1u << fraction) - 1));
    if (field == 0) return sign * std::ldexp(part, 1 - bias - fraction);
    if (field == 2 * bias + 1) return sign * HUGE_VAL;
    return sign * std::ldexp(part + (1 << fraction), field - bias - fraction);
  };
  for (const HalfType& t : {f16, bf16}) {
    const int fraction = t.format.precision - 1, bias = t.name == "f16" ? 15 : 127;
    CHECK(mismatch("cvt.f32." + t.name + " %f0, %h1;", rows, [&](const Row& r) {
            // As an H200 gives it.
            if (t.format.is_nan(r[0])) return t.name == "f16" ? std::uint64_t{0x7fffffff} : r[0] << 16;
            return bits(static_cast<float>(value_of(r[0], fraction, bias)));
          }) == "");
    CHECK(mismatch("cvt.f64." + t.name + " %fd0, %h1;", rows, [&](const Row& r) {
            if (t.format.is_nan(r[0])) {
              if (t.name == "bf16") return (r[0] & 0x8000) << 48 | 0x7ff8000000000000 | (r[0] & 0x7f) << 45;
              return (r[0] & 0x8000) << 48 | 0x7ff8000000000000 | (r[0] & 0x3ff) << 42;
            }
            return bits(value_of(r[0], fraction, bias));
          }) == "");
  }
}

TEST_CASE("every f16 and bf16 value survives the way through f32, in every rounding", "[arithmetic]") {
  for (const HalfType& t : {f16, bf16}) {
    const auto rows = all_halves();
    InstructionRunner widen("cvt.f32." + t.name + " %f0, %h1;");
    std::vector<Row> wide;
    for (const std::uint64_t value : widen.run_rows(rows)) wide.push_back({value});
    for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
      InstructionRunner narrow("cvt." + mode + "." + t.name + ".f32 %h0, %f1;");
      const auto back = narrow.run_rows(wide);
      std::size_t wrong = 0;
      for (std::uint64_t i = 0; i < 0x10000; ++i) wrong += back[i] != (t.format.is_nan(i) ? half_nan : i);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("narrowing f32 and f64 to f16 and bf16 rounds once, also next to every boundary", "[arithmetic]") {
  for (const HalfType& t : {f16, bf16}) {
    // Each value, the midpoint to the next, and both sides of both.
    std::vector<Row> singles, doubles;
    for (std::uint64_t value = 0; value < t.format.infinity(); value += 7) {
      const double low =
          std::ldexp(static_cast<double>(exact(value, t.format).mantissa), exact(value, t.format).exponent);
      const double next = value + 1 == t.format.infinity()
                              ? low + std::ldexp(1.0, t.name == "f16" ? 5 : 120)
                              : std::ldexp(static_cast<double>(exact(value + 1, t.format).mantissa),
                                           exact(value + 1, t.format).exponent);
      for (const double at : {low, (low + next) / 2}) {
        for (const double sign : {1.0, -1.0}) {
          for (const int step : {-1, 0, 1}) {
            const auto single =
                static_cast<std::uint64_t>(static_cast<std::int64_t>(bits(static_cast<float>(at))) + step);
            const auto pattern = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits(at)) + step);
            if (at == 0 && step < 0) continue;
            singles.push_back({single | (sign < 0 ? 0x80000000u : 0u)});
            doubles.push_back({pattern | (sign < 0 ? std::uint64_t{1} << 63 : 0)});
          }
        }
      }
    }
    for (const std::uint64_t value : float_values(32, 300, 2)) singles.push_back({value});
    for (const std::uint64_t value : float_values(64, 300, 3)) doubles.push_back({value});
    const auto reference = [&](std::uint64_t value, const Format& from, char mode) {
      if (from.is_nan(value)) {
        if (from.width() != 64) return half_nan;
        if (t.name == "bf16") return (value >> 48 & 0x8000) | 0x7fc0 | (value >> 45 & 0x7f);
        return (value >> 48 & 0x8000) | 0x7e00 | (value >> 42 & 0x3ff);  // Sign and leading fraction bits, quiet.
      }
      const std::uint64_t sign = from.is_negative(value) ? 0x8000 : 0;
      if (from.is_infinite(value)) return sign | t.format.infinity();
      if (from.is_zero(value)) return sign;
      return rounded(exact(value, from), t.format, mode);
    };
    for (const char mode : std::string("nzmp")) {
      CHECK(mismatch(fmt::format("cvt.r{}.{}.f32 %h0, %f1;", mode, t.name), singles,
                     [&](const Row& r) { return reference(r[0], binary32, mode); }) == "");
      CHECK(mismatch(fmt::format("cvt.r{}.{}.f64 %h0, %fd1;", mode, t.name), doubles,
                     [&](const Row& r) { return reference(r[0], binary64, mode); }) == "");
    }
    // Two sources: the first goes to the upper half.
    std::vector<Row> two;
    for (std::size_t i = 0; i + 1 < singles.size(); i += 2) two.push_back({singles[i][0], singles[i + 1][0]});
    for (const char mode : std::string("nz")) {
      CHECK(mismatch(fmt::format("cvt.r{}.{}x2.f32 %r0, %f1, %f2;", mode, t.name), two, [&](const Row& r) {
              return reference(r[0], binary32, mode) << 16 | reference(r[1], binary32, mode);
            }) == "");
      CHECK(
          mismatch(fmt::format("cvt.r{}.relu.satfinite.{}x2.f32 %r0, %f1, %f2;", mode, t.name), two, [&](const Row& r) {
            std::uint64_t result = 0;
            for (const std::uint64_t operand : r) {
              std::uint64_t part = relu(reference(operand, binary32, mode), t.format);
              if (part == t.format.infinity()) --part;
              result = result << 16 | part;
            }
            return result;
          }) == "");
    }
  }
}

TEST_CASE("half arithmetic is the exact result rounded once", "[arithmetic]") {
  for (const HalfType& t : {f16, bf16}) {
    const auto v = values();
    auto two = picks({v, v}, 20000, 4), three = picks({v, v, v}, 30000, 5);
    // Products that are midpoints of the result format, and an addend far below that decides the direction.
    for (std::uint64_t i = 0; i < 256; ++i) {
      for (const std::uint64_t tiny : {0x0001, 0x8001, 0x0101, 0x8101, 0x1c01, 0x9c01}) {
        const std::uint64_t one = t.name == "f16" ? 0x3c00 : 0x3f80;
        three.push_back({one + i, one + (i * 37) % 128, tiny});
      }
    }
    const Format& f = t.format;
    const auto add = [&](const Row& r) { return exact_add(r[0], r[1], f, 'n', half_nan); };
    const auto sub = [&](const Row& r) {
      return exact_add(r[0], f.is_nan(r[1]) ? r[1] : r[1] ^ 0x8000, f, 'n', half_nan);
    };
    const auto mul = [&](const Row& r) { return exact_multiply(r[0], r[1], f, 'n', half_nan); };
    const auto fma = [&](const Row& r) { return exact_fma(r[0], r[1], r[2], f, 'n', half_nan); };
    const std::string& n = t.name;
    CHECK(mismatch("add." + n + " %h0, %h1, %h2;", two, add) == "");
    CHECK(mismatch("sub.rn." + n + " %h0, %h1, %h2;", two, sub) == "");
    CHECK(mismatch("mul." + n + " %h0, %h1, %h2;", two, mul) == "");
    CHECK(mismatch("fma.rn." + n + " %h0, %h1, %h2, %h3;", three, fma) == "");
    CHECK(mismatch("fma.rn.relu." + n + " %h0, %h1, %h2, %h3;", three, [&](const Row& r) { return relu(fma(r), f); }) ==
          "");
    CHECK(mismatch("add." + n + "x2 %r0, %r1, %r2;", packed(two), [&](const Row& r) { return in_halves(r, add); }) ==
          "");
    CHECK(mismatch("mul." + n + "x2 %r0, %r1, %r2;", packed(two), [&](const Row& r) { return in_halves(r, mul); }) ==
          "");
    CHECK(mismatch("fma.rn." + n + "x2 %r0, %r1, %r2, %r3;", packed(three),
                   [&](const Row& r) { return in_halves(r, fma); }) == "");
  }
}

TEST_CASE("f16 arithmetic flushes and saturates", "[arithmetic]") {
  const auto v = values();
  const auto two = picks({v, v}, 10000, 6), three = picks({v, v, v}, 10000, 7);
  const auto flush = [](Row r) {
    for (std::uint64_t& operand : r) operand = binary16.flushed(operand);
    return r;
  };
  CHECK(mismatch("add.ftz.f16 %h0, %h1, %h2;", two, [&](const Row& r) {
          const Row q = flush(r);
          return binary16.flushed(exact_add(q[0], q[1], binary16, 'n', half_nan));
        }) == "");
  CHECK(mismatch("mul.ftz.sat.f16 %h0, %h1, %h2;", two, [&](const Row& r) {
          const Row q = flush(r);
          if (is_tiny_fma(q[0], q[1], 0, binary16, 'n')) return std::uint64_t{0};
          return clamped(binary16.flushed(exact_multiply(q[0], q[1], binary16, 'n', half_nan)));
        }) == "");
  CHECK(mismatch("fma.rn.sat.f16 %h0, %h1, %h2, %h3;", three,
                 [&](const Row& r) { return clamped(exact_fma(r[0], r[1], r[2], binary16, 'n', half_nan)); }) == "");
}
