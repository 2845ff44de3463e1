// What goes through the data stage of the scratchpad without being an access, as an H200 counts it (isa/machine/README.md), and what
// accesses matrices.

#include <numeric>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::data_stage_test {

using namespace lockstep::machine;

namespace {

std::uint32_t uses(const program::Kernel& kernel, const std::string& set) {
  const Program program = lower(kernel, {set, ScratchpadAtomics::native});
  return std::accumulate(program.instructions.begin(), program.instructions.end(), std::uint32_t{0},
                         [](std::uint32_t sum, const Instruction& i) { return sum + i.data_stage_uses; });
}

std::uint32_t uses(const std::string& body, const std::string& set = "hopper") {
  return uses(machine::test::kernel_of(body), set);
}

/// One instruction of SASS.
std::uint32_t uses_of_machine_code(const std::string& mnemonic, const std::string& set) {
  program::Kernel kernel;
  kernel.instruction_set = "sass";
  kernel.strings = {"", mnemonic};
  kernel.register_bits = {32, 32};
  program::StaticInstruction s;
  s.mnemonic = 1;
  s.sources = {0};
  s.destinations = {1};
  kernel.instructions = {s};
  kernel.blocks = {{0, 1}};
  return uses(kernel, set);
}

}  // namespace

TEST_CASE("A shuffle goes once through the data stage, votes, matches and reductions never") {
  CHECK(uses("shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;") == 1);
  CHECK(uses("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1; shfl.sync.down.b32 %r3, %r1, 1, 31, -1;") == 2);
  CHECK(uses("vote.sync.ballot.b32 %r1, %p1, -1; match.any.sync.b32 %r2, %r1, -1; redux.sync.add.u32 %r3, %r2, -1;") ==
        0);
  CHECK(uses("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;") == 0);
}

TEST_CASE("Each exchange that a shuffle becomes goes through the data stage, in every instruction set") {
  for (const std::string& set : instruction_sets()) {
    CAPTURE(set);
    CHECK(uses("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", set) == (set == "tesla" ? 2 : 1));
    CHECK(uses("match.any.sync.b32 %r2, %r1, -1;", set) == 0);
  }
}

TEST_CASE("A thread's number goes through the data stage, that of its thread block and the clock do not") {
  CHECK(uses("mov.u32 %r1, %tid.x; st.shared.u32 [table], %r1;") == 1);
  CHECK(uses("mov.u32 %r1, %laneid; st.shared.u32 [table], %r1;") == 1);
  CHECK(uses("mov.u32 %r1, %ctaid.x; st.shared.u32 [table], %r1;") == 0);
  CHECK(uses("mov.u32 %r1, %clock; st.shared.u32 [table], %r1;") == 0);
}

TEST_CASE("Of SASS, shuffles and S2R go through the data stage, whatever their modifiers") {
  for (const std::string& set : instruction_sets()) {
    CAPTURE(set);
    for (const char* one : {"SHFL", "SHFL.BFLY", "SHFL.IDX.PT", "S2R"}) CHECK(uses_of_machine_code(one, set) == 1);
    for (const char* none : {"S2UR", "CS2R", "CS2R.32", "MATCH.ANY", "REDUX.SUM", "MOVM.16.MT88", "VOTE.ANY",
                             "exchange", "special_register"}) {
      CAPTURE(none);
      CHECK(uses_of_machine_code(none, set) == 0);
    }
  }
}

TEST_CASE("Loads and stores of matrices reach rows, other accesses to the scratchpad do not") {
  const auto reaches_rows = [](const std::string& body) {
    const program::Kernel kernel = machine::test::kernel_of(body);
    const Program program = lower(kernel, {"hopper", ScratchpadAtomics::native});
    for (const Instruction& i : program.instructions)
      if (i.takes_access) return i.matrix_rows;
    FAIL("no access: " << body);
    return false;
  };
  CHECK(reaches_rows("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];"));
  CHECK(reaches_rows("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%r2], {%r1, %r3};"));
  CHECK_FALSE(reaches_rows("ld.shared.v4.u32 {%r1, %r3, %r4, %r5}, [%r2];"));
  CHECK_FALSE(reaches_rows("st.shared.b32 [%r2], %r1;"));
}

}  // namespace lockstep::data_stage_test
