// What is not PTX, or not supported, is refused with its place and instruction; what belongs elsewhere is left alone.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// The message with which the instruction is refused, or "" when it is not.
std::string refusal(const std::string& text) {
  try {
    const InstructionRunner runner(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a refusal names the file, the line and the instruction", "[arithmetic]") {
  CHECK_THAT(refusal("add.ftz.s32 %r0, %r1, %r2;"), StartsWith("test.ptx:14:1:"));
  CHECK_THAT(refusal("add.ftz.s32 %r0, %r1, %r2;"), Contains("add.ftz.s32") && Contains(".ftz"));
  CHECK_THAT(refusal("fma.rn.sat.f64 %fd0, %fd1, %fd2, %fd3;"), Contains("fma.rn.sat.f64") && Contains(".sat"));
}

TEST_CASE("modifiers and types that do not fit are refused", "[arithmetic]") {
  for (const std::string text : {"add.sat.u32 %r0, %r1, %r2;",
                                 "mul.u32 %r0, %r1, %r2;",
                                 "add.f16.ftz.rz %h0, %h1, %h2;",
                                 "popc.f32 %r0, %f1;",
                                 "fma.f32 %f0, %f1, %f2, %f3;",
                                 "div.f32 %f0, %f1, %f2;",
                                 "sin.f32 %f0, %f1;",
                                 "sin.approx.f64 %fd0, %fd1;",
                                 "setp.lo.s32 %p0, %r1, %r2;",
                                 "setp.ltu.u32 %p0, %r1, %r2;",
                                 "setp.lt.b32 %p0, %r1, %r2;",
                                 "cvt.s32.f32 %r0, %f1;",
                                 "cvt.f32.s32 %f0, %r1;",
                                 "cvt.f32.f64 %f0, %fd1;",
                                 "cvt.rn.s32.u32 %r0, %r1;",
                                 "cvt.rni.f32.f64 %f0, %fd1;",
                                 "cvt.ftz.u32.u16 %r0, %h1;",
                                 "lop3.b32 %r0, %r1, %r2, %r3, 256;",
                                 "lop3.b32 %r0, %r1, %r2, %r3, %r4;",
                                 "shf.l.b32 %r0, %r1, %r2, %r3;",
                                 "abs.u32 %r0, %r1;",
                                 "mul.wide.u64 %d0, %d1, %d2;",
                                 "min.xorsign.f32 %f0, %f1, %f2;",
                                 "ex2.approx.bf16 %h0, %h1;",
                                 "mov.b64 {%h0, %h1, %h2}, %d1;",
                                 "szext.s32 %r0, %r1, %r2;",
                                 "min.relu.u32 %r0, %r1, %r2;",
                                 "testp.f32 %p0, %f1;"}) {
    INFO(text);
    CHECK(refusal(text) != "");
  }
}

TEST_CASE("operands that do not fit are refused", "[arithmetic]") {
  CHECK_THAT(refusal("add.s32 %r0, %h1, %r2;"), Contains("%h1") && Contains("b16"));
  CHECK_THAT(refusal("add.s32 %d0, %r1, %r2;"), Contains("%d0"));
  CHECK_THAT(refusal("add.f32 %f0, %f1, 1;"), Contains("integer literal") && Contains("0f3F800000"));
  CHECK_THAT(refusal("add.s32 %r0, %r1, 1.5;"), Contains("floating-point literal"));
  CHECK_THAT(refusal("and.pred %p0, %p1, !%p2;"), Contains("!"));
  CHECK_THAT(refusal("cvt.u64.u32 %d0, %h1;"), Contains("%h1"));
  CHECK_THAT(refusal("cvt.f32.f16 %f0, %r1;"), Contains("%r1"));
}

TEST_CASE("opcodes of memory, control and exchange between lanes are not arithmetic", "[arithmetic]") {
  for (const std::string text : {"ld.global.u32 %r0, [%d1];", "bar.sync 0;", "atom.global.add.u32 %r0, [%d1], %r2;",
                                 "shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;", "vote.sync.any.pred %p0, %p1, -1;"}) {
    CHECK_THROWS_WITH(InstructionRunner(text), StartsWith("not arithmetic"));
  }
}
