// Rounded floating-point arithmetic against exact integers (PTX ISA 9.7.3).

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "tests/unit/isa/exec/arithmetic/exact.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

const std::string modes = "nzmp";
constexpr std::uint64_t float_nan = 0x7fffffff, invalid_double = 0xfff8000000000000;

std::vector<Row> rows_of(unsigned width, unsigned operands, unsigned count) {
  const auto values = float_values(width, 150, width + operands);
  std::vector<Row> rows = picks(std::vector(operands, values), count, 11);
  if (operands == 1) {
    for (const std::uint64_t value : values) rows.push_back({value});
  } else {
    const auto edges = float_values(width, 0, 0);
    for (Row row : pairs(edges, edges)) {
      if (operands == 3) row.push_back(edges[rows.size() % edges.size()]);
      rows.push_back(row);
    }
  }
  if (operands == 3) {
    // Sums that cancel to a small difference: c next to -(a*b).
    for (std::size_t i = 0; i + 1 < 600; ++i) {
      Row row = rows[i];
      const Format& f = width == 32 ? binary32 : binary64;
      const std::uint64_t product = exact_multiply(row[0], row[1], f, "nzmp"[i % 4], 0);
      row[2] = (product ^ f.sign()) + i % 3;
      rows.push_back(row);
    }
  }
  return rows;
}

/// In double precision the first NaN operand comes out, quiet.
std::uint64_t nan_of(const Row& row, const Format& f) {
  if (f.precision == 24) return float_nan;
  for (const std::uint64_t operand : row) {
    if (f.is_nan(operand)) return operand | 0x0008000000000000;
  }
  return invalid_double;
}

std::uint64_t apply(const std::string& op, const Row& r, const Format& f, char mode) {
  const std::uint64_t nan = nan_of(r, f), one = f.precision == 24 ? 0x3f800000 : 0x3ff0000000000000;
  if (op == "add") return exact_add(r[0], r[1], f, mode, nan);
  if (op == "sub") return exact_add(r[0], f.is_nan(r[1]) ? r[1] : r[1] ^ f.sign(), f, mode, nan);
  if (op == "mul") return exact_multiply(r[0], r[1], f, mode, nan);
  if (op == "fma" || op == "mad") return exact_fma(r[0], r[1], r[2], f, mode, nan);
  if (op == "div") return exact_divide(r[0], r[1], f, mode, nan);
  if (op == "rcp") return exact_divide(one, r[0], f, mode, nan);
  return exact_root(r[0], f, mode, nan);
}

/// With .ftz: products are flushed where they are tiny after rounding, as on an H200, other results where they are
/// subnormal.
std::uint64_t apply_flushing(const std::string& op, Row r, char mode) {
  for (std::uint64_t& operand : r) operand = binary32.flushed(operand);
  const std::uint64_t result = binary32.flushed(apply(op, r, binary32, mode));
  const bool multiplies = op == "mul" || op == "fma" || op == "mad";
  return multiplies && is_tiny_fma(r[0], r[1], op == "mul" ? 0 : r[2], binary32, mode) ? result & binary32.sign()
                                                                                       : result;
}

std::string text(const std::string& mnemonic, const std::string& reg, unsigned operands) {
  std::string result = fmt::format("{} %{}0", mnemonic, reg);
  for (unsigned i = 1; i <= operands; ++i) result += fmt::format(", %{}{}", reg, i);
  return result + ";";
}

struct Op {
  std::string name;
  unsigned operands;
  bool saturates;
};
const std::vector<Op> ops = {{"add", 2, true}, {"sub", 2, true},  {"mul", 2, true},  {"fma", 3, true},
                             {"mad", 3, true}, {"div", 2, false}, {"rcp", 1, false}, {"sqrt", 1, false}};

std::uint64_t clamped(std::uint64_t result) {
  if (binary32.is_nan(result) || binary32.is_negative(result)) return 0;
  return std::min<std::uint64_t>(result, 0x3f800000);
}

}  // namespace

TEST_CASE("f32 arithmetic rounds correctly in all four directions", "[arithmetic]") {
  for (const Op& op : ops) {
    const auto rows = rows_of(32, op.operands, 6000);
    for (const char mode : modes) {
      CHECK(mismatch(text(fmt::format("{}.r{}.f32", op.name, mode), "f", op.operands), rows,
                     [&](const Row& r) { return apply(op.name, r, binary32, mode); }) == "");
    }
  }
}

TEST_CASE("f64 arithmetic rounds correctly in all four directions", "[arithmetic]") {
  for (const Op& op : ops) {
    const auto rows = rows_of(64, op.operands, 3000);
    for (const char mode : modes) {
      CHECK(mismatch(text(fmt::format("{}.r{}.f64", op.name, mode), "fd", op.operands), rows,
                     [&](const Row& r) { return apply(op.name, r, binary64, mode); }) == "");
    }
  }
}

TEST_CASE(".ftz flushes denormal operands and results to zeros of their sign", "[arithmetic]") {
  for (const Op& op : ops) {
    const auto rows = rows_of(32, op.operands, 3000);
    for (const char mode : modes) {
      CHECK(mismatch(text(fmt::format("{}.r{}.ftz.f32", op.name, mode), "f", op.operands), rows,
                     [&](const Row& r) { return apply_flushing(op.name, r, mode); }) == "");
    }
  }
}

TEST_CASE(".ftz keeps of products that round up to the smallest normal number what an H200 keeps", "[arithmetic]") {
  struct Sample {
    const char* text;
    Row operands;
    std::uint64_t left;
  };
  // Rows of a table of 1,024 sets of operands that an H200 (driver 580.159.04) executed with 68 forms of products, sums,
  // quotients and roots, 2026-11-23.
  const std::vector<Sample> samples = {
      {"mul.rn.ftz.f32 %f0, %f1, %f2;", {0x3f000000, 0x00ffffff}, 0},
      {"mul.rn.ftz.f32 %f0, %f1, %f2;", {0xbe800000, 0x017fffff}, 0x80000000},
      {"mul.rp.ftz.f32 %f0, %f1, %f2;", {0x3f000001, 0x00fffffd}, 0},
      {"mul.rm.ftz.f32 %f0, %f1, %f2;", {0xbf000001, 0x00fffffd}, 0x80000000},
      {"fma.rn.ftz.f32 %f0, %f1, %f2, %f3;", {0x33000001, 0x00bfffff, 0x80800000}, 0x80000000},
      {"fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3;", {0x34000000, 0x80bfffff, 0x00800001}, 0},
      {"fma.rp.ftz.f32 %f0, %f1, %f2, %f3;", {0x34000000, 0x80ffffff, 0x00800001}, 0},
      {"mul.rn.ftz.f32 %f0, %f1, %f2;", {0x3f000001, 0x00fffffe}, 0x00800000},
      {"mul.rm.ftz.f32 %f0, %f1, %f2;", {0x3f7ffffe, 0x80800001}, 0x80800000},
      {"fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3;", {0x3f7ffffe, 0x00800001, 0}, 0x00800000},
      {"fma.rm.ftz.f32 %f0, %f1, %f2, %f3;", {0x33000001, 0x00bfffff, 0x80800000}, 0x80800000},
      {"mul.rn.ftz.f16 %h0, %h1, %h2;", {0xbbfe, 0x8401}, 0x0400},
      {"mul.rn.ftz.f16 %h0, %h1, %h2;", {0x3800, 0x87ff}, 0x8000},
      {"fma.rn.ftz.f16 %h0, %h1, %h2, %h3;", {0x8fff, 0x0400, 0x0400}, 0},
      {"fma.rn.ftz.f16 %h0, %h1, %h2, %h3;", {0xbbff, 0x0401, 0x0800}, 0},
  };
  for (const Sample& sample : samples) {
    INFO(sample.text);
    CHECK(InstructionRunner(sample.text).run_rows({sample.operands}) == Row{sample.left});
  }
}

TEST_CASE(".sat clamps to [0, 1] and makes NaN +0", "[arithmetic]") {
  for (const Op& op : ops) {
    if (!op.saturates) continue;
    const auto rows = rows_of(32, op.operands, 3000);
    for (const char mode : modes) {
      CHECK(mismatch(text(fmt::format("{}.r{}.sat.f32", op.name, mode), "f", op.operands), rows,
                     [&](const Row& r) { return clamped(apply(op.name, r, binary32, mode)); }) == "");
      CHECK(mismatch(text(fmt::format("{}.r{}.ftz.sat.f32", op.name, mode), "f", op.operands), rows,
                     [&](const Row& r) { return clamped(apply_flushing(op.name, r, mode)); }) == "");
    }
  }
}

TEST_CASE("without a rounding, add, sub, mul and mad round to nearest", "[arithmetic]") {
  for (const std::string name : {"add", "sub", "mul"}) {
    CHECK(mismatch(text(name + ".f32", "f", 2), rows_of(32, 2, 500),
                   [&](const Row& r) { return apply(name, r, binary32, 'n'); }) == "");
    CHECK(mismatch(text(name + ".f64", "fd", 2), rows_of(64, 2, 500),
                   [&](const Row& r) { return apply(name, r, binary64, 'n'); }) == "");
  }
  CHECK(mismatch("mad.f32 %f0, %f1, %f2, %f3;", rows_of(32, 3, 500),
                 [&](const Row& r) { return apply("fma", r, binary32, 'n'); }) == "");
}

TEST_CASE("rounding shows in the last bit of known sums", "[arithmetic]") {
  // 1 + 2^-30 lies between 1 and its upper neighbour 0x3f800001.
  const auto sum = [](const std::string& mode, std::uint64_t sign) {
    return InstructionRunner("add." + mode + ".f32 %f0, %f1, %f2;").run({0x3f800000 | sign, 0x30800000 | sign});
  };
  CHECK(sum("rn", 0) == 0x3f800000);
  CHECK(sum("rz", 0) == 0x3f800000);
  CHECK(sum("rm", 0) == 0x3f800000);
  CHECK(sum("rp", 0) == 0x3f800001);
  CHECK(sum("rm", 0x80000000) == 0xbf800001);
  CHECK(sum("rz", 0x80000000) == 0xbf800000);
  // A fused product keeps what a rounded one loses: (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24.
  CHECK(InstructionRunner("fma.rn.f32 %f0, %f1, %f2, %f3;").run({0x3f800800, 0x3f800800, 0xbf801000}) == 0x33800000);
}

TEST_CASE("directed rounding leaves the CPU rounding to nearest", "[arithmetic]") {
  volatile double one = 1.0, tiny = 0x1p-60;
  InstructionRunner("add.rp.f64 %fd0, %fd1, %fd2;").run({bits(1.0), bits(0x1p-60)});
  CHECK(one + tiny == 1.0);
  InstructionRunner("mul.rm.f32 %f0, %f1, %f2;").run({bits(1.5f), bits(1.3f)});
  CHECK(-one - tiny == -1.0);
}

TEST_CASE("literals of floating instructions are values", "[arithmetic]") {
  CHECK(InstructionRunner("add.f32 %f0, %f1, 0f3F800000;").run({bits(2.0f)}) == bits(3.0f));
  CHECK(InstructionRunner("add.f32 %f0, %f1, 0.5;").run({bits(2.0f)}) == bits(2.5f));
  CHECK(InstructionRunner("add.f64 %fd0, %fd1, 0d3FF0000000000000;").run({bits(2.0)}) == bits(3.0));
  // ptxas takes the 32 bits as the lower half of 64.
  CHECK(InstructionRunner("mov.f64 %fd0, 0f3F800000;").run({}) == 0x3f800000);
  CHECK(InstructionRunner("mov.f32 %f0, 0f7FC12345;").run({}) == 0x7fc12345);
}
