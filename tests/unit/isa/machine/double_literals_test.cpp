// When literals of double precision take instructions, as ptxas 13.0 for sm_90 was seen to do it with the same kernels.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::double_literals_test {

namespace {

std::size_t instructions(const std::string& body, bool in_loop) {
  const ptx::Module module = ptx::test::kernel(
      "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.global.f64 %fd1, [%rd1]; ld.global.f64 %fd2, [%rd1+8];"
      "ld.global.f64 %fd3, [%rd1+16]; mov.u32 %r10, 0;\n" +
      std::string(in_loop ? "L: .pragma \"nounroll\";\n" : "") + body +
      (in_loop ? "add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, %r1; @%p1 bra L;" : "") +
      "st.global.f64 [%rd1], %fd1; st.global.f64 [%rd1+8], %fd2; ret;");
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
  return machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list})
      .instructions.size();
}

/// Instructions that the literals $0, $1, ... of `body` take: beyond those of the same code with literals whose lower halves are
/// zero.
int taken(const std::string& body, bool in_loop) {
  std::string with = body, without = body;
  for (int n = 0; n < 20; ++n) {
    const std::string name = fmt::format("${:02}", n);
    const auto replace = [&](std::string& text, const std::string& by) {
      for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), by);
    };
    replace(with, fmt::format("0d3F{:02X}23456789AB{:02}", n + 16, n));
    replace(without, fmt::format("0d3F{:02X}234500000000", n + 16));
  }
  return static_cast<int>(instructions(with, in_loop)) - static_cast<int>(instructions(without, in_loop));
}

std::string polynomial(int degree, const std::string& reg = "%fd1") {
  std::string text;
  for (int n = 0; n < degree; ++n) text += fmt::format("fma.rn.f64 {0}, {0}, %fd3, ${1:02};", reg, n);
  return text;
}

}  // namespace

TEST_CASE("A double-precision literal takes two instructions, once in straight code") {
  CHECK(taken(polynomial(1), false) == 2);
  CHECK(taken(polynomial(6), false) == 12);
  CHECK(taken(polynomial(20), false) == 40);
  CHECK(taken("add.f64 %fd1, %fd1, $00;", false) == 2);
  CHECK(taken("mul.f64 %fd1, %fd1, $00;", false) == 2);
  CHECK(taken("fma.rn.f64 %fd1, %fd1, $00, $01;", false) == 4);
  CHECK(taken("setp.lt.f64 %p2, %fd1, $00; selp.f64 %fd1, %fd2, %fd3, %p2;", false) == 2);
  CHECK(taken("setp.lt.f64 %p2, %fd1, %fd2; selp.f64 %fd1, $00, %fd3, %p2;", false) == 0);
  CHECK(taken(polynomial(8) + polynomial(8, "%fd2"), false) == 16);
}

TEST_CASE("A loop has up to four double-precision literals in registers") {
  CHECK(taken(polynomial(1), true) == 0);
  CHECK(taken(polynomial(4), true) == 0);
  CHECK(taken(polynomial(5), true) == 10);
  CHECK(taken(polynomial(7), true) == 14);
  CHECK(taken(polynomial(20), true) == 40);
  CHECK(taken(polynomial(10) + polynomial(10), true) == 20);
  CHECK(taken("fma.rn.f64 %fd1, %fd1, %fd3, $01; fma.rn.f64 %fd1, %fd1, %fd3, $02; fma.rn.f64 %fd1, %fd1, %fd3, $01;",
              true) == 0);
}

TEST_CASE("A literal and its negative are one") {
  const std::string once = "fma.rn.f64 %fd1, %fd1, 0d3FF123456789ABCD, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd3;";
  const std::string twice =
      "fma.rn.f64 %fd1, %fd1, 0d3FF123456789ABCD, %fd2; fma.rn.f64 %fd1, %fd1, 0dBFF123456789ABCD, %fd2;";
  CHECK(instructions(twice, false) == instructions(once, false));
}

TEST_CASE("Where a branch becomes predicates, what follows it has the literals of what stands before it") {
  // The code of the first basic block with its side, and of the blocks themselves.
  const auto literals = [](const std::string& body) {
    const ptx::Module module = ptx::test::kernel(
        "ld.param.u64 %rd1, [a]; ld.global.f64 %fd1, [%rd1]; ld.global.f64 %fd2, [%rd1+8]; ld.global.f64 %fd3, "
        "[%rd1+16];"
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p2, %r1, 9;" +
        body + "st.global.f64 [%rd1], %fd1; st.global.f64 [%rd1+8], %fd2; ret;");
    const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
    const machine::Program program =
        machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
    REQUIRE(program.predicated[0].code.executions == 1);
    const machine::Code& code = program.predicated[0].code;
    return std::count_if(program.instructions.begin() + code.first, program.instructions.begin() + code.end,
                         [](const machine::Instruction& i) { return i.once_for_all_rounds; });
  };
  const auto step = [](const std::string& reg) {
    return "fma.rn.f64 " + reg + ", " + reg + ", %fd3, 0d3F12345678912345;";
  };
  CHECK(literals(step("%fd1") + "@%p2 bra J; add.f64 %fd2, %fd2, %fd3; J:" + step("%fd2")) == 2);
  // Behind a division, which branches to a function for rare operands, they are loaded again.
  CHECK(literals(step("%fd1") + "@%p2 bra J; add.f64 %fd2, %fd2, %fd3; J: div.rn.f64 %fd2, %fd2, %fd1;" +
                 step("%fd2")) == 4);
  // A side has its own, under its predicate, which is not there for what follows.
  CHECK(literals("@%p2 bra J;" + step("%fd1") + "J:" + step("%fd2")) == 4);
}

}  // namespace lockstep::double_literals_test
