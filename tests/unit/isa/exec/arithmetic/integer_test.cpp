// Integer arithmetic against 128-bit references written from the PTX ISA 9.7.1 and 9.7.2.

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

__extension__ using Big = __int128;
__extension__ using UnsignedBig = unsigned __int128;

/// A type by its width and sign; its values as exact integers, and integers cut to its bits.
struct IntegerType {
  std::string name, reg;
  unsigned width;
  bool is_signed;
  Big value(std::uint64_t raw) const {
    Big result = static_cast<Big>(raw);
    if (is_signed && (raw >> (width - 1) & 1) != 0) result -= Big{1} << width;
    return result;
  }
  std::uint64_t cut(Big v) const { return static_cast<std::uint64_t>(v) & (~std::uint64_t{0} >> (64 - width)); }
  Big low() const { return is_signed ? -(Big{1} << (width - 1)) : 0; }
  Big high() const { return is_signed ? (Big{1} << (width - 1)) - 1 : (Big{1} << width) - 1; }
};
const std::vector<IntegerType> types = {{"u16", "h", 16, false}, {"s16", "h", 16, true},  {"u32", "r", 32, false},
                                        {"s32", "r", 32, true},  {"u64", "d", 64, false}, {"s64", "d", 64, true}};

/// "OP.TYPE %x0, %x1, ...;" with `sources` registers after the destination.
std::string text(const std::string& op, const IntegerType& type, unsigned sources) {
  std::string result = fmt::format("{}.{} %{}0", op, type.name, type.reg);
  for (unsigned i = 1; i <= sources; ++i) result += fmt::format(", %{}{}", type.reg, i);
  return result + ";";
}

std::vector<Row> pairs_of(const IntegerType& type) {
  const auto values = integer_values(type.width, 40, 1);
  return pairs(values, values);
}
std::vector<Row> triples_of(const IntegerType& type) {
  const auto values = integer_values(type.width, 60, 2);
  return picks({values, values, values}, 4000, 3);
}

}  // namespace

TEST_CASE("add, sub, min, max and sad are exact modulo the width", "[arithmetic]") {
  for (const IntegerType& t : types) {
    const auto of = [&](const std::string& op, auto function) {
      return mismatch(text(op, t, 2), pairs_of(t),
                      [&](const Row& r) { return t.cut(function(t.value(r[0]), t.value(r[1]))); });
    };
    CHECK(of("add", [](Big a, Big b) { return a + b; }) == "");
    CHECK(of("sub", [](Big a, Big b) { return a - b; }) == "");
    CHECK(of("min", [](Big a, Big b) { return std::min(a, b); }) == "");
    CHECK(of("max", [](Big a, Big b) { return std::max(a, b); }) == "");
    CHECK(mismatch(text("sad", t, 3), triples_of(t), [&](const Row& r) {
            const Big a = t.value(r[0]), b = t.value(r[1]);
            return t.cut(t.value(r[2]) + (a > b ? a - b : b - a));
          }) == "");
  }
}

TEST_CASE("div truncates, rem has the dividend's sign; a zero divisor gives all ones", "[arithmetic]") {
  for (const IntegerType& t : types) {
    CHECK(mismatch(text("div", t, 2), pairs_of(t), [&](const Row& r) {
            const Big a = t.value(r[0]), b = t.value(r[1]);
            return b == 0 ? t.cut(-1) : t.cut(a / b);
          }) == "");
    CHECK(mismatch(text("rem", t, 2), pairs_of(t), [&](const Row& r) {
            const Big a = t.value(r[0]), b = t.value(r[1]);
            return b == 0 ? t.cut(-1) : t.cut(a % b);
          }) == "");
  }
  // -7 / 2 = -3 remainder -1; the most negative number divided by -1 stays itself.
  CHECK(InstructionRunner("div.s32 %r0, %r1, %r2;").run({0xfffffff9, 2}) == 0xfffffffd);
  CHECK(InstructionRunner("rem.s32 %r0, %r1, %r2;").run({0xfffffff9, 2}) == 0xffffffff);
  CHECK(InstructionRunner("div.s32 %r0, %r1, %r2;").run({0x80000000, 0xffffffff}) == 0x80000000);
  CHECK(InstructionRunner("rem.s32 %r0, %r1, %r2;").run({0x80000000, 0xffffffff}) == 0);
}

namespace {

/// Modulo 2^128.
Big plus(Big a, std::uint64_t b) {
  return static_cast<Big>(static_cast<UnsignedBig>(a) + b);
}

}  // namespace

TEST_CASE("mul and mad give the low half, the high half or the whole of the product", "[arithmetic]") {
  for (const IntegerType& t : types) {
    // The product of two u64 fits no signed 128-bit integer, but its low 128 bits do.
    const auto product = [&](const Row& r) {
      return static_cast<Big>(static_cast<UnsignedBig>(t.value(r[0])) * static_cast<UnsignedBig>(t.value(r[1])));
    };
    const auto high = [&](const Row& r) {
      return static_cast<std::uint64_t>(static_cast<UnsignedBig>(product(r)) >> t.width);
    };
    CHECK(mismatch(text("mul.lo", t, 2), pairs_of(t), [&](const Row& r) { return t.cut(product(r)); }) == "");
    CHECK(mismatch(text("mul.hi", t, 2), pairs_of(t), [&](const Row& r) { return t.cut(static_cast<Big>(high(r))); }) ==
          "");
    CHECK(mismatch(text("mad.lo", t, 3), triples_of(t), [&](const Row& r) { return t.cut(plus(product(r), r[2])); }) ==
          "");
    CHECK(mismatch(text("mad.hi", t, 3), triples_of(t),
                   [&](const Row& r) { return t.cut(static_cast<Big>(high(r)) + static_cast<Big>(r[2])); }) == "");
    if (t.width == 64) continue;
    const IntegerType wide{"", t.width == 16 ? "r" : "d", 2 * t.width, t.is_signed};
    CHECK(mismatch(fmt::format("mul.wide.{} %{}0, %{}1, %{}2;", t.name, wide.reg, t.reg, t.reg), pairs_of(t),
                   [&](const Row& r) { return wide.cut(product(r)); }) == "");
    const auto values = integer_values(t.width, 60, 4), sums = integer_values(2 * t.width, 60, 5);
    CHECK(mismatch(fmt::format("mad.wide.{0} %{1}0, %{2}1, %{2}2, %{1}3;", t.name, wide.reg, t.reg),
                   picks({values, values, sums}, 4000, 6),
                   [&](const Row& r) { return wide.cut(plus(product(r), r[2])); }) == "");
  }
}

TEST_CASE("saturating forms clamp to the range of s32", "[arithmetic]") {
  const IntegerType t = types[3];
  const auto clamp = [&](Big v) { return t.cut(std::clamp(v, t.low(), t.high())); };
  CHECK(mismatch("add.sat.s32 %r0, %r1, %r2;", pairs_of(t),
                 [&](const Row& r) { return clamp(t.value(r[0]) + t.value(r[1])); }) == "");
  CHECK(mismatch("sub.sat.s32 %r0, %r1, %r2;", pairs_of(t),
                 [&](const Row& r) { return clamp(t.value(r[0]) - t.value(r[1])); }) == "");
  CHECK(mismatch("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", triples_of(t),
                 [&](const Row& r) { return clamp((t.value(r[0]) * t.value(r[1]) >> 32) + t.value(r[2])); }) == "");
}

TEST_CASE("mul24 and mad24 see the low 24 bits and give bits 31..0 or 47..16", "[arithmetic]") {
  for (const IntegerType& t : {types[2], types[3]}) {
    const IntegerType narrow{"", "", 24, t.is_signed};
    const auto product = [&](const Row& r) { return narrow.value(r[0] & 0xffffff) * narrow.value(r[1] & 0xffffff); };
    CHECK(mismatch(text("mul24.lo", t, 2), pairs_of(t), [&](const Row& r) { return t.cut(product(r)); }) == "");
    CHECK(mismatch(text("mul24.hi", t, 2), pairs_of(t), [&](const Row& r) { return t.cut(product(r) >> 16); }) == "");
    CHECK(mismatch(text("mad24.lo", t, 3), triples_of(t),
                   [&](const Row& r) { return t.cut(plus(product(r), r[2])); }) == "");
    CHECK(mismatch(text("mad24.hi", t, 3), triples_of(t),
                   [&](const Row& r) { return t.cut((product(r) >> 16) + static_cast<Big>(r[2])); }) == "");
  }
  CHECK(mismatch("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", triples_of(types[3]), [&](const Row& r) {
          const IntegerType narrow{"", "", 24, true};
          const Big high =
              types[3].value(types[3].cut(narrow.value(r[0] & 0xffffff) * narrow.value(r[1] & 0xffffff) >> 16));
          return types[3].cut(std::clamp(high + types[3].value(r[2]), types[3].low(), types[3].high()));
        }) == "");
}

TEST_CASE("the carry joins additions of words into one of any length", "[arithmetic]") {
  for (const IntegerType& t : {types[2], types[4]}) {
    for (const bool carry : {false, true}) {
      // The carry of a subtraction says that it took no borrow.
      const auto check = [&](const std::string& op, bool sets, unsigned sources, auto reference) {
        const bool subtracts = op.starts_with("sub");
        InstructionRunner runner(text(op, t, sources));
        runner.set_carry(carry);
        const auto rows = sources == 2 ? pairs_of(t) : triples_of(t);
        const auto sums = runner.run_rows(rows);
        const auto carries = runner.destination(1);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const Big whole = reference(rows[i]);
          const bool out = subtracts ? whole >= 0 : whole > t.high();
          wrong += sums[i] != t.cut(whole) || (carries[i] != 0) != (sets ? out : carry);
        }
        INFO(op);
        CHECK(wrong == 0);
      };
      const Big in = carry ? 1 : 0, borrow = carry ? 0 : 1;
      check("add.cc", true, 2, [&](const Row& r) { return static_cast<Big>(r[0]) + static_cast<Big>(r[1]); });
      check("addc", false, 2, [&](const Row& r) { return static_cast<Big>(r[0]) + static_cast<Big>(r[1]) + in; });
      check("addc.cc", true, 2, [&](const Row& r) { return static_cast<Big>(r[0]) + static_cast<Big>(r[1]) + in; });
      check("sub.cc", true, 2, [&](const Row& r) { return static_cast<Big>(r[0]) - static_cast<Big>(r[1]); });
      check("subc", false, 2, [&](const Row& r) { return static_cast<Big>(r[0]) - static_cast<Big>(r[1]) - borrow; });
      check("subc.cc", true, 2, [&](const Row& r) { return static_cast<Big>(r[0]) - static_cast<Big>(r[1]) - borrow; });
      const auto part = [&](const Row& r, bool high) {
        const auto product = static_cast<UnsignedBig>(r[0]) * r[1];
        return static_cast<Big>(t.cut(static_cast<Big>(high ? product >> t.width : product))) + static_cast<Big>(r[2]);
      };
      check("mad.lo.cc", true, 3, [&](const Row& r) { return part(r, false); });
      check("mad.hi.cc", true, 3, [&](const Row& r) { return part(r, true); });
      check("madc.lo", false, 3, [&](const Row& r) { return part(r, false) + in; });
      check("madc.lo.cc", true, 3, [&](const Row& r) { return part(r, false) + in; });
      check("madc.hi.cc", true, 3, [&](const Row& r) { return part(r, true) + in; });
    }
  }
}

TEST_CASE("abs and neg wrap at the most negative number", "[arithmetic]") {
  for (const IntegerType& t : {types[1], types[3], types[5]}) {
    std::vector<Row> rows;
    for (const std::uint64_t value : integer_values(t.width, 200, 7)) rows.push_back({value});
    CHECK(mismatch(text("abs", t, 1), rows, [&](const Row& r) {
            const Big a = t.value(r[0]);
            return t.cut(a < 0 ? -a : a);
          }) == "");
    CHECK(mismatch(text("neg", t, 1), rows, [&](const Row& r) { return t.cut(-t.value(r[0])); }) == "");
  }
}

TEST_CASE("packed halves add and compare on their own, and relu clamps at zero", "[arithmetic]") {
  const auto halves = [](const Row& r, bool is_signed, auto function) {
    const IntegerType half{"", "", 16, is_signed};
    std::uint64_t result = 0;
    for (const unsigned shift : {0u, 16u}) {
      const Big a = half.value(r[0] >> shift & 0xffff), b = half.value(r[1] >> shift & 0xffff);
      result |= half.cut(function(a, b)) << shift;
    }
    return result;
  };
  const auto rows = pairs_of(types[2]);
  const auto zero = Big{0};
  CHECK(mismatch("add.u16x2 %r0, %r1, %r2;", rows,
                 [&](const Row& r) { return halves(r, false, [](Big a, Big b) { return a + b; }); }) == "");
  CHECK(mismatch("min.u16x2 %r0, %r1, %r2;", rows,
                 [&](const Row& r) { return halves(r, false, [](Big a, Big b) { return std::min(a, b); }); }) == "");
  CHECK(mismatch("max.s16x2 %r0, %r1, %r2;", rows,
                 [&](const Row& r) { return halves(r, true, [](Big a, Big b) { return std::max(a, b); }); }) == "");
  CHECK(mismatch("min.relu.s16x2 %r0, %r1, %r2;", rows, [&](const Row& r) {
          return halves(r, true, [&](Big a, Big b) { return std::max(std::min(a, b), zero); });
        }) == "");
  CHECK(mismatch("max.relu.s32 %r0, %r1, %r2;", rows, [&](const Row& r) {
          return types[3].cut(std::max(std::max(types[3].value(r[0]), types[3].value(r[1])), zero));
        }) == "");
}

TEST_CASE("dp4a and dp2a accumulate products of packed elements", "[arithmetic]") {
  const auto rows = triples_of(types[2]);
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      const std::string suffix =
          fmt::format(".{}.{} %r0, %r1, %r2, %r3;", a_signed ? "s32" : "u32", b_signed ? "s32" : "u32");
      const IntegerType a8{"", "", 8, a_signed}, a16{"", "", 16, a_signed}, b8{"", "", 8, b_signed};
      CHECK(mismatch("dp4a" + suffix, rows, [&](const Row& r) {
              Big sum = static_cast<Big>(r[2]);
              for (unsigned i = 0; i < 32; i += 8) sum += a8.value(r[0] >> i & 0xff) * b8.value(r[1] >> i & 0xff);
              return types[2].cut(sum);
            }) == "");
      for (const unsigned first : {0u, 2u}) {
        CHECK(mismatch((first == 0 ? "dp2a.lo" : "dp2a.hi") + suffix, rows, [&](const Row& r) {
                Big sum = static_cast<Big>(r[2]);
                for (unsigned i = 0; i < 2; ++i) {
                  sum += a16.value(r[0] >> 16 * i & 0xffff) * b8.value(r[1] >> 8 * (first + i) & 0xff);
                }
                return types[2].cut(sum);
              }) == "");
      }
    }
  }
}

TEST_CASE("a literal takes the place of a register, cut to the type", "[arithmetic]") {
  CHECK(InstructionRunner("add.s32 %r0, %r1, -1;").run({5}) == 4);
  CHECK(InstructionRunner("add.s64 %d0, %d1, -1;").run({0}) == ~std::uint64_t{0});
  CHECK(InstructionRunner("mul.lo.u16 %h0, %h1, 0xffff;").run({3}) == 0xfffd);
  CHECK(InstructionRunner("sub.u32 %r0, 7, %r1;").run({9}) == 0xfffffffe);
}
