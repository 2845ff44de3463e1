// What a compiler makes of PTX on each generation, against sequences reasoned from the instruction sets.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "tests/places.hpp"
#include "tests/unit/isa/kernel_files.hpp"
#include "tests/unit/isa/machine/issued.hpp"
#include "tests/unit/isa/machine/newer_kernels.hpp"

namespace lockstep::selection_test {

using namespace lockstep::machine::test;
using machine::Operation;
using machine::ScratchpadAtomics;

namespace {

const std::string element =
    "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;"
    "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd4], %r2;";
const std::string word =
    "mov.u32 %r1, %tid.x; mov.u64 %rd1, table; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
    "ld.shared.u32 %r2, [%rd3]; st.shared.u32 [%rd3], %r2;";

std::size_t takers(const machine::Program& program) {
  std::size_t entries = 0;
  for (const auto& i : program.instructions) entries += machine::access_entries(i);
  return entries;
}

}  // namespace

TEST_CASE("The address of an array element in global memory takes what the instruction set needs for it") {
  CHECK(issued(element, "volta") == Operations{special, multiply, load, store});             // IMAD.WIDE
  CHECK(issued(element, "maxwell") == Operations{special, add, add, load, store});           // LEA, LEA.HI.X
  CHECK(issued(element, "kepler") == Operations{special, multiply, multiply, load, store});  // IMAD, IMAD.HI.X
  CHECK(issued(element, "fermi") == Operations{special, multiply, multiply, load, store});
}

TEST_CASE("Addresses of the scratchpad have 32 bits, the variable's own address is an offset") {
  CHECK(issued(word, "volta") == Operations{special, lds, sts});  // LDS [R.X4 + offset]
  for (const char* set : {"maxwell", "kepler", "fermi", "tesla"}) {
    CAPTURE(set);
    CHECK(issued(word, set) == Operations{special, shift, lds, sts});
  }
}

TEST_CASE(
    "Addresses of constant memory have 32 bits too, the variable's own address is an offset: LDC c[3][R + offset]") {
  const std::string from_table =
      "mov.u32 %r1, %tid.x; mov.u64 %rd1, fixed; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
      "ld.const.u32 %r2, [%rd3]; st.shared.u32 [table], %r2;";
  for (const char* set : {"volta", "maxwell", "kepler", "fermi"}) {
    CAPTURE(set);
    CHECK(issued(from_table, set) == Operations{special, shift, Operation::constant_load, sts});
  }
  const Operations hopper = issued(from_table, "hopper");  // A prologue comes first.
  REQUIRE(hopper.size() > 4);
  CHECK(Operations(hopper.end() - 4, hopper.end()) == Operations{special, shift, Operation::constant_load, sts});
}

TEST_CASE("A literal that is added to an address is the access's offset") {
  const std::string body =
      "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; add.s64 %rd2, %rd1, 16; ld.global.u32 %r2, [%rd2];"
      "st.global.u32 [%rd1], %r2;";
  CHECK(issued(body, "volta") == Operations{special, load, store});
  CHECK(issued(body, "tesla") == Operations{special, add, add, load, store});  // No offsets in global memory.
  // Not when something else needs the sum.
  CHECK(issued(body + "add.s64 %rd3, %rd2, %rd1; st.global.u64 [%rd2], %rd3;", "volta").size() == 3 + 2 + 2 + 1);
}

TEST_CASE("Lanes and masks of exchanges are literals, also where a register holds them; what is exchanged is not") {
  const std::string masks = "mov.u32 %r1, %tid.x; mov.u32 %r2, -1; mov.u32 %r3, 1; mov.u32 %r4, 31;";
  const Operations shuffle =
      issued(masks + "shfl.sync.down.b32 %r5, %r1, %r3, %r4, %r2; st.shared.u32 [table], %r5;", "volta");
  CHECK(shuffle ==
        issued("mov.u32 %r1, %tid.x; shfl.sync.down.b32 %r5, %r1, 1, 31, -1; st.shared.u32 [table], %r5;", "volta"));
  const std::string lane_zero = "mov.u32 %r3, 5; shfl.sync.idx.b32 %r5, %r3, 0, 31, -1; st.shared.u32 [table], %r5;";
  CHECK(issued(lane_zero, "volta").size() == 3);
  const std::string vote = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7;";
  CHECK(issued(vote + "mov.u32 %r2, -1; vote.sync.ballot.b32 %r5, %p1, %r2; st.shared.u32 [table], %r5;", "volta") ==
        issued(vote + "vote.sync.ballot.b32 %r5, %p1, -1; st.shared.u32 [table], %r5;", "volta"));
}

TEST_CASE("A negated predicate takes no instruction") {
  // ISETP, ISETP.EQ.XOR and the predicated store of ptxas for sm_90.
  const std::string both =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; setp.eq.u32 %p1, %r1, 1; setp.gt.u32 %p2, %r1, %r2; xor.pred %p3, "
      "%p1, %p2;";
  CHECK(issued(both + "not.pred %p4, %p3; @%p4 st.shared.u32 [table], %r1;", "hopper") ==
        issued(both + "@!%p3 st.shared.u32 [table], %r1;", "hopper"));
}

TEST_CASE("Pairs become the generation's fused operation, and only pairs whose link nothing else reads") {
  const std::string sum = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mul.lo.s32 %r3, %r1, %r2; add.s32 %r4, %r3, %r1;";
  const std::string use = "st.global.u32 [%rd9], %r4;";
  CHECK(issued(sum + use, "fermi") == Operations{special, special, multiply, store});
  CHECK(issued(sum + use, "maxwell") == Operations{special, special, multiply, multiply, multiply, store});
  CHECK(issued(sum + use + "st.global.u32 [%rd9+4], %r3;", "fermi") ==
        Operations{special, special, multiply, add, store, store});

  const std::string three = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.s32 %r3, %r1, %r2; add.s32 %r4, %r3, %r1;";
  CHECK(issued(three + use, "volta") == Operations{special, special, add, store});
  CHECK(issued(three + use, "kepler") == Operations{special, special, add, add, store});

  const std::string logic = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; and.b32 %r3, %r1, %r2; xor.b32 %r4, %r3, %r1;";
  CHECK(issued(logic + use, "maxwell") == Operations{special, special, add, store});
  CHECK(issued(logic + use, "fermi") == Operations{special, special, add, add, store});

  const std::string field = "mov.u32 %r1, %tid.x; shr.u32 %r3, %r1, 5; and.b32 %r4, %r3, 31;";
  CHECK(issued(field + use, "kepler") == Operations{special, shift, store});
  CHECK(issued(field + use, "volta") == Operations{special, shift, add, store});
}

TEST_CASE("A product is not taken into a loop, nor past a change of its factors") {
  const std::string between =
      "mov.u32 %r1, %tid.x; mul.lo.s32 %r3, %r1, %r1; add.s32 %r1, %r1, 7; add.s32 %r4, %r3, %r1;"
      "st.global.u32 [%rd9], %r4;";
  CHECK(issued(between, "volta") == Operations{special, multiply, add, add, store});
  const std::string loop =
      "mov.u32 %r1, %tid.x; mul.lo.s32 %r3, %r1, 3; L: add.s32 %r4, %r3, %r4; setp.lt.s32 %p1, %r4, 99; @%p1 bra L;";
  CHECK(issued(loop, "volta") == Operations{special, multiply, add, Operation::compare, Operation::branch});
}

TEST_CASE("A result that the program never reads stays: its compiler has removed dead code") {
  CHECK(issued("mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 1;", "volta") == Operations{special, add});
}

TEST_CASE("Native scratchpad atomics: with and without a result, additions of one, and loops for the rest") {
  const auto program = [](const std::string& body) {
    return machine::lower(kernel_of(body), {"volta", ScratchpadAtomics::native});
  };
  const auto counts = program("atom.shared.add.u32 %r1, [table], 1;").instructions.at(0);
  CHECK(counts.operation == Operation::scratchpad_reduction);
  CHECK(counts.adds_one);
  const auto result = program("mov.u32 %r3, 1; atom.shared.add.u32 %r1, [table], %r3; st.global.u32 [%rd1], %r1;");
  CHECK(result.instructions.at(1).operation == Operation::scratchpad_atomic);
  CHECK(result.instructions.at(1).adds_one);
  CHECK_FALSE(program("red.shared.add.u32 [table], 2;").instructions.at(0).adds_one);
  CHECK_FALSE(program("red.shared.max.u32 [table], 1;").instructions.at(0).adds_one);
  CHECK(program("atom.shared.cas.b64 %rd1, [table], 1, 2;").instructions.at(0).operation ==
        Operation::scratchpad_reduction);

  // ptxas 13.0 for sm_90: BSSY, LDS, FADD, ATOMS.CAST.SPIN, ISETP, BRA, BSYNC.
  const machine::Program loop = program("red.shared.add.f32 [table], 0f3F800000;");
  REQUIRE(loop.instructions.size() == 8);
  const Operation expected[] = {
      add, lds, Operation::floating, Operation::scratchpad_atomic, Operation::compare, Operation::branch, add, exits};
  for (std::size_t n = 0; n < 8; ++n) CHECK(loop.instructions[n].operation == expected[n]);
  CHECK(takers(loop) == 1);
  CHECK(loop.instructions[1].cas_loop);
  CHECK(loop.instructions[3].cas_loop);
  CHECK(loop.instructions[5].cas_loop);
  CHECK(loop.instructions[5].loop_start == 1);
}

TEST_CASE("The loop of a 64-bit atomic on the scratchpad compares in two steps, and adds in two") {
  // ptxas 13.0 for sm_90: BSSY, LDS.64, IADD3, IMAD.X, ATOMS.CAST.SPIN.64, ISETP, ISETP.EX, BRA, BSYNC.
  CHECK(issued("red.shared.add.u64 [table], 1;", "volta") ==
        Operations{add, lds, add, add, Operation::scratchpad_atomic, Operation::compare, Operation::compare,
                   Operation::branch, add});
}

TEST_CASE("A global atomic without a reader is a reduction, unless it exchanges") {
  CHECK(issued("atom.global.add.u32 %r1, [%rd1], 1;", "kepler") == Operations{Operation::global_reduction});
  CHECK(issued("atom.global.exch.b32 %r1, [%rd1], 1;", "kepler") == Operations{Operation::global_atomic});
  CHECK(issued("atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1], %r1;", "kepler") ==
        Operations{Operation::global_atomic, store});
}

namespace {

void check_takers(std::vector<std::string> files) {
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tests/unit/isa/ptx/inputs"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  REQUIRE(files.size() > 5);
  for (const std::string& file : files) {
    const ptx::Module module = ptx::parse_file(file);
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      const program::Kernel kernel = ptx::to_static_program(ptx::link(module, function.name));
      std::size_t entries = 0;
      std::vector<bool> written_in_program(kernel.register_bits.size());
      for (const auto& s : kernel.instructions) {
        entries += program::access_entries(s);
        for (const std::uint32_t d : s.destinations) written_in_program[d] = true;
      }
      for (const std::string& set : machine::instruction_sets()) {
        if (test::needs_hopper(kernel) && set != "hopper") continue;
        CAPTURE(file, function.name, set);
        const bool native = set == "maxwell" || set == "volta";
        const machine::Program program =
            machine::lower(kernel, {set, native ? ScratchpadAtomics::native : ScratchpadAtomics::lock_loop});
        CHECK(takers(program) == entries);
        std::vector<bool> written(program.register_bits.size());
        for (const auto& i : program.instructions)
          for (int n = 0; n < i.destination_count; ++n) written[i.destinations[n]] = true;
        bool all_written = true;
        for (const auto& i : program.instructions)
          for (int n = 0; n < i.source_count; ++n) {
            const std::uint16_t r = i.sources[n];
            all_written = all_written && (written[r] || (r < written_in_program.size() && !written_in_program[r]));
          }
        CHECK(all_written);
      }
    }
  }
}

}  // namespace

TEST_CASE("On kernels of all kinds each access has its taker, and what is read has been written, on every generation") {
  check_takers(test::kernel_files(24));
}

TEST_CASE("On every kernel each access has its taker, and what is read has been written, on every generation",
          "[long]") {
  check_takers(test::kernel_files(1));
}

}  // namespace lockstep::selection_test
