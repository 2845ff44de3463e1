// Moves in front of the accesses of a loop, against the code that ptxas 13.0 writes for sm_90 for the same loops.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::pointer_copies_test {

namespace {

using machine::Instruction;

struct Loop {
  /// `body` with accesses by %rd4 ... %rd7; steps come behind it. Each access reads or stores %f3, and adds it to %f1.
  explicit Loop(unsigned pointers, const std::string& body, const std::string& form = ".pragma \"nounroll\";") {
    std::string text = "ld.param.u64 %rd9, [a]; mov.u32 %r7, 0;";
    for (unsigned n = 0; n < pointers; ++n)
      text += "ld.global.u64 " + pointer(n) + ", [%rd9+" + std::to_string(8 * n) + "];";
    text += "ld.global.u32 %r6, [%rd9+124]; bra.uni L; L: " + form + body;
    for (unsigned n = 0; n < pointers; ++n) text += "add.s64 " + pointer(n) + ", " + pointer(n) + ", 4;";
    text += "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r6; @%p1 bra L; st.global.f32 [%rd9], %f1; ret;";
    kernel = ptx::to_static_program(ptx::link(ptx::test::kernel(text), "k"));
    program = machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  }
  static std::string pointer(unsigned n) { return "%rd" + std::to_string(4 + n); }

  /// Moves that stand for an access.
  std::ptrdiff_t moves() const {
    const machine::Code& code = program.blocks[1];
    return std::count_if(program.instructions.begin() + code.first, program.instructions.begin() + code.end,
                         [&](const Instruction& i) {
                           const auto access = kernel.instructions[i.static_index].access;
                           return access != program::AccessKind::none && !i.takes_access;
                         });
  }

  program::Kernel kernel;
  machine::Program program;
};

std::string load(unsigned pointer, unsigned offset = 0) {
  return "ld.global.f32 %f3, [" + Loop::pointer(pointer) + "+" + std::to_string(offset) + "]; add.f32 %f1, %f1, %f3;";
}
std::string store(unsigned pointer, unsigned offset = 0) {
  return "st.global.f32 [" + Loop::pointer(pointer) + "+" + std::to_string(offset) + "], %f1;";
}
std::string times(int count, const std::string& text) {
  std::string all;
  for (int n = 0; n < count; ++n) all += text;
  return all;
}
const std::string chain = "fma.rn.f32 %f1, %f1, %f1, 0f3F800000;";

}  // namespace

TEST_CASE("Accesses of a short loop read copies of the pointers that it steps") {
  CHECK(Loop(1, load(0) + load(0, 4)).moves() == 2);
  CHECK(Loop(2, load(0) + load(1)).moves() == 4);
  CHECK(Loop(3, load(0) + load(1) + load(2)).moves() == 6);
  CHECK(Loop(2, load(0) + store(1)).moves() == 4);
  CHECK(Loop(2, load(0) + load(1) + times(4, chain)).moves() == 4);
}

TEST_CASE("A copy is one for all accesses of its round, and they wait for it") {
  const Loop loop(1, load(0) + load(0, 4) + load(0, 8));
  const machine::Code& code = loop.program.blocks[1];
  std::set<std::uint16_t> addresses, written_before;
  for (std::uint32_t n = code.first; n < code.end; ++n) {
    const Instruction& i = loop.program.instructions[n];
    if (i.operation == machine::Operation::global_load) addresses.insert(i.sources[0]);
    if (addresses.empty()) written_before.insert(i.destinations, i.destinations + i.destination_count);
  }
  REQUIRE(addresses.size() == 1);
  CHECK(written_before.count(*addresses.begin()) == 1);
  CHECK(loop.moves() == 2);
}

TEST_CASE("Where a round is long, only a pointer that it stores through is copied; where it is longer, none") {
  CHECK(Loop(1, times(8, load(0))).moves() == 0);
  CHECK(Loop(2, times(3, load(0) + load(1))).moves() == 0);
  CHECK(Loop(4, load(0) + load(1) + load(2) + load(3)).moves() == 0);
  CHECK(Loop(2, load(0) + load(1) + times(6, chain)).moves() == 0);
  CHECK(Loop(3, times(2, load(0) + load(1) + store(2))).moves() == 2);
  CHECK(Loop(2, load(0) + store(1) + times(24, chain)).moves() == 0);
}

TEST_CASE("Unrolled loops, steps in front of an access and pointers that stay copy nothing") {
  CHECK(Loop(2, load(0) + load(1), "").moves() == 0);
  CHECK(Loop(1, "ld.global.f32 %f3, [%rd9]; add.f32 %f1, %f1, %f3; ld.global.f32 %f3, [%rd9+4]; add.f32 %f1, %f1, %f3;")
            .moves() == 0);
  CHECK(Loop(1, "add.s64 %rd4, %rd4, 4;" + load(0) + load(0, 4)).moves() == 0);
}

}  // namespace lockstep::pointer_copies_test
