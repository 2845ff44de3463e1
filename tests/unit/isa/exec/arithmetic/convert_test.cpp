// cvt between all integer and floating types (PTX ISA 9.7.9).

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "tests/unit/isa/exec/arithmetic/exact.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

__extension__ using Big = __int128;

struct IntegerType {
  std::string name;
  unsigned width;
  bool is_signed;
  Big value(std::uint64_t raw) const {
    const Big low = static_cast<Big>(raw & (~std::uint64_t{0} >> (64 - width)));
    return is_signed && (raw >> (width - 1) & 1) != 0 ? low - (Big{1} << width) : low;
  }
  Big low() const { return is_signed ? -(Big{1} << (width - 1)) : 0; }
  Big high() const { return (Big{1} << (is_signed ? width - 1 : width)) - 1; }
  /// A register of `bits` bits that holds v modulo the width, extended by the type's sign.
  std::uint64_t held(Big v, unsigned bits) const {
    const auto extended = static_cast<std::uint64_t>(value(static_cast<std::uint64_t>(v)));
    return extended & (~std::uint64_t{0} >> (64 - bits));
  }
};
const std::vector<IntegerType> integers = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                                           {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                                           {"u64", 64, false}, {"s64", 64, true}};

struct FloatType {
  std::string name, reg;
  Format format;
  std::uint64_t nan;
};
const std::vector<FloatType> floats = {{"f16", "h", binary16, 0x7fff},
                                       {"bf16", "h", bfloat16, 0x7fff},
                                       {"f32", "f", binary32, 0x7fffffff},
                                       {"f64", "fd", binary64, 0xfff8000000000000}};

std::string reg_of(unsigned bits) {
  return bits == 16 ? "h" : bits == 32 ? "r" : "d";
}
std::vector<Row> rows_of(const std::vector<std::uint64_t>& values) {
  std::vector<Row> rows;
  for (const std::uint64_t value : values) rows.push_back({value});
  return rows;
}

/// Values around which conversions to integers change: every power of two and its neighbours, halves, and float edges.
std::vector<Row> float_rows(const FloatType& t) {
  std::vector<Row> rows = rows_of(float_values(static_cast<unsigned>(t.format.width()), 150, 9));
  for (int exponent = -3; exponent < 68; ++exponent) {
    for (const int odd : {1, 3, 5, 7}) {
      const std::uint64_t at = rounded({odd, exponent}, t.format, 'z');
      if (t.format.is_infinite(at)) continue;
      for (const std::uint64_t near : {at - 1, at, at + 1}) {
        rows.push_back({near});
        rows.push_back({near | t.format.sign()});
      }
    }
  }
  return rows;
}

/// The integer next to a finite number in a direction, as a cpp_int.
cpp_int whole(const Exact& value, char mode) {
  if (value.exponent >= 0) return value.mantissa << value.exponent;
  const cpp_int one = cpp_int(1) << -value.exponent;
  cpp_int down = value.mantissa / one, rest = value.mantissa % one;
  if (rest < 0) {
    rest += one;
    --down;
  }
  if (mode == 'm' || rest == 0) return down;
  if (mode == 'p') return down + 1;
  if (mode == 'z') return value.mantissa < 0 ? down + 1 : down;
  const bool up = rest * 2 > one || (rest * 2 == one && down % 2 != 0);
  return up ? down + 1 : down;
}

std::uint64_t to_integer(std::uint64_t bits, const FloatType& from, const IntegerType& to, char mode, unsigned reg) {
  const Format& f = from.format;
  if (f.is_nan(bits)) {
    const bool zero = from.name != "f64" && to.width < 64;
    return to.held(zero ? 0 : static_cast<Big>(std::uint64_t{1} << (to.width - 1)), reg);
  }
  if (f.is_infinite(bits)) return to.held(f.is_negative(bits) ? to.low() : to.high(), reg);
  const cpp_int result = whole(exact(bits, f), mode);
  if (result < cpp_int(to.low())) return to.held(to.low(), reg);
  if (result > cpp_int(to.high())) return to.held(to.high(), reg);
  return to.held(static_cast<Big>(result), reg);
}

std::uint64_t from_integer(Big value, const Format& to, char mode) {
  return value == 0 ? 0 : rounded({cpp_int(value), 0}, to, mode);
}

}  // namespace

TEST_CASE("cvt between integers cuts and extends, in registers of any sufficient width", "[arithmetic]") {
  for (const IntegerType& from : integers) {
    for (const IntegerType& to : integers) {
      for (const unsigned from_reg : {16u, 32u, 64u}) {
        for (const unsigned to_reg : {16u, 32u, 64u}) {
          if (from_reg < from.width || to_reg < to.width) continue;
          const auto rows = rows_of(integer_values(from_reg, 40, 1));
          const std::string text =
              fmt::format(".{}.{} %{}0, %{}1;", to.name, from.name, reg_of(to_reg), reg_of(from_reg));
          CHECK(mismatch("cvt" + text, rows, [&](const Row& r) { return to.held(from.value(r[0]), to_reg); }) == "");
          // Where every number fits there is no .sat.
          if (to.low() <= from.low() && from.high() <= to.high()) continue;
          CHECK(mismatch("cvt.sat" + text, rows, [&](const Row& r) {
                  return to.held(std::clamp(from.value(r[0]), to.low(), to.high()), to_reg);
                }) == "");
        }
      }
    }
  }
}

TEST_CASE("cvt from integers rounds in all directions", "[arithmetic]") {
  for (const IntegerType& from : integers) {
    const unsigned reg = std::max(from.width, 16u);
    std::vector<std::uint64_t> values = integer_values(reg, 300, 2);
    for (unsigned i = 0; i + 1 < reg; ++i) {
      for (std::uint64_t low = 0; low < 4; ++low) values.push_back((std::uint64_t{1} << i) + low);
      values.push_back((std::uint64_t{1} << (reg - 1)) + (std::uint64_t{1} << i));
    }
    for (std::uint64_t& value : values) value &= ~std::uint64_t{0} >> (64 - reg);
    for (const FloatType& to : floats) {
      for (const char mode : std::string("nzmp")) {
        CHECK(mismatch(fmt::format("cvt.r{}.{}.{} %{}0, %{}1;", mode, to.name, from.name, to.reg, reg_of(reg)),
                       rows_of(values),
                       [&](const Row& r) { return from_integer(from.value(r[0]), to.format, mode); }) == "");
      }
    }
  }
  // The register may be wider than the type, and .sat clamps to [0, 1].
  CHECK(InstructionRunner("cvt.rn.f32.u8 %f0, %d1;").run({0xffffffffffffff05}) == bits(5.0f));
  CHECK(InstructionRunner("cvt.rn.sat.f32.s32 %f0, %r1;").run_rows({{0xffffffff}, {7}, {0}}) == Row{0, bits(1.0f), 0});
}

TEST_CASE("cvt to integers rounds, clamps, and treats NaN as the ISA says", "[arithmetic]") {
  for (const FloatType& from : floats) {
    const auto rows = float_rows(from);
    for (const IntegerType& to : integers) {
      for (const char mode : std::string("nzmp")) {
        const unsigned reg = std::max(to.width, 16u);
        CHECK(mismatch(fmt::format("cvt.r{}i.{}.{} %{}0, %{}1;", mode, to.name, from.name, reg_of(reg), from.reg), rows,
                       [&](const Row& r) { return to_integer(r[0], from, to, mode, reg); }) == "");
      }
    }
  }
  CHECK(InstructionRunner("cvt.rzi.s8.f32 %r0, %f1;").run({bits(-200.0f)}) == 0xffffff80);
  CHECK(InstructionRunner("cvt.rzi.u8.f32 %d0, %f1;").run({bits(300.0f)}) == 0xff);
  CHECK(InstructionRunner("cvt.rpi.ftz.s32.f32 %r0, %f1;").run_rows({{1}, {0x00800000}}) == Row{0, 1});
  CHECK(InstructionRunner("cvt.rpi.s32.f32 %r0, %f1;").run({1}) == 1);
}

namespace {

/// As an H200 gives it: from bfloat16 to single the same bits, to or from double sign and leading fraction bits with the
/// quiet bit set, else the canonical NaN.
std::uint64_t nan_of(std::uint64_t value, const FloatType& from, const FloatType& to) {
  if (from.name == "bf16" && to.name == "f32") return value << 16;
  if (from.name != "f64" && to.name != "f64") return to.nan;
  const auto fraction_bits = [](const std::string& name) {
    return name == "f16" ? 10u : name == "bf16" ? 7u : name == "f32" ? 23u : 52u;
  };
  const unsigned narrow = fraction_bits(from.name), wide = fraction_bits(to.name);
  std::uint64_t fraction = value % (std::uint64_t{1} << narrow);
  for (unsigned bit = narrow; bit < wide; ++bit) fraction *= 2;
  for (unsigned bit = wide; bit < narrow; ++bit) fraction /= 2;
  const std::uint64_t sign = from.format.is_negative(value) ? to.format.sign() : 0;
  return sign | to.format.infinity() | fraction | std::uint64_t{1} << (wide - 1);
}

}  // namespace

TEST_CASE("cvt between floating types rounds once", "[arithmetic]") {
  for (const FloatType& from : floats) {
    const auto rows = float_rows(from);
    for (const FloatType& to : floats) {
      const auto reference = [&](std::uint64_t value, char mode) {
        if (from.format.is_nan(value)) {
          const bool keeps_bits = from.name == to.name && from.format.width() > 16;
          return keeps_bits ? value : nan_of(value, from, to);
        }
        const std::uint64_t sign = from.format.is_negative(value) ? to.format.sign() : 0;
        if (from.format.is_infinite(value)) return sign | to.format.infinity();
        if (from.format.is_zero(value)) return sign;
        return rounded(exact(value, from.format), to.format, mode);
      };
      const std::string text = fmt::format(".{}.{} %{}0, %{}1;", to.name, from.name, to.reg, from.reg);
      const bool widens = to.name == from.name || to.name == "f64" || (to.name == "f32" && from.name != "f64");
      if (widens) CHECK(mismatch("cvt" + text, rows, [&](const Row& r) { return reference(r[0], 'n'); }) == "");
      // Of the conversions that lose nothing, only those from bf16 may name a rounding.
      if (to.name == from.name || (widens && from.name != "bf16")) continue;
      for (const char mode : std::string("nzmp")) {
        CHECK(mismatch(fmt::format("cvt.r{}{}", mode, text), rows,
                       [&](const Row& r) { return reference(r[0], mode); }) == "");
      }
    }
  }
}

TEST_CASE("cvt to an integer in the same floating type keeps signs of zero", "[arithmetic]") {
  for (const FloatType& t : floats) {
    for (const char mode : std::string("nzmp")) {
      CHECK(mismatch(fmt::format("cvt.r{}i.{}.{} %{}0, %{}1;", mode, t.name, t.name, t.reg, t.reg), float_rows(t),
                     [&](const Row& r) {
                       if (t.format.is_nan(r[0])) return nan_of(r[0], t, t);
                       if (t.format.is_infinite(r[0]) || t.format.is_zero(r[0])) return r[0];
                       const cpp_int result = whole(exact(r[0], t.format), mode);
                       if (result == 0) return r[0] & t.format.sign();
                       return rounded({result, 0}, t.format, 'n');
                     }) == "");
    }
  }
}

TEST_CASE("cvt.ftz flushes single precision only, cvt.sat clamps to [0, 1]", "[arithmetic]") {
  CHECK(InstructionRunner("cvt.ftz.f64.f32 %fd0, %f1;").run({0x80000001}) == 0x8000000000000000);
  CHECK(InstructionRunner("cvt.f64.f32 %fd0, %f1;").run({0x00000001}) == bits(0x1p-149));
  CHECK(InstructionRunner("cvt.rn.ftz.f32.f64 %f0, %fd1;").run({bits(-0x1p-140)}) == 0x80000000);
  CHECK(InstructionRunner("cvt.rn.f32.f64 %f0, %fd1;").run({bits(-0x1p-140)}) == 0x80000200);
  CHECK(InstructionRunner("cvt.ftz.f32.f16 %f0, %h1;").run({0x0001}) == bits(0x1p-24f));
  CHECK(InstructionRunner("cvt.rn.ftz.f16.f32 %h0, %f1;").run({bits(0x1p-24f)}) == 0x0001);
  CHECK(InstructionRunner("cvt.sat.f32.f32 %f0, %f1;")
            .run_rows({{bits(-1.0f)}, {bits(2.0f)}, {0x7fc00000}, {0x80000000}, {bits(0.25f)}}) ==
        Row{0, bits(1.0f), 0, 0, bits(0.25f)});
  CHECK(InstructionRunner("cvt.rn.sat.f16.f32 %h0, %f1;").run_rows({{bits(3.0f)}, {0xffc00000}}) == Row{0x3c00, 0});
  CHECK(InstructionRunner("cvt.rn.sat.f32.f64 %f0, %fd1;").run({bits(1e300)}) == bits(1.0f));
}

TEST_CASE("cvt.relu and cvt.satfinite", "[arithmetic]") {
  CHECK(InstructionRunner("cvt.rn.relu.f16.f32 %h0, %f1;").run_rows({{bits(-3.0f)}, {bits(1.5f)}, {0xffc00000}}) ==
        Row{0, 0x3e00, 0x7fff});
  CHECK(InstructionRunner("cvt.rn.satfinite.bf16.f32 %h0, %f1;")
            .run_rows({{0x7f800000}, {0xff800000}, {0x7f7fffff}, {0x7fc00000}}) == Row{0x7f7f, 0xff7f, 0x7f7f, 0x7fff});
}

TEST_CASE("cvt.tf32 keeps ten bits of the fraction", "[arithmetic]") {
  // Half of the last kept bit, 0x1000, goes away from zero with .rna, to even with .rn, and is dropped with .rz.
  const std::vector<Row> rows = {{0x3f800fff}, {0x3f801000}, {0x3f803000}, {0xbf801000}, {0x7f7fffff}, {0x7fefffff}};
  CHECK(InstructionRunner("cvt.rna.tf32.f32 %r0, %f1;").run_rows(rows) ==
        Row{0x3f800000, 0x3f802000, 0x3f804000, 0xbf802000, 0x7f800000, 0x7fefe000});
  CHECK(InstructionRunner("cvt.rn.tf32.f32 %r0, %f1;").run_rows(rows) ==
        Row{0x3f800000, 0x3f800000, 0x3f804000, 0xbf800000, 0x7f800000, 0x7fffe000});
  CHECK(InstructionRunner("cvt.rz.relu.tf32.f32 %r0, %f1;").run_rows(rows) ==
        Row{0x3f800000, 0x3f800000, 0x3f802000, 0, 0x7f7fe000, 0x7fffe000});
  CHECK(InstructionRunner("cvt.rna.satfinite.tf32.f32 %r0, %f1;").run({0x7f7fffff}) == 0x7f7fe000);
}

// What an H200 left for these operands (tests/differential).
TEST_CASE("cvt of NaN and of subnormals with .ftz is as on an H200", "[arithmetic]") {
  CHECK(InstructionRunner("cvt.ftz.f32.f32 %f0, %f1;").run({0xfffeff00}) == 0x7fffffff);
  CHECK(InstructionRunner("cvt.ftz.f64.f32 %fd0, %f1;").run({0xff809438}) == 0x7fffffffe0000000);
  CHECK(InstructionRunner("cvt.rn.ftz.f32.bf16 %f0, %h1;").run({0xffef}) == 0x7fffffff);
  CHECK(InstructionRunner("cvt.f16.f16 %h0, %h1;").run({0x7dd5}) == 0x7fff);
  CHECK(InstructionRunner("cvt.rn.f64.bf16 %fd0, %h1;").run({0xfffe}) == 0xffffc00000000000);
  CHECK(InstructionRunner("cvt.rp.bf16.f64 %h0, %fd1;").run_rows({{0x7ff8000000000000}, {0xffff000100004100}}) ==
        Row{0x7fc0, 0xfff8});
  CHECK(InstructionRunner("cvt.rp.ftz.f16.f32 %h0, %f1;").run({0x00000005}) == 0x0001);
  CHECK(InstructionRunner("cvt.rm.ftz.f16.f32 %h0, %f1;").run({0x807fffff}) == 0x8001);
  CHECK(InstructionRunner("cvt.rna.tf32.f32 %r0, %f1;").run_rows({{0x7f817b4f}, {0xff8095f8}}) ==
        Row{0x7f816000, 0xff808000});
  CHECK(InstructionRunner("cvt.rna.satfinite.tf32.f32 %r0, %f1;").run_rows({{0xffffffff}, {0x7fff3800}}) ==
        Row{0xffffc000, 0x7fff0000});
}

TEST_CASE("cvt.pack saturates two integers into one word", "[arithmetic]") {
  CHECK(InstructionRunner("cvt.pack.sat.u16.s32 %r0, %r1, %r2;").run({0x12345, 0xffffffff}) == 0xffff0000);
  CHECK(InstructionRunner("cvt.pack.sat.s16.s32 %r0, %r1, %r2;").run({0x12345, 0xffff0000}) == 0x7fff8000);
  CHECK(InstructionRunner("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;").run({300, 5, 0xabcd1234}) == 0x1234ff05);
  CHECK(InstructionRunner("cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3;").run({0xffffff00, 0xfffffffe, 0x5678}) ==
        0x567880fe);
  CHECK(InstructionRunner("cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, %r3;").run({3, 99, 0x00abcdef}) == 0xabcdef3f);
  CHECK(InstructionRunner("cvt.pack.sat.s2.s32.b32 %r0, %r1, %r2, %r3;").run({5, 0xfffffff0, 0}) == 0x6);
}

TEST_CASE("cvt takes literals and special registers", "[arithmetic]") {
  CHECK(InstructionRunner("cvt.u64.u32 %d0, 0xffffffff;").run({}) == 0xffffffff);
  CHECK(InstructionRunner("cvt.s64.s32 %d0, -1;").run({}) == ~std::uint64_t{0});
  CHECK(InstructionRunner("cvt.s32.s8 %r0, 0x80;").run({}) == 0xffffff80);
  CHECK(InstructionRunner("cvt.u64.u32 %d0, %tid.x;").run_rows({{}, {}}) == Row{0x87654321, 0x87654322});
  CHECK(InstructionRunner("cvt.u32.u16 %r0, %tid.x;").run({}) == 0x4321);
}
