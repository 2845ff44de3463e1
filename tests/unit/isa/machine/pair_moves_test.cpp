// Halves of 64-bit values that take instructions of their own, as ptxas 13.0 for sm_90 was seen to do it with the same kernels.

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::pair_moves_test {

namespace {

/// How many instructions the joining moves of `body` become. There, %r1 and %r2 are loaded integers, %fd1 is a loaded double.
std::ptrdiff_t moves(const std::string& body) {
  const ptx::Module module = ptx::test::kernel(
      "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.f64 %fd1, [%rd1+8];" +
      body + "ret;");
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
  const machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  return std::count_if(program.instructions.begin(), program.instructions.end(), [&](const machine::Instruction& i) {
    return kernel.strings[kernel.instructions[i.static_index].mnemonic] == "mov.b64";
  });
}

const std::string shifts = "shl.b32 %r3, %r1, 20; mov.b64 %fd2, {0, %r3};";
const std::string stores = "st.global.f64 [%rd1], %fd3;";

}  // namespace

TEST_CASE("A literal half of a double takes one instruction, a computed one none") {
  CHECK(moves(shifts + "mul.f64 %fd3, %fd1, %fd2;" + stores) == 1);
  CHECK(moves(shifts + "fma.rn.f64 %fd3, %fd1, %fd2, %fd1; add.f64 %fd3, %fd3, %fd2;" + stores) == 1);
  CHECK(moves(shifts + "setp.lt.f64 %p1, %fd1, %fd2; selp.f64 %fd3, %fd1, 0d3ff0000000000000, %p1;" + stores) == 1);
  CHECK(moves(shifts + "cvt.rn.f32.f64 %f1, %fd2; st.global.f32 [%rd1], %f1;") == 1);
  CHECK(moves("mov.b64 %fd2, {0, %r1}; add.f64 %fd3, %fd1, %fd2;" + stores) == 1);
  CHECK(moves("shl.b32 %r3, %r1, 20; mov.b64 %fd2, {%r3, 1127219200}; sub.f64 %fd3, %fd2, %fd1;" + stores) == 1);
  CHECK(moves("shl.b32 %r3, %r1, 20; not.b32 %r4, %r2; mov.b64 %fd2, {%r4, %r3}; mul.f64 %fd3, %fd1, %fd2;" + stores) ==
        0);
}

TEST_CASE("A literal half is moved again where the pair before with it is still read") {
  const std::string other = "xor.b32 %r4, %r2, %r1; mov.b64 %fd4, {0, %r4};";
  CHECK(moves(shifts + "mul.f64 %fd5, %fd1, %fd2;" + other + "mul.f64 %fd3, %fd5, %fd4;" + stores) == 1);
  CHECK(moves(shifts + other + "mul.f64 %fd3, %fd2, %fd4;" + stores) == 2);
}

TEST_CASE("Half of a pair that is read again is copied") {
  const std::string joins =
      "add.f64 %fd2, %fd1, %fd1; mov.b64 {%r3, %r4}, %fd2; and.b32 %r5, %r4, %r2; mov.b64 %fd4, {%r3, %r5};";
  // The move that takes the pair apart is none.
  CHECK(moves(joins + "mul.f64 %fd3, %fd2, %fd4;" + stores) == 1);
  CHECK(moves(joins + "mul.f64 %fd3, %fd4, %fd4;" + stores) == 0);
}

TEST_CASE("Integer operations take literal halves as operands") {
  CHECK(moves("shl.b32 %r3, %r1, 20; mov.b64 %rd2, {0, %r3}; ld.global.u64 %rd3, [%rd1+16]; add.s64 %rd4, %rd3, %rd2;"
              "st.global.u64 [%rd1], %rd4;") == 0);
}

}  // namespace lockstep::pair_moves_test
