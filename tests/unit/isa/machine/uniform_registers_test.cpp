// What lies in uniform registers, as ULDC in the code of ptxas 13.0 for sm_90 shows.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::uniform_registers_test {

namespace {

/// Bits that the destination of the load from constant memory takes in the register file.
unsigned bits_of_load(const std::string& body) {
  const program::Kernel kernel =
      ptx::to_static_program(ptx::link(ptx::test::kernel(body + " ret;", ".const .align 4 .b8 fixed[64];\n"), "k"));
  const machine::Program program =
      machine::lower(kernel, {"volta", machine::ScratchpadAtomics::native, machine::Schedule::list});
  for (const machine::Instruction& i : program.instructions)
    if (i.operation == machine::Operation::constant_load) return program.register_bits[i.destinations[0]];
  FAIL("there is no load");
  return 0;
}

const std::string use = " st.global.u32 [%rd9], %r1;";

}  // namespace

TEST_CASE("What a constant load reads at one address for all lanes lies in a uniform register") {
  CHECK(bits_of_load("ld.const.u32 %r1, [fixed+4];" + use) == 1);
  CHECK(bits_of_load("mov.u32 %r2, %ctaid.x; mov.u64 %rd1, fixed; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; "
                     "ld.const.u32 %r1, [%rd3];" +
                     use) == 1);
  // Lanes differ; a side of a branch writes the register, too.
  CHECK(bits_of_load("mov.u32 %r2, %tid.x; mov.u64 %rd1, fixed; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; "
                     "ld.const.u32 %r1, [%rd3];" +
                     use) == 32);
  CHECK(bits_of_load("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; mov.u32 %r1, %r2; @%p1 bra J; ld.const.u32 %r1, "
                     "[fixed]; J:" +
                     use) == 32);
}

}  // namespace lockstep::uniform_registers_test
