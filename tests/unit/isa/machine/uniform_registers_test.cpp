// What lies in uniform registers, as ULDC in the code of ptxas 13.0 for sm_90 shows.

#include <algorithm>
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

TEST_CASE("The base of an array lies in the register file where IMAD.WIDE adds it to a product with a literal") {
  const auto bits_of_base = [](const std::string& index) {
    const program::Kernel kernel = ptx::to_static_program(ptx::link(
        ptx::test::kernel("mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; cvt.u64.u32 %rd1, %r2;" + index +
                          "add.s64 %rd3, %rd2, %rd1; ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd3], %r4; ret;"),
        "k"));
    const machine::Program program =
        machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
    for (std::size_t n = 0; n < kernel.instructions.size(); ++n)
      if (kernel.strings[kernel.instructions[n].mnemonic].starts_with("cvt.u64"))
        return program.register_bits[kernel.instructions[n].destinations[0]];
    return std::uint8_t{0};
  };
  CHECK(bits_of_base("mul.wide.s32 %rd2, %r1, 4;") == 64);
  CHECK(bits_of_base("mul.wide.s32 %rd2, %r2, 4;") == 1);                           // All is uniform.
  CHECK(bits_of_base("mul.lo.s64 %rd4, %rd9, %rd1; shl.b64 %rd2, %rd4, 3;") == 1);  // A factor.
  CHECK(bits_of_base("shl.b64 %rd2, %rd9, 3;") == 1);  // IADD3 takes it from a uniform register.
}

TEST_CASE("What is computed from uniform integers alone lies in uniform registers") {
  const auto bits_of = [](const std::string& body) {
    const program::Kernel kernel = ptx::to_static_program(ptx::link(ptx::test::kernel(body + " ret;"), "k"));
    const machine::Program program =
        machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
    const program::StaticInstruction& last =
        *std::find_if(kernel.instructions.begin(), kernel.instructions.end(),
                      [](const auto& s) { return s.access == program::AccessKind::store; });
    return program.register_bits[last.sources.back()];
  };
  const std::string numbers = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;", store = "st.global.u32 [%rd1], %r5;";
  CHECK(bits_of(numbers + "mad.lo.s32 %r5, %r1, 3, 7;" + store) == 1);
  CHECK(bits_of(numbers + "mad.lo.s32 %r5, %r1, %r2, 7;" + store) == 32);
  // There is no uniform minimum and no arithmetic of floating point; a guard that differs leaves other values.
  CHECK(bits_of(numbers + "min.s32 %r5, %r1, 7;" + store) == 32);
  CHECK(bits_of(numbers + "setp.eq.u32 %p1, %r2, 0; mov.u32 %r5, 1; @%p1 add.s32 %r5, %r1, 1;" + store) == 32);
  // A counter of rounds, of which all lanes do as many.
  CHECK(bits_of(numbers + "mov.u32 %r5, 0; L: add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r1; @%p1 bra L;" + store) ==
        1);
  CHECK(bits_of(numbers + "mov.u32 %r5, 0; L: add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r2; @%p1 bra L;" + store) ==
        32);
}

TEST_CASE("Addresses of the scratchpad that the program computes with 64 bits take one register") {
  const program::Kernel kernel = ptx::to_static_program(
      ptx::link(ptx::test::kernel(
                    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd1, 16; ld.shared.u32 %r2, [%rd2];"
                    "cvt.u64.u32 %rd3, %r2; add.s64 %rd4, %rd3, %rd9; st.global.u32 [%rd4], %r2; ret;"),
                "k"));
  const machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  for (const program::StaticInstruction& s : kernel.instructions)
    if (kernel.strings[s.mnemonic] == "mul.wide.u32" || kernel.strings[s.mnemonic] == "cvt.u64.u32")
      CHECK(program.register_bits[s.destinations[0]] == 32);
    else if (s.space == program::MemorySpace::global)
      CHECK(program.register_bits[s.address_register] == 64);
}

TEST_CASE("Kernel parameters take no room in the register file") {
  const program::Kernel kernel = ptx::to_static_program(ptx::link(
      ptx::parse(
          ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {\n"
          ".reg .b64 %rd<9>; .reg .b32 %r<9>;\nld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; add.s32 %r2, %r1, 1;"
          "add.s32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3; ret; }\n",
          "k.ptx"),
      "k"));
  const machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  std::size_t parameters = 0;
  for (const program::StaticInstruction& s : kernel.instructions) {
    if (s.space != program::MemorySpace::param) continue;
    ++parameters;
    for (const std::uint32_t reg : s.destinations) CHECK(program.register_bits[reg] == 1);
  }
  CHECK(parameters == 2);
}

}  // namespace lockstep::uniform_registers_test
