#pragma once
// A loop of one basic block whose rounds are unrolled.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "isa/machine/schedule/unrolling.hpp"
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::machine::test {

/// A kernel around a loop, lowered with its loops unrolled but nothing reordered; block 1 is the loop.
struct Unrolled {
  explicit Unrolled(const std::string& in_front, const std::string& body, const std::string& set = "volta",
                    ScratchpadAtomics atomics = ScratchpadAtomics::native)
      : kernel(ptx::to_static_program(ptx::link(
            ptx::test::kernel(in_front + " bra.uni L; L: " + body + " @%p1 bra L; st.global.u32 [%rd9], %r1; ret;",
                              ".shared .align 4 .b8 table[4096];\n.const .align 4 .b8 fixed[64];\n"),
            "k"))),
        program(lower(kernel, {set, atomics})) {
    REQUIRE(kernel.blocks.size() == 3);
    const program::DataFlow flow(kernel);
    Addresses addresses(kernel, flow);
    unroll(program, flow, addresses);
    REQUIRE(program.unrolled.size() == 3);
    CHECK(program.unrolled[0].empty());
    CHECK(program.unrolled[2].empty());
  }
  std::uint32_t rounds() const { return program.unrolled[1].empty() ? 0 : most().executions; }
  const Code& most() const { return program.unrolled[1].front().code; }
  std::vector<Instruction> code() const {
    return {program.instructions.begin() + most().first, program.instructions.begin() + most().end};
  }
  std::vector<Operation> operations() const {
    std::vector<Operation> all;
    for (const Instruction& i : code()) all.push_back(i.operation);
    return all;
  }

  program::Kernel kernel;
  Program program;
};

inline const std::string from_zero = "ld.param.u32 %r15, [n]; mov.u32 %r2, 0;", step = "add.u32 %r2, %r2, 1;",
                         to_ten = step + "setp.lt.u32 %p1, %r2, 10;", to_bound = step + "setp.lt.u32 %p1, %r2, %r15;";
inline const std::string sum = "ld.global.u32 %r3, [%rd1]; add.u32 %r1, %r1, %r3;";

inline std::uint32_t rounds(const std::string& in_front, const std::string& body) {
  return Unrolled(in_front, body).rounds();
}

inline constexpr Operation compare = Operation::compare, branch = Operation::branch;

}  // namespace lockstep::machine::test
