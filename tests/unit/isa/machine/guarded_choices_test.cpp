// Choices that become guards, against the code that ptxas 13.0 writes for sm_90 for the same instructions.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::guarded_choices_test {

using namespace lockstep::machine;

namespace {

const Target hopper{"hopper", ScratchpadAtomics::native, Schedule::list, 6};

/// What becomes of the instructions behind three loads, of integers %r1 and %r2 or of f32 %f1 and %f2, and a comparison in %p1, in
/// front of a store of %r9 or %f9: of each arithmetic instruction, whether it has a guard.
std::string choices(const std::string& body, const std::string& stored = "u32 [%rd1], %r9", bool loop = false) {
  const program::Kernel kernel = test::kernel_of(
      "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.f32 %f1, [%rd1+8]; ld.global.f32 %f2, "
      "[%rd1+12];"
      "ld.global.u32 %r3, [%rd1+16];" +
      std::string(loop ? "L: .pragma \"nounroll\"; bar.sync 0;" : "") + "setp.lt.s32 %p1, %r3, %r13;" + body +
      (loop ? "setp.lt.s32 %p2, %r9, %r14; mov.u32 %r1, %r9; @%p2 bra L;" : "") + "st.global." + stored + ";");
  std::string text;
  for (const Instruction& i : lower(kernel, hopper).instructions) {
    const std::string name(name_of(i.operation));
    if (!name.starts_with("integer") && !name.starts_with("floating") && name != "shift" && name != "min_max") continue;
    if (i.static_index < (loop ? 7u : 6u)) continue;
    text += i.guard != Instruction::no_guard ? "guarded " : "always ";
  }
  return text;
}

}  // namespace

TEST_CASE("guarded choices: what is computed from a register that is needed no more is computed under a guard") {
  CHECK(choices("add.s32 %r8, %r1, -96; selp.b32 %r9, %r8, %r1, %p1;") == "guarded ");
  CHECK(choices("add.s32 %r8, %r1, -96; selp.b32 %r9, %r1, %r8, %p1;") == "guarded ");
  CHECK(choices("neg.s32 %r8, %r1; selp.b32 %r9, %r8, %r1, %p1;") == "guarded ");
  CHECK(choices("mul.lo.s32 %r8, %r1, %r2; selp.b32 %r9, %r8, %r1, %p1;") == "guarded ");
  CHECK(choices("shr.u32 %r8, %r1, 3; selp.b32 %r9, %r8, %r1, %p1;") == "guarded ");
  CHECK(choices("and.b32 %r8, %r1, %r2; selp.b32 %r9, %r8, %r1, %p1;") == "guarded ");
  CHECK(choices("add.rn.f32 %f8, %f1, %f2; selp.f32 %f9, %f8, %f1, %p1;", "f32 [%rd1], %f9") == "guarded ");
  CHECK(choices("fma.rn.f32 %f8, %f1, %f2, %f2; selp.f32 %f9, %f8, %f1, %p1;", "f32 [%rd1], %f9") == "guarded ");
}

TEST_CASE("guarded choices: the other register need not be an operand") {
  CHECK(choices("add.s32 %r8, %r2, 5; selp.b32 %r9, %r8, %r1, %p1;") == "guarded ");
  CHECK(choices("add.s32 %r7, %r1, 5; xor.b32 %r8, %r7, %r2; selp.b32 %r9, %r8, %r1, %p1;") == "always guarded ");
}

TEST_CASE("guarded choices: what is read elsewhere, both values and literals are chosen by an instruction") {
  const std::string choose = "selp.b32 %r9, %r8, %r1, %p1;", both = "always always ";
  CHECK(choices("add.s32 %r8, %r1, -96;" + choose + "st.global.u32 [%rd1+32], %r1;") == both);
  CHECK(choices("add.s32 %r8, %r1, -96;" + choose + "st.global.u32 [%rd1+32], %r8;") == both);
  CHECK(choices("add.s32 %r8, %r1, -96; selp.b32 %r9, %r8, 7, %p1;") == both);
  CHECK(choices("add.s32 %r7, %r1, %r2; add.s32 %r8, %r7, %r3; selp.b32 %r9, %r8, %r1, %p1;") == both);
}

TEST_CASE("guarded choices: a load has the guard unless something between may write what it reads") {
  const auto guarded_loads = [](const std::string& between) {
    const program::Kernel kernel = test::kernel_of(
        "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8];" + between +
        "setp.lt.s32 %p1, %r3, %r13; selp.b32 %r9, %r1, %r2, %p1; st.global.u32 [%rd1+12], %r9;");
    const Program program = lower(kernel, hopper);
    return std::count_if(program.instructions.begin(), program.instructions.end(), [](const Instruction& i) {
      return i.operation == Operation::global_load && i.guard != Instruction::no_guard;
    });
  };
  CHECK(guarded_loads("") == 1);
  CHECK(guarded_loads("st.shared.u32 [table], %r3;") == 1);
  CHECK(guarded_loads("st.global.u32 [%rd1+64], %r3;") == 0);
  CHECK(guarded_loads("bar.sync 0;") == 0);
  CHECK(guarded_loads("membar.gl;") == 0);
}

TEST_CASE("guarded choices: -x or x of f32 is one instruction, whose operand has the sign") {
  CHECK(choices("neg.f32 %f8, %f1; selp.f32 %f9, %f8, %f1, %p1;", "f32 [%rd1], %f9") == "always ");
}

TEST_CASE("guarded choices: values of 64 bits are chosen") {
  CHECK(choices("ld.global.u64 %rd2, [%rd1+64]; add.s64 %rd3, %rd2, 5; selp.b64 %rd4, %rd3, %rd2, %p1;",
                "u64 [%rd1], %rd4")
            .find("guarded") == std::string::npos);
}

TEST_CASE(
    "guarded choices: a register that goes on into the next round keeps its value where the guard does not hold") {
  CHECK(choices("add.s32 %r8, %r1, -96; selp.b32 %r9, %r8, %r1, %p1;", "u32 [%rd1], %r9", true) == "guarded ");
}

}  // namespace lockstep::guarded_choices_test
