// Copies that a register allocation makes none. How many are left is reasoned from which values live at the same time.

#include <catch2/catch.hpp>

#include "isa/machine/schedule/copies.hpp"
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::copies_test {

using namespace lockstep::machine::test;
using machine::Operation;

namespace {

/// The operations of the basic block that begins with the label L, without and with its copies.
struct Left {
  std::size_t before, after;
};
Left left(const std::string& body) {
  const program::Kernel kernel = kernel_of(body);
  machine::Program program = machine::lower(kernel, {"volta", machine::ScratchpadAtomics::native});
  REQUIRE(program.blocks.size() >= 2);
  const auto count = [&] { return std::size_t{program.blocks[1].end - program.blocks[1].first}; };
  const std::size_t before = count();
  machine::remove_copies(program);
  std::uint32_t end = 0;
  for (const machine::Code& code : program.blocks) {
    CHECK(code.first == end);
    end = code.end;
  }
  CHECK(end == program.instructions.size());
  return {before, count()};
}

std::size_t removed(const std::string& body) {
  const Left one = left(body);
  return one.before - one.after;
}

const std::string begin = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %r1;\n";
const std::string loop = "setp.lt.u32 %p1, %r1, %r9; @%p1 bra L;\n";

}  // namespace

TEST_CASE("A value that a loop carries is computed where the next round reads it") {
  // %r2 is read before %r4 is there.
  CHECK(removed(begin + "L: add.s32 %r1, %r1, %r2; mul.lo.s32 %r4, %r1, 3; mov.u32 %r2, %r4;" + loop +
                "st.global.u32 [%rd9], %r2;") == 1);
  // %r2 is read behind, by what does not need %r4: that may go first.
  CHECK(removed(begin + "L: mul.lo.s32 %r4, %r1, %r3; xor.b32 %r3, %r2, %r3; add.s32 %r1, %r1, %r3; mov.u32 %r2, %r4;" +
                loop + "st.global.u32 [%rd9], %r2;") == 0);  // But not over the change of %r3, which %r4 reads.
  CHECK(removed(begin + "L: mul.lo.s32 %r4, %r9, %r3; xor.b32 %r5, %r2, %r9; add.s32 %r1, %r1, %r5; mov.u32 %r2, %r4;" +
                loop + "st.global.u32 [%rd9], %r2;") == 1);
  // Both values are needed at once.
  CHECK(removed(begin + "L: mul.lo.s32 %r4, %r1, %r9; xor.b32 %r5, %r2, %r4; add.s32 %r1, %r1, %r5; mov.u32 %r2, %r4;" +
                loop + "st.global.u32 [%rd9], %r2;") == 0);
  // The new value is read under its own name afterwards, too: both are one register.
  CHECK(removed(begin + "L: mul.lo.s32 %r4, %r1, %r9; mov.u32 %r2, %r4; add.s32 %r1, %r1, %r2;" + loop +
                "st.global.u32 [%rd9], %r4;") == 1);
  // But not when one changes while the other is still needed.
  CHECK(removed(begin + "L: mul.lo.s32 %r4, %r1, %r9; mov.u32 %r2, %r4; add.s32 %r2, %r2, %r3;" + loop +
                "add.s32 %r2, %r2, %r4; st.global.u32 [%rd9], %r2;") == 0);
}

TEST_CASE(
    "Two ways that bring new values to the same registers copy none of them, and a way around keeps the old ones") {
  // As a recurrence whose step is skipped by some lanes, and whose last step stores (pair hidden Markov models).
  const std::string step = "mul.lo.s32 %r4, %r2, %r9; xor.b32 %r5, %r2, %r3; ";
  const std::string copies = "mov.u32 %r2, %r4; mov.u32 %r3, %r5; ";
  CHECK(removed(
            begin + "bra C; L: " + step + copies + "@%p3 bra C; st.global.u32 [%rd9], %r4; " + copies +
            "C: add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r9; @%p2 bra C; @%p1 bra L; st.global.u32 [%rd9], %r3;") ==
        2);
}

TEST_CASE("Neither a load nor a copy is delayed to save a copy") {
  // Read ahead: the next value arrives while this one is used (ptxas: LDG, ..., MOV).
  CHECK(removed(begin +
                "L: ld.global.u32 %r4, [%rd1]; xor.b32 %r5, %r2, %r9; add.s32 %r1, %r1, %r5; mov.u32 %r2, %r4;" + loop +
                "st.global.u32 [%rd9], %r2;") == 0);
  CHECK(removed(begin +
                "L: mov.u32 %r4, %r3; mov.u32 %r3, %r1; xor.b32 %r5, %r2, %r9; add.s32 %r1, %r1, %r5;"
                "mov.u32 %r2, %r4;" +
                loop + "st.global.u32 [%rd9], %r2;") == 0);
}

TEST_CASE("A swap needs its copies") {
  CHECK(removed(begin + "L: mov.u32 %r4, %r1; mov.u32 %r1, %r2; mov.u32 %r2, %r4;" + loop +
                "st.global.u32 [%rd9], %r2;") == 0);
}

TEST_CASE("What only the code behind a loop reads is copied there") {
  CHECK(removed(begin + "L: mov.u32 %r5, %r1; add.s32 %r1, %r1, 7;" + loop + "st.global.u32 [%rd9], %r5;") == 1);
  CHECK(removed(begin +
                "ld.global.u64 %rd6, [%rd9]; L: mov.u64 %rd5, %rd6; add.s64 %rd6, %rd6, 7; add.s32 %r1, %r1, 7;" +
                loop + "st.global.u64 [%rd9], %rd5;") == 2);
  // The copy is for the next round, of a value from elsewhere; the code behind the loop does not read it.
  CHECK(removed(begin + "L: add.s32 %r1, %r1, %r5; mov.u32 %r5, %r3; @%p3 bra M; ld.global.u32 %r3, [%rd9]; M:" + loop +
                "st.global.u32 [%rd9], %r1;") == 0);
  // No loop, and %r1 changes while %r5 is needed.
  CHECK(removed(begin + "bra L; L: mov.u32 %r5, %r1; @%p3 bra M; st.global.u32 [%rd9], %r5; M: add.s32 %r1, %r1, 1;"
                        "st.global.u32 [%rd9], %r5; st.global.u32 [%rd9], %r1;") == 0);
  // The loop reads it, too.
  CHECK(removed(begin + "L: add.s32 %r1, %r1, %r5; mov.u32 %r5, %r3;" + loop + "st.global.u32 [%rd9], %r5;") == 0);
}

TEST_CASE("A copy under a guard, and one of a special register, stay") {
  CHECK(removed(begin + "L: @%p2 mov.u32 %r5, %r1; add.s32 %r1, %r1, 7;" + loop + "st.global.u32 [%rd9], %r5;") == 0);
  CHECK(removed(begin + "L: mov.u32 %r5, %clock; add.s32 %r1, %r1, 7;" + loop + "st.global.u32 [%rd9], %r5;") == 0);
}

TEST_CASE("Behind copies that are gone a loop that makes an atomic still begins with its load") {
  const program::Kernel kernel = kernel_of(begin + "L: mov.u32 %r5, %r1; add.s32 %r1, %r1, 7;" + loop +
                                           "st.global.u32 [%rd9], %r5; atom.shared.add.f32 %f1, [%rd8], %f2;"
                                           "st.global.f32 [%rd9], %f1;");
  machine::Program program = machine::lower(kernel, {"volta", machine::ScratchpadAtomics::native});
  machine::remove_copies(program);
  std::size_t branches = 0;
  for (const machine::Instruction& i : program.instructions) {
    if (!i.cas_loop) continue;
    REQUIRE(i.loop_start < program.instructions.size());
    if (i.operation != Operation::branch) continue;
    ++branches;
    CHECK(program.instructions[i.loop_start].operation == Operation::scratchpad_load);
    CHECK(program.instructions[i.loop_start].cas_loop);
  }
  CHECK(branches == 1);
}

TEST_CASE("Code without known successors keeps its copies") {
  program::Kernel kernel =
      kernel_of(begin + "L: mov.u32 %r5, %r1; add.s32 %r1, %r1, 7;" + loop + "st.global.u32 [%rd9], %r5;");
  for (program::StaticBlock& block : kernel.blocks) block.successors.clear();
  machine::Program program = machine::lower(kernel, {"volta", machine::ScratchpadAtomics::native});
  const std::size_t before = program.instructions.size();
  machine::remove_copies(program);
  CHECK(program.instructions.size() == before);
}

}  // namespace lockstep::copies_test
