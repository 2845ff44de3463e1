// Which branches become predicates, and the code without them. The limits are those of ptxas 13.0 for sm_90 on the kernels
// below, whose sides have so many machine instructions.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/kernel_files.hpp"
#include "tests/unit/isa/machine/newer_kernels.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::if_conversion_test {

using machine::Instruction;
using machine::Operation;
using machine::Schedule;
using machine::ScratchpadAtomics;

namespace {

const std::string divergent = "mov.u32 %r9, %tid.x; setp.ge.u32 %p1, %r9, 7;",
                  uniform = "mov.u32 %r9, %ctaid.x; setp.ge.u32 %p1, %r9, 7;";
const std::string left = " xor.b32 %r3, %r1, %r2; st.global.u32 [%rd2], %r3; ret;";

std::string chain(int length) {
  std::string text;
  for (int n = 0; n < length; ++n) text += "mad.lo.u32 %r1, %r1, %r1, " + std::to_string(n + 3) + ";";
  return text;
}

struct Lowered {
  explicit Lowered(const std::string& body, const std::string& instruction_set = "volta")
      : kernel(ptx::to_static_program(ptx::link(ptx::test::kernel(body), "k"))),
        program(machine::lower(kernel, {instruction_set, ScratchpadAtomics::native, Schedule::list})) {}
  bool predicated(std::size_t block = 0) const {
    return block < program.predicated.size() && program.predicated[block].code.executions != 0;
  }
  std::vector<Instruction> code(const machine::Code& of) const {
    return {program.instructions.begin() + of.first, program.instructions.begin() + of.end};
  }
  /// Instructions of the basic block, without a branch at its end.
  std::size_t size(std::size_t block) const { return program.blocks[block].end - program.blocks[block].first; }
  program::Kernel kernel;
  machine::Program program;
};

bool if_then(const std::string& condition, const std::string& side) {
  return Lowered(condition + "@%p1 bra J; " + side + " J:" + left).predicated();
}
bool if_else(const std::string& condition, const std::string& then, const std::string& otherwise) {
  return Lowered(condition + "@%p1 bra E; " + then + " bra J; E: " + otherwise + " J:" + left).predicated();
}

}  // namespace

TEST_CASE("A branch to the end of the kernel is an exit, not a predicate of what it leads over") {
  // ptxas: @P0 EXIT, STG, EXIT; and so for one store or many instructions.
  const Lowered guard(divergent + "@%p1 bra E; st.global.u32 [%rd2], %r3; E: ret;");
  CHECK_FALSE(guard.predicated());
  CHECK(guard.size(1) + guard.size(2) == 2);
  CHECK_FALSE(Lowered(uniform + "@%p1 bra E; st.global.u32 [%rd2], %r3; E: ret;").predicated());
  // With two sides each is predicated: @!P0 STG, @!P0 EXIT, STG, EXIT.
  CHECK(Lowered(divergent + "@%p1 bra E; st.global.u32 [%rd2], %r3; bra F; E: st.global.u32 [%rd3], %r3; F: ret;")
            .predicated());
}

TEST_CASE("A side of eight instructions is predicated, one of nine is not") {
  CHECK(if_then(divergent, chain(1)));
  CHECK(if_then(divergent, chain(8)));
  CHECK_FALSE(if_then(divergent, chain(9)));
  // Of two sides the first has the jump over the second.
  CHECK(if_else(divergent, chain(7), chain(8)));
  CHECK_FALSE(if_else(divergent, chain(8), chain(7)));
  CHECK_FALSE(if_else(divergent, chain(1), chain(9)));
}

TEST_CASE(
    "A side that loads from global memory is predicated up to 20 instructions, one from the scratchpad up to eight") {
  CHECK(if_then(divergent, "ld.global.u32 %r1, [%rd1];" + chain(18)));
  CHECK_FALSE(if_then(divergent, "ld.global.u32 %r1, [%rd1];" + chain(20)));
  CHECK(if_then(divergent, "ld.shared.u32 %r1, [%r10];" + chain(7)));
  CHECK_FALSE(if_then(divergent, "ld.shared.u32 %r1, [%r10];" + chain(8)));
}

TEST_CASE(
    "With five words of loads in flight in front of the branch a side may have 20 instructions, with four eight") {
  const auto in_flight = [](int words, const std::string& behind, int length) {
    std::string text = divergent, stores;
    for (int n = 0; n < words; ++n) {
      const std::string f = "%f" + std::to_string(n + 1);
      text += "ld.global.f32 " + f + ", [%rd1+" + std::to_string(64 * n) + "];";
      stores += "st.global.f32 [%rd2+" + std::to_string(64 * n) + "], " + f + ";";
    }
    return Lowered(text + behind + "@%p1 bra J; " + chain(length) + " J:" + stores + left).predicated();
  };
  CHECK(in_flight(4, "", 8));
  CHECK_FALSE(in_flight(4, "", 9));
  CHECK(in_flight(5, "", 20));
  CHECK_FALSE(in_flight(5, "", 21));
  // Those in front of a barrier or a store to global memory, and those that the condition awaits, do not count.
  CHECK_FALSE(in_flight(5, "bar.sync 0;", 9));
  CHECK_FALSE(in_flight(5, "st.global.u32 [%rd3], %r9;", 9));
  CHECK(in_flight(5, "st.shared.u32 [%r10], %r9;", 9));
  CHECK_FALSE(in_flight(5, "setp.gt.f32 %p1, %f1, %f2;", 9));
}

TEST_CASE(
    "A side's copies of registers and, where it is the only one, its jump count nothing, guards of its own one more") {
  CHECK(if_then(divergent, chain(8) + "mov.u32 %r2, %r9; mov.u32 %r3, %r9;"));
  const std::string other = divergent + "ld.shared.u32 %r2, [%r10];";
  CHECK(if_then(other, chain(7) + "mov.u32 %r2, 5;"));
  CHECK_FALSE(if_then(other, chain(8) + "mov.u32 %r2, 5;"));
  // Behind the end of the kernel, with a jump back.
  const auto aside = [](int length) {
    return Lowered(divergent + "@%p1 bra A; J:" + left + " A: " + chain(length) + "bra.uni J;").predicated();
  };
  CHECK(aside(8));
  CHECK_FALSE(aside(9));
  // ptxas: FSETP, PLOP3, FMUL, MUFU.EX2, FMUL are five of the eight.
  const auto with_exponential = [](int length, const std::string& flush) {
    const std::string text =
        divergent + "@%p1 bra J; " + chain(length) + "ex2.approx" + flush + ".f32 %f1, %f1; J:" + left;
    return Lowered(text, "hopper").predicated();
  };
  CHECK(with_exponential(3, ""));
  CHECK_FALSE(with_exponential(4, ""));
  CHECK(with_exponential(7, ".ftz"));
  CHECK_FALSE(with_exponential(8, ".ftz"));
}

TEST_CASE("A branch that all threads of a block take alike is predicated up to six instructions") {
  CHECK(if_then(uniform, chain(6)));
  CHECK_FALSE(if_then(uniform, chain(7)));
  CHECK(if_else(uniform, chain(5), chain(6)));
  CHECK_FALSE(if_else(uniform, chain(6), chain(6)));
}

TEST_CASE("What a divergent branch or memory decides is not uniform") {
  const std::string seven = chain(7);
  const std::string tested = "setp.ge.u32 %p1, %r8, 7;";
  CHECK(if_then("mov.u32 %r9, %tid.x; cvt.u64.u32 %rd1, %r9; ld.global.u32 %r8, [%rd1];" + tested, seven));
  CHECK(if_then("atom.global.exch.b32 %r8, [%rd1], 5;" + tested, seven));
  // What all read at one address is.
  CHECK_FALSE(if_then("ld.global.u32 %r8, [%rd1];" + tested, seven));
  CHECK_FALSE(if_then("ld.param.u32 %r8, [n];" + tested, seven));
  // One of two ways, by thread, wrote it; or by thread block.
  const std::string either = "setp.ge.u32 %p2, %r9, 7; mov.u32 %r8, 1; @%p2 bra T; mov.u32 %r8, 2; T: ";
  const auto outer = [&](const std::string& of) {
    const Lowered x("mov.u32 %r9, " + of + ";" + either + tested + "@%p1 bra J; " + seven + " J:" + left);
    return x.predicated(2) || x.program.predicated.at(0).hammocks.size() == 2;
  };
  CHECK(outer("%tid.x"));
  CHECK_FALSE(outer("%ctaid.x"));
}

TEST_CASE("Atomics, exchanges, barriers, calls of the clock and inner branches keep their branch") {
  CHECK_FALSE(if_then(divergent, "atom.global.add.u32 %r1, [%rd1], 1;"));
  CHECK_FALSE(if_then(divergent, "red.shared.add.u32 [%r10], 1;"));
  CHECK_FALSE(if_then(divergent, "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;"));
  CHECK_FALSE(if_then(divergent, "mov.u32 %r1, %clock;"));
  const Lowered nested(divergent +
                       "@%p1 bra J; mov.u32 %r4, %r1; setp.gt.u32 %p2, %r9, 9; @%p2 bra I; add.u32 %r1, %r1, 1; I: "
                       "add.u32 %r2, %r2, %r4; J:" +
                       left);
  CHECK_FALSE(nested.predicated(0));
  CHECK(nested.predicated(1));
}

TEST_CASE(
    "Behind a branch of the same round of a loop, a load from global memory in place of a literal keeps its branch") {
  const auto inner_of_loop = [](const std::string& outer, const std::string& otherwise, const std::string& then) {
    // Blocks: in front, loop, (side,) inner branch, its side.
    const Lowered x(
        "mov.u32 %r9, %tid.x; bra.uni L; L: setp.gt.u32 %p2, %r9, %r5; " + outer + otherwise +
        "setp.gt.u32 %p3, %r9, %r6; @%p3 bra I; " + then +
        " I: st.shared.f32 [%r7], %f1; mad.lo.u32 %r7, %r7, 4, %r8; mad.lo.u32 %r7, %r7, 8, %r8; mad.lo.u32 %r7, %r7, "
        "16, %r8; mad.lo.u32 %r7, %r7, 32, %r8; mad.lo.u32 %r7, %r7, 64, %r8; J: add.u32 %r5, %r5, 1; "
        "setp.lt.u32 %p4, %r5, %r4; @%p4 bra L; " +
        left);
    return x.predicated(outer.empty() ? 1 : 2);
  };
  const std::string branch = "@%p2 bra J; ", zero = "mov.f32 %f1, 0f00000000; ", load = "ld.global.f32 %f1, [%rd1];";
  // ptxas: BSSY B1; MOV R24, RZ; @!P1 BRA; LDG.E R24; BSYNC B1.
  CHECK_FALSE(inner_of_loop(branch, zero, load));
  CHECK(inner_of_loop("", zero, load));  // All lanes of a round come there: @P0 MOV, @!P0 LDG.
  CHECK(inner_of_loop(branch, zero, "ld.shared.f32 %f1, [%r3];"));  // @P0 LDS.
  CHECK(inner_of_loop(branch, zero, "mul.f32 %f1, %f2, %f2;"));
  CHECK(inner_of_loop(branch, "ld.global.f32 %f1, [%rd2]; ", load));  // @P0 LDG behind LDG.
}

TEST_CASE("Path code has no branch, guards what its sides do, and numbers all their accesses") {
  const Lowered x(
      divergent +
      "ld.shared.u32 %r7, [%r10]; @%p1 bra J; ld.global.u32 %r1, [%rd1]; J: st.global.u32 [%rd2], %r1; ret;");
  REQUIRE(x.predicated());
  const machine::Path& predicated = x.program.predicated[0];
  REQUIRE(predicated.hammocks.size() == 1);
  CHECK(predicated.hammocks[0].sides == std::vector<std::uint32_t>{1});
  CHECK(predicated.hammocks[0].join == 2);
  CHECK(predicated.code.access_entries == 3);
  std::vector<std::uint32_t> entries;
  for (const Instruction& i : x.code(predicated.code)) {
    CHECK(i.operation != Operation::branch);
    if (i.takes_access) entries.push_back(i.access_entry);
    if (i.operation == Operation::global_load) {
      CHECK(i.guard != Instruction::no_guard);
      CHECK(std::count(i.sources, i.sources + i.source_count, i.guard) == 1);
    } else if (i.operation == Operation::global_store) {
      CHECK(i.guard == Instruction::no_guard);
    }
  }
  std::sort(entries.begin(), entries.end());
  CHECK(entries == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("Branches one behind the other are one piece of code, whose loads go ahead of it all") {
  const Lowered x(
      divergent +
      "setp.lt.u32 %p2, %r9, 30; @%p1 bra A; ld.global.u32 %r4, [%rd1]; add.u32 %r1, %r1, %r4; A: @%p2 bra B; "
      "ld.global.u32 %r5, [%rd2]; add.u32 %r1, %r1, %r5; B:" +
      left);
  REQUIRE(x.predicated());
  CHECK(x.program.predicated[0].hammocks.size() == 2);
  CHECK_FALSE(x.predicated(2));  // Only the first one leads there.
  std::vector<Operation> order;
  for (const Instruction& i : x.code(x.program.predicated[0].code)) order.push_back(i.operation);
  const auto second_load =
      std::find(std::find(order.begin(), order.end(), Operation::global_load) + 1, order.end(), Operation::global_load);
  CHECK(second_load != order.end());
  CHECK(std::count(order.begin(), second_load, Operation::integer) <= 1);  // Neither sum stands before it.
}

TEST_CASE("A divergent branch that stays registers its lanes and waits for them, a uniform one does not") {
  const auto sizes = [](const std::string& condition, const std::string& behind) {
    const Lowered x(condition + "@%p1 bra J; " + chain(12) + " J:" + behind);
    REQUIRE_FALSE(x.predicated());
    return std::array{x.size(0), x.size(2)};
  };
  const auto with = sizes(divergent, left), without = sizes(uniform, left);
  CHECK(with[0] == without[0] + 1);
  CHECK(with[1] == without[1] + 1);
  // Nothing is waited for where the lanes only exit.
  CHECK(sizes(divergent, " ret;")[0] == sizes(uniform, " ret;")[0]);
}

// `if (a) { ...; if (b) { ...; if (c) ... } }`, all to one place: one BSSY and one BSYNC in the code of ptxas 13.0 for sm_90.
TEST_CASE("Branches of which one leads to the others register their lanes once where they meet in one place") {
  const auto sizes = [](const std::string& condition, const std::string& second_target) {
    const Lowered x(condition + "@%p1 bra J; " + chain(12) + "@!%p1 bra " + second_target + "; " + chain(12) +
                    " I: " + chain(1) + " J:" + left);
    std::size_t all = 0;
    for (std::size_t b = 0; b < x.program.blocks.size(); ++b) all += x.size(b);
    return all;
  };
  CHECK(sizes(divergent, "J") == sizes(uniform, "J") + 2);
  CHECK(sizes(divergent, "I") == sizes(uniform, "I") + 4);  // The inner ones meet elsewhere.
}

TEST_CASE("Lanes that leave a loop one after the other are registered before it, once for all ways to one place") {
  const auto sizes = [](const std::string& condition, const std::string& second_exit) {
    const Lowered x("mov.u32 %r1, 0;" + condition + "bra.uni L; L: " + chain(2) + second_exit +
                    "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %r9; @%p2 bra L; J:" + left);
    std::vector<std::size_t> all;
    for (std::size_t b = 0; b < x.program.blocks.size(); ++b) all.push_back(x.size(b));
    return all;
  };
  for (const std::string exit : {"", "setp.eq.u32 %p3, %r1, %r9; @%p3 bra J;"}) {
    CAPTURE(exit);
    const auto with = sizes(divergent, exit), without = sizes(uniform, exit);
    REQUIRE(with.size() == without.size());
    CHECK(with.front() == without.front() + 1);
    CHECK(with.back() == without.back() + 1);
    for (std::size_t b = 1; b + 1 < with.size(); ++b) CHECK(with[b] == without[b]);
  }
}

TEST_CASE("A branch around a loop and the loop's own end register their lanes once") {
  const auto size = [](const std::string& condition) {
    const Lowered x("mov.u32 %r1, 0;" + condition + "@%p1 bra J; L: " + chain(9) +
                    "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %r9; @%p2 bra L; J:" + left);
    return x.size(0) + x.size(1) + x.size(2);
  };
  CHECK(size(divergent) == size(uniform) + 2);
}

TEST_CASE("A jump to the next basic block is none, and an if that clang writes as two branches is one") {
  const Lowered x(divergent + "@!%p1 bra J; bra.uni T; T: " + chain(3) + " J:" + left);
  CHECK(x.size(1) == 0);
  REQUIRE(x.predicated());
  CHECK(x.program.predicated[0].hammocks[0].sides == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("Nothing is predicated in program order, or where the trace does not say where branches go") {
  program::Kernel kernel =
      ptx::to_static_program(ptx::link(ptx::test::kernel(divergent + "@%p1 bra J; " + chain(3) + " J:" + left), "k"));
  CHECK(machine::lower(kernel, {"volta", ScratchpadAtomics::native, Schedule::program_order}).predicated.empty());
  for (program::StaticBlock& block : kernel.blocks) block.successors.clear();
  CHECK(machine::lower(kernel, {"volta", ScratchpadAtomics::native, Schedule::list}).predicated.empty());
}

namespace {

std::size_t check_entries_of_predicated_code(const std::vector<std::string>& files) {
  std::size_t pieces = 0;
  for (const std::string& file : files) {
    const ptx::Module module = ptx::parse_file(file);
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      CAPTURE(file, function.name);
      const program::Kernel kernel = ptx::to_static_program(ptx::link(module, function.name));
      const std::string set = test::needs_hopper(kernel) ? "hopper" : "volta";
      const machine::Program program = machine::lower(kernel, {set, ScratchpadAtomics::native, Schedule::list});
      for (std::size_t b = 0; b < program.predicated.size(); ++b) {
        const machine::Path& one = program.predicated[b];
        if (one.code.executions == 0) continue;
        ++pieces;
        std::size_t entries = program.blocks[b].access_entries;
        for (const machine::Hammock& hammock : one.hammocks) {
          entries += program.blocks[hammock.join].access_entries;
          for (const std::uint32_t side : hammock.sides) entries += program.blocks[side].access_entries;
        }
        CHECK(one.code.access_entries == entries);
        std::vector<unsigned> taken(entries);
        for (std::uint32_t n = one.code.first; n < one.code.end; ++n)
          if (program.instructions[n].takes_access) ++taken.at(program.instructions[n].access_entry);
        CHECK(std::all_of(taken.begin(), taken.end(), [](unsigned times) { return times <= 1; }));
      }
    }
  }
  return pieces;
}

}  // namespace

TEST_CASE("On kernels of all kinds predicated code takes each entry of its blocks once, or as part of a wider access") {
  CHECK(check_entries_of_predicated_code(test::kernel_files(16)) > 0);
}

TEST_CASE("On every kernel predicated code takes each entry of its blocks once, or as part of a wider access",
          "[long]") {
  CHECK(check_entries_of_predicated_code(test::kernel_files(1)) > 20);
}

}  // namespace lockstep::if_conversion_test
