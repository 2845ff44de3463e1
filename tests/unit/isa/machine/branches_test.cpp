// What branches, jumps and exits at the ends of basic blocks become: isa/machine/README.md.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::branches_test {

namespace {

machine::Program lowered(const program::Kernel& kernel) {
  return machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
}

}  // namespace

TEST_CASE(
    "A jump back right behind a branch out of the kernel stays one behind EXIT, other loops end with a branch back") {
  const auto branches = [](const std::string& end) {
    const program::Kernel kernel = ptx::to_static_program(ptx::link(
        ptx::test::kernel(
            "mov.u32 %r1, 0; L: ld.global.u32 %r3, [%rd1]; add.u32 %r1, %r1, 1; setp.ge.u32 %p1, %r1, %r3; " + end),
        "k"));
    std::vector<bool> behind_exit;
    for (const machine::Instruction& i : lowered(kernel).instructions)
      if (i.operation == machine::Operation::branch) behind_exit.push_back(i.behind_exit);
    return behind_exit;
  };
  using Branches = std::vector<bool>;
  CHECK(branches("@%p1 bra E; bra.uni L; E: ret;") == Branches{false, true});
  CHECK(branches("@%p1 exit; bra.uni L;") == Branches{true});
  CHECK(branches("@%p1 bra E; bra.uni L; E: st.global.u32 [%rd1], %r1; ret;") == Branches{false});
  CHECK(branches("@!%p1 bra L; ret;") == Branches{false});
}

TEST_CASE(
    "A loop whose end the program has in front of its begin ends with EXIT and a jump back, where the kernel ends "
    "there") {
  const auto behind_exit = [](const std::string& end, const std::string& out) {
    const program::Kernel kernel = ptx::to_static_program(ptx::link(
        ptx::test::kernel("mov.u32 %r1, 0; bra.uni BEGIN; END: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; " + end +
                          "BEGIN: ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra END; "
                          "bar.sync 0; st.global.u32 [%rd1], %r1; bra.uni END; OUT: " +
                          out + " ret;"),
        "k"));
    std::vector<bool> behind_exit;
    const machine::Program program = lowered(kernel);
    for (std::uint32_t n = program.blocks[1].first; n < program.blocks[1].end; ++n)
      if (const machine::Instruction& i = program.instructions[n]; i.operation == machine::Operation::branch) {
        behind_exit.push_back(i.behind_exit);
        CHECK((i.guard == machine::Instruction::no_guard) == i.behind_exit);
      }
    return behind_exit;
  };
  using Branches = std::vector<bool>;
  SECTION("the end of the kernel is next, behind a jump or aside") {
    CHECK(behind_exit("@%p1 bra BEGIN; bra.uni OUT; ", "") == Branches{false, true});
    CHECK(behind_exit("@%p1 bra BEGIN; ret; ", "") == Branches{false, true});
    CHECK(behind_exit("@!%p1 bra OUT; ", "") == Branches{false, true});
  }
  SECTION("the jump back of the program is that of the machine") {
    CHECK(behind_exit("@!%p1 bra OUT; bra.uni BEGIN; ", "") == Branches{false});
  }
  SECTION("behind the loop is more than the end of the kernel") {
    CHECK(behind_exit("@%p1 bra BEGIN; bra.uni OUT; ", "st.global.u32 [%rd1], 0;") == Branches{false});
  }
}

TEST_CASE(
    "The end of the kernel that only branches reach is an EXIT of theirs, that behind other code an instruction") {
  const auto exits = [](const std::string& body) {
    const program::Kernel kernel = ptx::to_static_program(ptx::link(ptx::test::kernel(body), "k"));
    std::size_t all = 0;
    for (const machine::Instruction& i : lowered(kernel).instructions) all += i.operation == machine::Operation::exit;
    return all;
  };
  const std::string guard = "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 9; @%p1 bra END;",
                    store = "st.global.u32 [%rd1], %r1;";
  CHECK(exits(guard + store + "END: ret;") == 1);
  CHECK(exits(guard + store + "ret; END: ret;") == 1);
  CHECK(exits(guard + "LOOP: add.u32 %r1, %r1, 1;" + store + "setp.lt.u32 %p2, %r1, %r2; @%p2 bra LOOP; END: ret;") ==
        1);
  CHECK(exits(guard +
              "bra.uni BEGIN; LAST: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %r2; @%p2 bra BEGIN; bra.uni END; "
              "BEGIN: " +
              store + "setp.eq.u32 %p3, %r1, %r3; @%p3 bra LAST; bar.sync 0; bra.uni LAST; END: ret;") == 0);
}

}  // namespace lockstep::branches_test
