// setp, set, selp and slct (PTX ISA 9.7.5-9.7.7).

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

enum class Relation { below, equal, above, unordered };

/// The meaning of the operators in words of the ISA: ordered ones are false, unordered ones true, when a NaN is there.
bool holds(const std::string& op, Relation r) {
  const bool nan = r == Relation::unordered, lt = r == Relation::below, eq = r == Relation::equal,
             gt = r == Relation::above;
  const std::string base = op.size() == 3 && op.back() == 'u' ? op.substr(0, 2) : op;
  if (op == "num") return !nan;
  if (op == "nan") return nan;
  if (nan) return op.size() == 3;
  if (base == "eq") return eq;
  if (base == "ne") return !eq;
  if (base == "lt" || base == "lo") return lt;
  if (base == "le" || base == "ls") return lt || eq;
  if (base == "gt" || base == "hi") return gt;
  return gt || eq;
}
template <class T>
Relation relation(T a, T b) {
  if (std::isunordered(static_cast<double>(a), static_cast<double>(b))) return Relation::unordered;
  return a < b ? Relation::below : b < a ? Relation::above : Relation::equal;
}
template <class T>
Relation integer_relation(std::uint64_t a, std::uint64_t b) {
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return x < y ? Relation::below : y < x ? Relation::above : Relation::equal;
}

struct Compared {
  std::string type, reg;
  unsigned width;
  std::vector<std::string> ops;
  std::function<Relation(std::uint64_t, std::uint64_t)> relation;
  bool floating = false;
};

double half_value(std::uint64_t h) {
  const double sign = (h & 0x8000) != 0 ? -1 : 1;
  const int field = static_cast<int>(h >> 10 & 31);
  const double fraction = static_cast<double>(h & 1023);
  if (field == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return field == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(fraction + 1024, field - 25);
}

std::vector<Compared> all_types() {
  const std::vector<std::string> equality = {"eq", "ne"}, with_sign = {"eq", "ne", "lt", "le", "gt", "ge"};
  const std::vector<std::string> without_sign = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  const std::vector<std::string> floating = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                             "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  const auto of_float = [](std::uint64_t a, std::uint64_t b) { return relation(as_float(a), as_float(b)); };
  const auto of_double = [](std::uint64_t a, std::uint64_t b) { return relation(as_double(a), as_double(b)); };
  const auto of_half = [](std::uint64_t a, std::uint64_t b) { return relation(half_value(a), half_value(b)); };
  const auto of_bfloat = [](std::uint64_t a, std::uint64_t b) {
    return relation(as_float(a << 16), as_float(b << 16));
  };
  return {{"b16", "h", 16, equality, integer_relation<std::uint16_t>},
          {"u16", "h", 16, without_sign, integer_relation<std::uint16_t>},
          {"s16", "h", 16, with_sign, integer_relation<std::int16_t>},
          {"b32", "r", 32, equality, integer_relation<std::uint32_t>},
          {"u32", "r", 32, without_sign, integer_relation<std::uint32_t>},
          {"s32", "r", 32, with_sign, integer_relation<std::int32_t>},
          {"b64", "d", 64, equality, integer_relation<std::uint64_t>},
          {"u64", "d", 64, without_sign, integer_relation<std::uint64_t>},
          {"s64", "d", 64, with_sign, integer_relation<std::int64_t>},
          {"f32", "f", 32, floating, of_float, true},
          {"f64", "fd", 64, floating, of_double, true},
          {"f16", "h", 16, floating, of_half, true},
          {"bf16", "h", 16, floating, of_bfloat, true}};
}

std::vector<std::uint64_t> values_of(const Compared& c) {
  return c.floating ? float_values(c.width, 10, 1) : integer_values(c.width, 20, 1);
}

}  // namespace

TEST_CASE("setp holds for every operator and type as the ISA says", "[arithmetic]") {
  for (const Compared& c : all_types()) {
    const auto rows = pairs(values_of(c), values_of(c));
    for (const std::string& op : c.ops) {
      CHECK(mismatch(fmt::format("setp.{}.{} %p0, %{}1, %{}2;", op, c.type, c.reg, c.reg), rows,
                     [&](const Row& r) { return holds(op, c.relation(r[0], r[1])) ? 1 : 0; }) == "");
    }
  }
}

TEST_CASE("setp combines the outcome and its opposite with a third predicate", "[arithmetic]") {
  const std::vector<Row> rows = {{1, 2, 0}, {1, 2, 1}, {2, 1, 0}, {2, 1, 1}};
  const auto check = [&](const std::string& combination, const std::string& third, const Row& p, const Row& q) {
    InstructionRunner runner(fmt::format("setp.lt.{}.s32 %p0|%p1, %r1, %r2, {};", combination, third));
    CHECK(runner.run_rows(rows) == p);
    CHECK(runner.destination(1) == q);
  };
  check("and", "%p2", {0, 1, 0, 0}, {0, 0, 0, 1});
  check("and", "!%p2", {1, 0, 0, 0}, {0, 0, 1, 0});
  check("or", "%p2", {1, 1, 0, 1}, {0, 1, 1, 1});
  check("xor", "%p2", {1, 0, 0, 1}, {0, 1, 1, 0});
  InstructionRunner plain("setp.ge.u32 %p0|%p1, %r1, 2;");
  CHECK(plain.run_rows({{1}, {2}}) == Row{0, 1});
  CHECK(plain.destination(1) == Row{1, 0});
}

TEST_CASE("the unordered outcome has an opposite too", "[arithmetic]") {
  InstructionRunner runner("setp.lt.f32 %p0|%p1, %f1, %f2;");
  CHECK(runner.run({0x7fc00000, 0x3f800000}) == 0);
  CHECK(runner.destination(1)[0] == 1);
}

TEST_CASE("setp.ftz compares denormals as zeros", "[arithmetic]") {
  CHECK(InstructionRunner("setp.eq.ftz.f32 %p0, %f1, %f2;").run({0x80000001, 0x007fffff}) == 1);
  CHECK(InstructionRunner("setp.eq.f32 %p0, %f1, %f2;").run({0x80000001, 0x007fffff}) == 0);
  CHECK(InstructionRunner("setp.lt.ftz.f16 %p0, %h1, %h2;").run({0x0001, 0x0400}) == 1);
  CHECK(InstructionRunner("setp.lt.ftz.f16 %p0, %h1, %h2;").run({0x0001, 0x0002}) == 0);
}

TEST_CASE("setp of pairs writes one predicate per half, low half first", "[arithmetic]") {
  InstructionRunner runner("setp.lt.f16x2 %p0|%p1, %r1, %r2;");
  CHECK(runner.run({0x3c00'4000, 0x4000'3c00}) == 0);  // low 2 < 1, high 1 < 2
  CHECK(runner.destination(1)[0] == 1);
  InstructionRunner combined("setp.gt.and.bf16x2 %p0|%p1, %r1, %r2, %p2;");
  CHECK(combined.run_rows({{0x4000'4000, 0x3f80'3f80, 1}, {0x4000'4000, 0x3f80'3f80, 0}}) == Row{1, 0});
  CHECK(combined.destination(1) == Row{1, 0});
}

TEST_CASE("set writes ones or 1.0", "[arithmetic]") {
  for (const Compared& c : all_types()) {
    const auto rows = pairs(values_of(c), values_of(c));
    const std::string& op = c.ops[1];
    const auto check = [&](const std::string& type, const std::string& reg, std::uint64_t truth) {
      CHECK(mismatch(fmt::format("set.{}.{}.{} %{}0, %{}1, %{}2;", op, type, c.type, reg, c.reg, c.reg), rows,
                     [&](const Row& r) { return holds(op, c.relation(r[0], r[1])) ? truth : 0; }) == "");
    };
    check("u32", "r", 0xffffffff);
    check("s32", "r", 0xffffffff);
    const bool half = c.type == "f16" || c.type == "bf16";
    if (half) {
      check("u16", "h", 0xffff);
    } else {
      check("f32", "f", 0x3f800000);
    }
    if (c.type == "f16") check("f16", "h", 0x3c00);
    if (c.type == "bf16") check("bf16", "h", 0x3f80);
  }
  CHECK(InstructionRunner("set.gt.and.u32.s32 %r0, %r1, %r2, !%p1;").run_rows({{2, 1, 0}, {2, 1, 1}, {1, 2, 0}}) ==
        Row{0xffffffff, 0, 0});
  CHECK(InstructionRunner("set.lt.f16x2.f16x2 %r0, %r1, %r2;").run({0x3c004000, 0x40003c00}) == 0x3c000000);
  CHECK(InstructionRunner("set.lt.u32.f16x2 %r0, %r1, %r2;").run({0x3c004000, 0x40003c00}) == 0xffff0000);
}

TEST_CASE("selp takes a where the predicate holds", "[arithmetic]") {
  CHECK(InstructionRunner("selp.b16 %h0, %h1, %h2, %p1;").run_rows({{1, 2, 0}, {1, 2, 1}}) == Row{2, 1});
  CHECK(InstructionRunner("selp.s32 %r0, %r1, %r2, %p1;").run_rows({{1, 2, 0}, {1, 2, 1}}) == Row{2, 1});
  CHECK(InstructionRunner("selp.u64 %d0, 1, 0, %p1;").run_rows({{0}, {1}}) == Row{0, 1});
  CHECK(InstructionRunner("selp.f32 %f0, %f1, 0f00000000, %p1;").run_rows({{0x7fc12345, 1}, {5, 0}}) ==
        Row{0x7fc12345, 0});
  CHECK(InstructionRunner("selp.f64 %fd0, %fd1, %fd2, %p1;").run_rows({{1, 2, 0}, {1, 2, 1}}) == Row{2, 1});
}

TEST_CASE("slct selects by the sign of an integer or float", "[arithmetic]") {
  CHECK(InstructionRunner("slct.u32.s32 %r0, %r1, %r2, %r3;").run_rows({{1, 2, 0}, {1, 2, 5}, {1, 2, 0x80000000}}) ==
        Row{1, 1, 2});
  // -0 counts as zero, NaN selects b, and .ftz makes a negative denormal -0.
  const std::vector<Row> rows = {{1, 2, 0x80000000}, {1, 2, 0x7fc00000}, {1, 2, 0x80000001}, {1, 2, 0x3f800000}};
  CHECK(InstructionRunner("slct.u64.f32 %d0, %d1, %d2, %f3;").run_rows(rows) == Row{1, 2, 2, 1});
  CHECK(InstructionRunner("slct.ftz.u64.f32 %d0, %d1, %d2, %f3;").run_rows(rows) == Row{1, 2, 1, 1});
}
