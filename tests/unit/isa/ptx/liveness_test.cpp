// The register estimate, against counts made by hand.

#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep::ptx;
using namespace lockstep::ptx::test;

namespace {

unsigned registers_of(const std::string& body, const std::string& items = "") {
  const Module module = kernel(body, items);
  return max_live_registers(link(module, "k"));
}

}  // namespace

TEST_CASE("a kernel without registers needs none") {
  CHECK(registers_of("ret;") == 0);
}

TEST_CASE("operands that die make room for the result") {
  CHECK(registers_of("mov.b32 %r1, 1; mov.b32 %r2, 2; add.s32 %r3, %r1, %r2; st.global.b32 [0], %r3;") == 2);
  CHECK(registers_of("mov.b32 %r1, 1; mov.b32 %r2, 2; add.s32 %r3, %r1, %r2; add.s32 %r3, %r3, %r1; "
                     "st.global.b32 [0], %r3;") == 2);
  CHECK(registers_of(
            "mov.b32 %r1, 1; mov.b32 %r2, 2; add.s32 %r3, %r1, 5; st.global.v4.b32 [0], {%r1, %r2, %r3, %r3};") == 3);
}

TEST_CASE("64-bit values count two, 16-bit ones one, predicates none") {
  CHECK(registers_of("mov.b64 %rd1, 1; mov.b64 %rd2, 2; st.global.b64 [%rd1], %rd2;") == 4);
  CHECK(registers_of("mov.b16 %rs1, 1; mov.f64 %fd1, 1.0; st.global.b16 [0], %rs1; st.global.f64 [0], %fd1;") == 3);
  CHECK(registers_of("setp.eq.s32 %p1, 1, 2; setp.eq.s32 %p2, 1, 2; and.pred %p3, %p1, %p2; @%p3 exit;") == 0);
}

TEST_CASE("a result that is never read still needs a register") {
  CHECK(registers_of("mov.b64 %rd1, 1;") == 2);
}

TEST_CASE("values stay live around a loop") {
  // %r1 (count), %r2 (bound), %r3 (sum) all round the loop, and %r4 inside it.
  CHECK(registers_of("mov.b32 %r1, 0; mov.b32 %r2, 9; mov.b32 %r3, 0;\n"
                     "L: mul.lo.s32 %r4, %r1, 3;\nadd.s32 %r3, %r3, %r4;\nadd.s32 %r1, %r1, 1;\n"
                     "setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra L;\nst.global.b32 [0], %r3;") == 4);
}

TEST_CASE("a value that only one side of a branch reads is live up to there") {
  CHECK(registers_of(
            "mov.b32 %r1, 1; mov.b32 %r2, 2; @%p1 bra A; st.global.b32 [0], %r1; ret; A: st.global.b32 [0], %r2;") ==
        2);
}

TEST_CASE("a guarded write keeps the old value") {
  CHECK(registers_of("mov.b32 %r1, 1; mov.b32 %r2, 2; @%p1 mov.b32 %r1, 3; st.global.b32 [%r2], %r1;") == 2);
  // Unguarded, the first value of %r1 is dead at once, and each value makes room for the next.
  CHECK(registers_of("mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b32 %r3, %r2; mov.b32 %r1, %r3; st.global.b32 [0], %r1;") ==
        1);
}

TEST_CASE("a call needs what is live across it and what the callee needs") {
  const std::string callee =
      ".func h() { .reg .b32 %r<9>; mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b32 %r3, 3; st.global.v4.b32 [0], "
      "{%r1, %r2, %r3, %r3}; ret; }\n.func f() { .reg .b64 x; mov.b64 x, 1; call h; st.global.b64 [0], x; ret; }\n";
  CHECK(registers_of("call h;", callee) == 3);
  CHECK(registers_of("call f;", callee) == 5);
  CHECK(registers_of("mov.b32 %r1, 1; call f; st.global.b32 [0], %r1;", callee) == 6);
  CHECK(registers_of("mov.b32 %r1, 1; st.global.b32 [0], %r1; call f;", callee) == 5);
}

TEST_CASE("many registers that cross many blocks are counted, not only the first 64") {
  std::string body = ".reg .b32 %x<200>;\n";
  for (int i = 0; i < 150; ++i) body += "mov.b32 %x" + std::to_string(i) + ", 1;\n";
  body += "@%p1 bra L; bar.sync 0; L:\n";
  for (int i = 0; i < 150; ++i) body += "st.global.b32 [0], %x" + std::to_string(i) + ";\n";
  CHECK(registers_of(body) == 150);
}
