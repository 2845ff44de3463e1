// Which loops of one basic block are unrolled, and the code of their rounds, against sequences by hand and the code of ptxas
// 13.0 for sm_90.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/isa/machine/unrolled.hpp"

namespace lockstep::unrolling_test {

using namespace lockstep::machine::test;
using machine::Instruction;
using machine::Operation;
using machine::ScratchpadAtomics;

TEST_CASE("unrolling: a loop with a constant number of rounds is unrolled wholly") {
  CHECK(rounds(from_zero, sum + to_ten) == 10);
  CHECK(rounds(from_zero, sum + to_ten + "bar.sync 0;") == 10);
  CHECK(rounds(from_zero, "red.shared.add.u32 [table], 1;" + to_ten) == 10);
  CHECK(rounds(from_zero + "mov.u32 %r4, 12;", sum + step + "setp.ne.u32 %p1, %r2, %r4;") == 12);
  CHECK(rounds(from_zero, sum + "mov.u32 %r4, %clock;" + to_ten) == 10);
  // Operands the other way round, signed values, steps down, and 64 bits.
  CHECK(rounds(from_zero, sum + step + "setp.gt.u32 %p1, 10, %r2;") == 10);
  CHECK(rounds("mov.u32 %r2, -4;", sum + step + "setp.le.s32 %p1, %r2, 3;") == 8);
  CHECK(rounds("mov.u32 %r2, 24;", sum + "add.s32 %r2, %r2, -8; setp.ne.s32 %p1, %r2, 0;") == 3);
  CHECK(rounds("mov.u64 %rd2, 0;", sum + "add.s64 %rd2, %rd2, 8; setp.ne.s64 %p1, %rd2, 64;") == 8);
  CHECK(rounds("mov.u64 %rd2, -16;", sum + "add.s64 %rd2, %rd2, 8; setp.lt.s64 %p1, %rd2, 8;") == 3);
}

TEST_CASE("unrolling: a loop of constant steps to a bound that stays is unrolled four times") {
  CHECK(rounds(from_zero, sum + to_bound) == 4);
  CHECK(rounds("mov.u32 %r2, %tid.x;", sum + to_bound) == 4);
  CHECK(rounds(from_zero, sum + "bar.sync 0;" + to_bound) == 4);
  CHECK(rounds(from_zero, "red.shared.add.u32 [table], 1;" + to_bound) == 4);
  CHECK(rounds("mov.u32 %r2, 0; mov.u64 %rd2, 0;", sum + "add.s64 %rd2, %rd2, 8; setp.lt.s64 %p1, %rd2, %rd8;") == 4);
  // Those of 1000 rounds with 6 instructions ptxas unrolls wholly; here that much code is too large.
  CHECK(rounds(from_zero, sum + step + "setp.lt.u32 %p1, %r2, 1000;") == 4);
}

TEST_CASE("unrolling: other loops stay as they are") {
  CHECK(rounds(from_zero, sum + "add.u32 %r2, %r2, %r14; setp.lt.u32 %p1, %r2, %r15;") == 0);  // A step in a register.
  CHECK(rounds(from_zero, sum + "shl.b32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r15;") == 0);
  // The bound moves.
  CHECK(rounds(from_zero, sum + step + "add.u32 %r15, %r15, %r3; setp.lt.u32 %p1, %r2, %r15;") == 0);
  CHECK(rounds(from_zero, sum + "setp.lt.u32 %p1, %r3, %r15;") == 0);  // What was loaded decides.
  CHECK(rounds(from_zero, sum + "@%p2 " + to_bound) == 0);             // The counter does not always step.
  CHECK(rounds(from_zero, sum + step + "@%p2 setp.lt.u32 %p1, %r2, %r15;") == 0);
  CHECK(rounds(from_zero, sum + step + "setp.lt.and.u32 %p1, %r2, %r15, %p2;") == 0);  // Another condition.
  CHECK(rounds(from_zero, sum + "membar.gl;" + to_ten) == 0);
  // The comparison in front of the step; a branch that goes back where the comparison does not hold.
  CHECK(rounds(from_zero, sum + "setp.lt.u32 %p1, %r2, 10;" + step) == 0);
  CHECK(rounds(from_zero, sum + step + "setp.ge.u32 %p1, %r2, %r15;") == 0);
  CHECK(rounds(from_zero, sum + step + "setp.eq.u32 %p1, %r2, 10;") == 0);
  CHECK(rounds(from_zero, sum + "add.s32 %r2, %r2, -1; setp.lt.s32 %p1, %r2, %r15;") == 0);
  CHECK(rounds(from_zero, ".pragma \"nounroll\";" + sum + to_ten) == 0);
}

TEST_CASE("unrolling: how large a body may be that is unrolled four times depends on what it waits for") {
  // The largest numbers of chained additions that ptxas unrolls beside other instructions; a chain by a bisection of each.
  const auto largest = [](const std::string& others, int additions) {
    const auto body = [&](int count) {
      std::string text = others;
      for (int n = 0; n < count; ++n) text += "add.rn.f32 %f1, %f1, 0f3F800001;";
      return Unrolled(from_zero, text + to_bound, "hopper").rounds();
    };
    return body(additions) == 4 && body(additions + 1) == 0;
  };
  const auto repeated = [](int times, const std::string& access) {
    std::string text;
    for (int n = 0; n < times; ++n)
      text += access + (n == 0 ? "];" : "+" + std::to_string(512 * n) + "];") + "add.rn.f32 %f1, %f1, %f2;";
    return text;
  };
  CHECK(largest("", 18));
  CHECK(largest("bar.sync 0;", 17));
  CHECK(largest("ex2.approx.ftz.f32 %f1, %f1;", 17));
  CHECK(largest("mov.u32 %r5, %r6; mov.u32 %r6, %r2;", 18));
  CHECK(largest("st.shared.f32 [%r12], %f1;", 17));
  CHECK(largest("st.shared.f32 [%r12+4], %f1;", 16));
  CHECK(largest("st.shared.f32 [table], %f1;", 14));
  CHECK(largest("ld.const.f32 %f2, [%r12]; add.rn.f32 %f1, %f1, %f2;", 16));
  CHECK(largest("setp.gt.f32 %p2, %f1, 0f40000000; @%p2 add.rn.f32 %f1, %f1, %f3;", 15));
  CHECK(largest("setp.gt.f32 %p2, %f1, 0f40000000; selp.f32 %f1, %f2, %f1, %p2;", 16));
  CHECK(largest("add.s64 %rd5, %rd5, %rd8;", 17));
  // Reductions of 32-bit integers are made one per warp first.
  CHECK(largest("red.shared.add.u32 [%r12], %r13;", 8));
  CHECK(largest("red.global.min.s32 [%rd9], %r13;", 8));
  CHECK(largest("atom.shared.add.u32 %r4, [%r12], %r13; xor.b32 %r5, %r5, %r4;", 7));
  CHECK(largest("atom.shared.cas.b32 %r4, [%r12], %r5, %r13; xor.b32 %r5, %r5, %r4;", 16));
  CHECK(largest("red.shared.add.f32 [%r12], %f1;", 8));
  CHECK(largest(repeated(1, "ld.shared.f32 %f2, [%r12"), 21));
  CHECK(largest(repeated(4, "ld.shared.f32 %f2, [%r12"), 27));
  CHECK(largest(repeated(8, "ld.shared.f32 %f2, [%r12"), 35));
  CHECK(largest(repeated(16, "ld.shared.f32 %f2, [%r12"), 49));
  CHECK(largest(repeated(20, "ld.shared.f32 %f2, [%r12"), 37));
  CHECK(largest(repeated(32, "ld.shared.f32 %f2, [%r12"), 1));
  CHECK(largest("ld.shared.v4.f32 {%f2, %f3, %f4, %f5}, [%r12];", 22));
  CHECK(largest(repeated(1, "ld.volatile.global.f32 %f2, [%rd1"), 44));
  CHECK(largest(repeated(4, "ld.volatile.global.f32 %f2, [%rd1"), 35));
  CHECK(largest(repeated(1, "ld.f32 %f2, [%rd1"), 44));
  CHECK(largest(repeated(1, "ld.global.nc.f32 %f2, [%rd1") + repeated(1, "ld.shared.f32 %f2, [%r12"), 42));
  CHECK(largest("ld.global.nc.u32 %r3, [%rd1]; red.shared.add.u32 [%r12], %r3;", 35));
  // What calls a subroutine stays.
  CHECK(rounds(from_zero, "ld.global.f32 %f2, [%rd1]; div.rn.f32 %f1, %f1, %f2;" + to_bound) == 0);
  CHECK(rounds(from_zero, "ld.global.f32 %f2, [%rd1]; div.full.f32 %f1, %f1, %f2;" + to_bound) == 4);
}

TEST_CASE("unrolling: of rounds that are left, two stand behind each other") {
  const Unrolled loop(from_zero, sum + to_bound);
  REQUIRE(loop.program.unrolled[1].size() == 2);
  CHECK(loop.program.unrolled[1][0].code.executions == 4);
  CHECK(loop.program.unrolled[1][1].code.executions == 2);
  CHECK(loop.program.unrolled[1][0].hammocks.size() == 3);
  CHECK(Unrolled(from_zero, sum + to_ten).program.unrolled[1].size() == 1);
}

namespace {

/// Lowered as for Hopper, with everything that its compiler does.
struct Compiled {
  explicit Compiled(const std::string& body)
      : kernel(ptx::to_static_program(ptx::link(
            ptx::test::kernel(body + " st.global.f32 [%rd9], %f1; ret;", ".shared .align 4 .b8 table[4096];\n"), "k"))),
        program(machine::lower(kernel, {"hopper", ScratchpadAtomics::native, machine::Schedule::list})) {}
  std::ptrdiff_t count(const machine::Code& code, Operation operation) const {
    return std::count_if(program.instructions.begin() + code.first, program.instructions.begin() + code.end,
                         [&](const Instruction& i) { return i.operation == operation; });
  }
  program::Kernel kernel;
  machine::Program program;
};

}  // namespace

TEST_CASE("unrolling: a loop with predicated sides is one of a single block") {
  const std::string reads =
                        "ld.global.nc.u32 %r3, [%rd1]; add.s64 %rd1, %rd1, 4; setp.gt.s32 %p2, %r3, 5; @%p2 bra S; ",
                    side = "fma.rn.f32 %f1, %f1, %f1, 0f40000000; S: ",
                    bound = "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r15; @%p1 bra L;";
  const std::string begin = "mov.u32 %r2, 0; L: add.rn.f32 %f1, %f1, 0f3F800001; ";
  const Compiled loop(begin + reads + side + bound);
  REQUIRE(loop.program.unrolled[1].size() == 2);
  const machine::Path& four = loop.program.unrolled[1][0];
  // Block, side, join; and the next round between.
  CHECK(four.hammocks.size() == 4 + 3);
  // ptxas: 4 LDG, 4 + 1 ISETP, 4 FADD and 4 predicated FFMA, 1 BRA.
  CHECK(loop.count(four.code, Operation::global_load) == 4);
  CHECK(loop.count(four.code, compare) == 5);
  CHECK(loop.count(four.code, Operation::floating) == 8);
  CHECK(loop.count(four.code, branch) == 1);
  // A second exit keeps ptxas from it.
  const Compiled left(begin + "setp.gt.f32 %p2, %f1, 0f42000000; @%p2 bra S; " + bound + " S:");
  for (const auto& paths : left.program.unrolled) CHECK(paths.empty());
}

TEST_CASE("unrolling: the end of a round may stand in front of its begin, as clang places it") {
  const std::string side = "S: fma.rn.f32 %f1, %f1, %f1, 0f40000000; bra.uni J;",
                    begin = "L: ld.global.nc.u32 %r3, [%rd1]; setp.gt.s32 %p2, %r3, 5; @%p2 bra J;" + side,
                    end = "J: add.rn.f32 %f1, %f1, 0f3F800001; add.s64 %rd1, %rd1, 4; add.s32 %r2, %r2, 1;";
  const auto unrolled_of = [](const std::string& body) {
    const Compiled loop("mov.u32 %r2, 0; bra.uni L; " + body + " F:");
    std::vector<std::uint32_t> rounds;
    for (const auto& paths : loop.program.unrolled)
      for (const machine::Path& path : paths) {
        rounds.push_back(path.code.executions);
        // Of each round a load and the side; the counter is compared once.
        CHECK(loop.count(path.code, Operation::global_load) == std::ptrdiff_t{path.code.executions});
        CHECK(loop.count(path.code, Operation::floating) == 2 * std::ptrdiff_t{path.code.executions});
        CHECK(loop.count(path.code, compare) == std::ptrdiff_t{path.code.executions} + 1);
      }
    return rounds;
  };
  const std::vector<std::uint32_t> four_and_two{4, 2};
  // With a branch back, and with one out of the loop.
  CHECK(unrolled_of(end + "setp.lt.s32 %p1, %r2, %r15; @%p1 bra L; bra.uni F;" + begin) == four_and_two);
  CHECK(unrolled_of(end + "setp.ge.s32 %p1, %r2, %r15; @%p1 bra F;" + begin) == four_and_two);
}

TEST_CASE("unrolling: a loop with a branch and a barrier stays, unless the number of its rounds is constant") {
  const auto paths_of = [](const std::string& sides, const std::string& barrier, const std::string& bound = "%r15") {
    const Compiled loop(
        "ld.param.u32 %r15, [n]; mov.u32 %r2, 0; L: ld.shared.f32 %f2, [%r12]; setp.gt.f32 %p2, %f2, %f1;" + sides +
        "add.rn.f32 %f1, %f1, %f2;" + barrier + "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, " + bound +
        "; @%p1 bra L;");
    return loop.program.unrolled[1].size();
  };
  const std::string branch_around = "@%p2 bra S; fma.rn.f32 %f1, %f1, %f1, 0f40000000; S: ";
  CHECK(paths_of(branch_around, "") == 2);
  CHECK(paths_of("", "bar.sync 0;") == 2);
  CHECK(paths_of(branch_around, "bar.sync 0;") == 0);
  // ptxas: 24 loads and 24 barriers for 24 rounds.
  CHECK(paths_of(branch_around, "bar.sync 0;", "24") == 1);
}

TEST_CASE("unrolling: in front of a loop that is unrolled four times its rounds are counted") {
  const std::string body =
      "add.rn.f32 %f1, %f1, 0f3F800001; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r15; @%p1 bra L;";
  const Compiled unrolled("mov.u32 %r2, 0; L: " + body);
  const Compiled rolled("mov.u32 %r2, 0; L: .pragma \"nounroll\"; " + body);
  REQUIRE(unrolled.program.unrolled[1].size() == 2);
  REQUIRE(rolled.program.unrolled[1].empty());
  const auto size = [](const machine::Code& code) { return code.end - code.first; };
  // ptxas, on the way of a multiple of four rounds: ISETP PLOP3 BRA PLOP3 IADD3 in front, IADD3 ISETP BRA and PLOP3 BRA behind.
  CHECK(size(unrolled.program.blocks[0]) == size(rolled.program.blocks[0]) + 10);
  CHECK(unrolled.count(unrolled.program.blocks[0], branch) == rolled.count(rolled.program.blocks[0], branch) + 3);
  CHECK(size(unrolled.program.blocks[1]) == size(rolled.program.blocks[1]));
}

TEST_CASE("A branch around a jump is one branch the other way") {
  const Compiled loop(
      "mov.u32 %r2, 0; L: add.rn.f32 %f1, %f1, 0f3F800001; add.s32 %r2, %r2, 1; "
      "setp.ge.s32 %p1, %r2, %r15; @%p1 bra E; bra.uni L; E:");
  // ptxas: FADD, IADD3, ISETP, BRA; and not unrolled.
  const auto size = [&](std::size_t b) { return loop.program.blocks[b].end - loop.program.blocks[b].first; };
  CHECK(size(1) == 4);
  CHECK(size(2) == 0);
  for (const auto& paths : loop.program.unrolled) CHECK(paths.empty());
}

TEST_CASE("unrolling: a jump back behind a branch to somewhere else closes a loop") {
  const auto rounds_of = [](const std::string& comparison) {
    const Compiled loop(
        "mov.u32 %r2, 0; setp.gt.s32 %p4, %r14, 7; @%p4 bra X; L: add.rn.f32 %f1, %f1, 0f3F800001; "
        "add.s32 %r2, %r2, 1; " +
        comparison +
        "@%p1 bra E; bra.uni L; X: add.rn.f32 %f1, %f1, 0f40800000; bra.uni F; "
        "E: add.rn.f32 %f1, %f1, 0f40a00000; F:");
    if (loop.program.unrolled[1].empty()) return 0u;
    const machine::Path& most = loop.program.unrolled[1][0];
    CHECK(most.hammocks.size() == 2 * (most.code.executions - 1));
    return most.code.executions;
  };
  CHECK(rounds_of("setp.ge.s32 %p1, %r2, %r15;") == 4);
  CHECK(rounds_of("setp.eq.s32 %p1, %r2, %r15;") == 4);
  CHECK(rounds_of("setp.eq.s32 %p1, %r2, 10;") == 10);
  CHECK(rounds_of("setp.lt.s32 %p1, %r2, %r15;") == 0);  // As a negated branch has it.
}

TEST_CASE("unrolling: a jump back in front of its way out closes one where the kernel's blocks have another order") {
  // The loops of ptxas 13.0 for the same texts: 1 and 4 rounds.
  const auto rounds_of = [](const std::string& before, const std::string& behind) {
    const Compiled loop(before +
                        "L: add.rn.f32 %f1, %f1, 0f3F800001; add.s32 %r2, %r2, 1; setp.eq.s32 %p1, %r2, %r15;"
                        "@%p1 bra E; bra.uni L; E: mul.rn.f32 %f1, %f1, %f1;" +
                        behind);
    std::uint32_t most = 0;
    for (const auto& paths : loop.program.unrolled)
      if (!paths.empty()) most = paths[0].code.executions;
    return most;
  };
  const std::string end = "st.global.f32 [%rd1], %f1;";
  CHECK(rounds_of("mov.u32 %r2, 0;", end) == 0);
  CHECK(rounds_of("mov.u32 %r2, 0;", end + "ret; D: bra.uni E;") == 0);  // From where nothing goes.
  CHECK(rounds_of("mov.u32 %r2, 0; bra.uni H; X: " + end + "ret; H:", "bra.uni X;") == 4);
  // A loop around it whose rounds begin in the middle.
  CHECK(rounds_of(
            "mov.u32 %r6, 0; bra.uni H; X: add.rn.f32 %f1, %f1, %f1; add.s32 %r6, %r6, 1; setp.eq.s32 %p2, %r6, %r14;"
            "@%p2 bra Y; H: .pragma \"nounroll\"; mov.u32 %r2, 0;",
            "bra.uni X; Y:" + end) == 4);
  // Somewhere else in the kernel.
  CHECK(rounds_of(
            "mov.u32 %r6, 0; bra.uni H; X: add.rn.f32 %f1, %f1, %f1; add.s32 %r6, %r6, 1; setp.eq.s32 %p2, %r6, %r14;"
            "@%p2 bra Y; H: .pragma \"nounroll\"; mul.rn.f32 %f1, %f1, %f1; bra.uni X; Y: mov.u32 %r2, 0;",
            end) == 4);
}

TEST_CASE("unrolling: in front of a loop of four rounds comparisons say one after the other which rounds there are") {
  const auto counting = [](const std::string& begin, const std::string& test) {
    const Compiled loop(begin + " L: " + sum + step + test + "@%p1 bra L;");
    const machine::Code& before = loop.program.blocks[0];
    std::string text;
    for (std::uint32_t n = before.first; n < before.end; ++n) {
      const Instruction& i = loop.program.instructions[n];
      if (i.operation == Operation::compare) text += "compare ";
      if (i.operation != Operation::branch) continue;
      if (i.guard == Instruction::no_guard) {
        text += "meet ";
        continue;
      }
      // Each awaits the comparison in front of it.
      std::uint32_t by = n;
      while (loop.program.instructions[--by].destination_count == 0 ||
             loop.program.instructions[by].destinations[0] != i.guard) {
      }
      CHECK(loop.program.instructions[by].operation == Operation::compare);
      text += i.skips ? "skip " : "branch ";
    }
    return text;
  };
  const std::string equal = "setp.ne.s32 %p1, %r2, %r15;", below = "setp.lt.s32 %p1, %r2, %r15;";
  CHECK(counting(from_zero, below) == "compare branch compare skip compare skip ");
  CHECK(counting(from_zero, equal) == "compare branch compare branch compare skip compare skip ");
  // Lanes meet behind the four rounds.
  CHECK(counting("mov.u32 %r2, %tid.x;", below) == "compare branch meet compare skip compare skip ");
}

TEST_CASE("unrolling: counter, comparison and branch are there once, and an address that only steps costs nothing") {
  const std::string walk = sum + "add.s64 %rd1, %rd1, 4;";
  CHECK(Unrolled(from_zero, walk + to_bound).operations() ==
        Operations{load, add, load, add, load, add, load, add, add, add, add, compare, branch});
  const std::vector<Instruction> code = Unrolled(from_zero, walk + to_bound).code();
  for (const std::size_t n : {2, 4, 6}) CHECK(code[n].sources[0] == code[0].sources[0]);  // The same base.
  // Not when its value is needed, as here for a store: the address is added in every round.
  const std::string kept = sum + "st.shared.u64 [table], %rd1; add.s64 %rd1, %rd1, 4;";
  const Operations all = Unrolled(from_zero, kept + to_bound).operations();
  CHECK(std::count(all.begin(), all.end(), add) == 4 * (1 + 2) + 1);
}

TEST_CASE("unrolling: a counter that the body reads is added up in every round, each time from the value in front") {
  // ptxas: x + 1, x + 2 and x + 3 are additions of their own, none waits for another.
  const Unrolled loop(from_zero, "mul.lo.u32 %r1, %r1, %r2;" + to_bound);
  CHECK(loop.operations() == Operations{multiply, add, multiply, add, multiply, add, multiply, add, compare, branch});
  const std::vector<Instruction> code = loop.code();
  const std::uint16_t counter = code[1].sources[0];
  CHECK(code[0].sources[1] == counter);
  for (const std::size_t n : {1, 3, 5, 7}) {
    CHECK(code[n].sources[0] == counter);
    if (n != 7) CHECK(code[n + 1].sources[1] == code[n].destinations[0]);
  }
  CHECK(std::set<std::uint16_t>{code[1].destinations[0], code[3].destinations[0], code[5].destinations[0],
                                code[7].destinations[0]}
            .size() == 4);
  CHECK(code[7].destinations[0] == counter);  // For the next rounds, and what comes behind the loop.
  CHECK(code[8].sources[0] == counter);
  // Behind the step it is the round's own value.
  const std::vector<Instruction> late = Unrolled(from_zero, step +
                                                                "mul.lo.u32 %r1, %r1, %r2;"
                                                                "setp.lt.u32 %p1, %r2, %r15;")
                                            .code();
  CHECK(late[1].sources[1] == late[0].destinations[0]);
  CHECK(late[2].sources[0] == late[0].sources[0]);
  // Of a constant number of rounds, its values are constants.
  CHECK(Unrolled(from_zero, "mul.lo.u32 %r1, %r1, %r2; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3;").operations() ==
        Operations{multiply, multiply, multiply, add, compare, branch});
}

TEST_CASE("unrolling: a comparison that also guards something is there in every round") {
  const Operations all =
      Unrolled(from_zero, step + "setp.lt.u32 %p1, %r2, %r15; @%p1 add.u32 %r1, %r1, 7;").operations();
  CHECK(std::count(all.begin(), all.end(), compare) == 4);
  CHECK(std::count(all.begin(), all.end(), branch) == 1);
}

TEST_CASE("unrolling: results of rounds have names of their own, each value of an accumulator too, in a chain") {
  const Unrolled loop(from_zero, sum + to_bound);
  const std::vector<Instruction> code = loop.code();
  std::set<std::uint16_t> loaded, totals;
  std::uint16_t before = code[7].destinations[0];
  for (std::size_t round = 0; round < 4; ++round) {
    const Instruction &value = code[2 * round], &total = code[2 * round + 1];
    loaded.insert(value.destinations[0]);
    totals.insert(total.destinations[0]);
    CHECK(total.sources[0] == before);
    before = total.destinations[0];
    CHECK(total.sources[1] == value.destinations[0]);
    CHECK(value.access_entry == round);
  }
  CHECK(loaded.size() == 4);
  CHECK(totals.size() == 4);
  // Those of the last round are the program's: somebody may read them behind the loop.
  const Instruction& single = loop.program.instructions[loop.program.blocks[1].first];
  CHECK(code[6].destinations[0] == single.destinations[0]);
  CHECK(loop.most().access_entries == 4);
}

TEST_CASE("unrolling: rounds that need many registers at once take turns with them") {
  // Loads in front of the first use in the code of ptxas: 4 rounds of 2 doubles, 2 rounds of 4, 1 of 8: 16 words.
  const auto sets_of_loads = [](std::uint32_t loads) {
    std::string body, total;
    for (std::uint32_t n = 0; n < loads; ++n) {
      const std::string value = "%fd" + std::to_string(10 + n);
      body += "ld.global.nc.f64 " + value + ", [%rd1+" + std::to_string(512 * n) + "];";
      total += "fma.rn.f64 %fd1, %fd1, " + value + ", %fd1;";
    }
    const Unrolled loop(from_zero, body + total + "add.s64 %rd1, %rd1, 8;" + to_bound);
    std::set<std::uint16_t> names;
    for (const Instruction& i : loop.code())
      if (i.operation == load) names.insert(i.destinations[0]);
    return names.size() / loads;
  };
  CHECK(sets_of_loads(2) == 4);
  CHECK(sets_of_loads(4) == 2 + 1);  // The last round has the program's own.
  CHECK(sets_of_loads(8) == 1 + 1);
}

TEST_CASE("unrolling: names have the bits of what they stand for") {
  const Unrolled loop(from_zero,
                      "ld.global.u64 %rd3, [%rd1]; setp.eq.s64 %p2, %rd3, 0; @%p2 add.u32 %r1, %r1, 1;" + to_bound);
  for (const Instruction& i : loop.code()) {
    if (i.operation == load) CHECK(loop.program.register_bits.at(i.destinations[0]) == 64);
    if (i.guard != Instruction::no_guard) CHECK(loop.program.register_bits.at(i.guard) == 1);
  }
}

TEST_CASE("unrolling: what is written under a guard keeps the value of the round before") {
  // Of several operations (three XMAD), the last one writes it.
  for (const char* set : {"volta", "maxwell"}) {
    CAPTURE(set);
    const Unrolled loop(
        from_zero, "setp.eq.u32 %p2, %r14, %r15; @%p2 mul.lo.u32 %r3, %r13, %r12; add.u32 %r1, %r1, %r3;" + to_bound,
        set);
    const std::uint32_t guarded = loop.kernel.blocks[1].first + 1;
    REQUIRE(loop.kernel.instructions[guarded].guard != program::no_register);
    const std::vector<Instruction> code = loop.code();
    std::set<std::uint16_t> written;
    for (std::size_t n = 0; n + 1 < code.size(); ++n)
      if (code[n].static_index == guarded && code[n + 1].static_index != guarded)
        written.insert(code[n].destinations[0]);
    CHECK(written ==
          std::set<std::uint16_t>{static_cast<std::uint16_t>(loop.kernel.instructions[guarded].destinations[0])});
    for (const Instruction& i : code)
      if (i.guard != Instruction::no_guard) CHECK(std::count(i.sources, i.sources + i.source_count, i.guard) == 1);
  }
}

TEST_CASE("unrolling: loops around an atomic go back to their own copy") {
  for (const bool locks : {true, false}) {
    CAPTURE(locks);
    const Unrolled loop =
        locks ? Unrolled(from_zero, "red.shared.add.u32 [table], 1;" + to_ten, "fermi", ScratchpadAtomics::lock_loop)
              : Unrolled(from_zero, "red.shared.add.f32 [table], 0f3F800000;" + to_ten);
    REQUIRE(loop.rounds() == 10);
    const auto& all = loop.program.instructions;
    std::size_t branches = 0;
    for (std::uint32_t n = loop.most().first; n < loop.most().end; ++n) {
      if (all[n].operation != Operation::branch || !(all[n].closes_lock_loop || all[n].cas_loop)) continue;
      ++branches;
      CHECK(all[n].loop_start > loop.most().first - 1);
      CHECK(all[n].loop_start < n);
      CHECK(all[all[n].loop_start].takes_access);
      CHECK(all[all[n].loop_start].static_index == all[n].static_index);
      CHECK(all[all[n].loop_start].access_entry + 1 == branches);
    }
    CHECK(branches == 10);
  }
}

TEST_CASE("unrolling: loops use the same names, and none when there are no more") {
  const auto kernel_with = [](std::size_t registers) {
    program::Kernel kernel =
        ptx::to_static_program(ptx::link(ptx::test::kernel("mov.u32 %r2, 0; L: " + sum + to_bound +
                                                           "@%p1 bra L; M: " + sum + to_bound + "@%p1 bra M; ret;"),
                                         "k"));
    kernel.register_bits.resize(registers, 32);
    return kernel;
  };
  const program::Kernel small = kernel_with(200);
  const auto lowered = [](const program::Kernel& kernel) {
    return machine::lower(kernel, {"volta", ScratchpadAtomics::native, machine::Schedule::list});
  };
  const machine::Program in_order = machine::lower(small, {"volta", ScratchpadAtomics::native});
  const machine::Program both = lowered(small);
  CHECK(std::count_if(both.unrolled.begin(), both.unrolled.end(), [](auto& c) { return c.size() == 2; }) == 2);
  // What is loaded and the sum, in three rounds; a comparison and the number of rounds that are left.
  CHECK(both.register_bits.size() == in_order.register_bits.size() + 3 + 3 + 2);
  const program::Kernel large = kernel_with(200 + 0xffff - in_order.register_bits.size());
  const machine::Program none = lowered(large);
  CHECK(std::count_if(none.unrolled.begin(), none.unrolled.end(), [](auto& c) { return !c.empty(); }) == 0);
}

}  // namespace lockstep::unrolling_test
