// SIMD video instructions against an H200, and what they refuse.

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "isa/error.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;

TEST_CASE("vabsdiff4 gives what an H200 gives, in all types, with sums, saturation, selectors and masks",
          "[arithmetic][video]") {
  std::ifstream file(source_dir() + "/tests/unit/isa/exec/arithmetic/inputs/h200_video.txt");
  REQUIRE(file);
  std::string line, instruction;
  std::vector<Row> operands;
  std::vector<std::uint64_t> results;
  unsigned instructions = 0;
  const auto compare = [&] {
    if (instruction.empty()) return;
    INFO(instruction);
    CHECK(InstructionRunner(instruction).run_rows(operands) == results);
    ++instructions;
  };
  while (std::getline(file, line)) {
    if (line.starts_with("vabsdiff4")) {
      compare();
      instruction = line;
      operands.clear();
      results.clear();
      continue;
    }
    std::istringstream numbers(line);
    std::uint64_t a = 0, b = 0, c = 0, result = 0;
    REQUIRE(numbers >> std::hex >> a >> b >> c >> result);
    operands.push_back({a, b, c});
    results.push_back(result);
  }
  compare();
  CHECK(instructions == 39);
}

TEST_CASE("vabsdiff4 of bytes that a hand can subtract", "[arithmetic][video]") {
  // |1 - 4|, |2 - 2|, |3 - 1|, |255 - 0| from the highest byte.
  CHECK(InstructionRunner("vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;").run({0x010203ff, 0x04020100, 9}) == 0x030002ff);
  CHECK(InstructionRunner("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;").run({0x010203ff, 0x04020100, 9}) ==
        3 + 0 + 2 + 255 + 9);
  // The lowest byte is -1 where it is signed.
  CHECK(InstructionRunner("vabsdiff4.s32.s32.s32.add %r0, %r1, %r2, %r3;").run({0x010203ff, 0x04020100, 9}) ==
        3 + 0 + 2 + 1 + 9);
  // Bytes that the mask leaves out come from the last source.
  CHECK(InstructionRunner("vabsdiff4.u32.u32.u32 %r0.b20, %r1, %r2, %r3;").run({0x010203ff, 0x04020100, 0xaabbccdd}) ==
        0xaa00ccff);
}

TEST_CASE("vabsdiff4 refuses types, modifiers and selectors that it does not have", "[arithmetic][video]") {
  const auto refused = [](const std::string& rest, const std::string& why) {
    INFO(rest);
    CHECK_THROWS_WITH(InstructionRunner("vabsdiff4" + rest), Contains("vabsdiff4") && Contains(why));
  };
  refused(".u32.u32.u32.sat.add %r0, %r1, %r2, %r3;", "does not take .add");
  refused(".u32.u32.u16 %r0, %r1, %r2, %r3;", "u16");
  refused(".u32.u32 %r0, %r1, %r2, %r3;", "missing");
  refused(".u32.u32.u32.max %r0, %r1, %r2, %r3;", ".max");
  refused(".u32.u32.u32 %r0.b13, %r1, %r2, %r3;", "the selector .b13");
  refused(".u32.u32.u32 %r0.b4, %r1, %r2, %r3;", "the selector .b4");
  refused(".u32.u32.u32 %r0.h1, %r1, %r2, %r3;", "the selector .h1");
  refused(".u32.u32.u32 %r0, %r1.b0, %r2, %r3;", "the selector .b0");
  refused(".u32.u32.u32 %r0, %r1, %r2.h3210, %r3;", "the selector .h3210");
  refused(".u32.u32.u32 %r0, %r1, %r2, %r3.b3210;", "the selector .b3210");
}
