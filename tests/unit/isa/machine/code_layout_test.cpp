// Where machine instructions lie in the code: in the order of what a compiler writes, rare code in functions behind it.

#include "isa/machine/code_layout.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::code_layout_test {

using machine::Instruction;
using machine::Operation;

namespace {

struct Lowered {
  explicit Lowered(const std::string& body)
      : kernel(ptx::to_static_program(ptx::link(ptx::test::kernel(body), "k"))),
        program(machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list})) {}
  std::vector<std::uint32_t> places(const machine::Code& code) const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t n = code.first; n < code.end; ++n) all.push_back(program.instructions[n].place);
    return all;
  }
  std::set<std::uint32_t> all_places() const {
    std::set<std::uint32_t> all;
    for (const Instruction& i : program.instructions) all.insert(i.place);
    return all;
  }
  program::Kernel kernel;
  machine::Program program;
};

std::string chain(int length) {
  std::string text;
  for (int n = 0; n < length; ++n) text += "mad.lo.u32 %r1, %r1, %r1, " + std::to_string(n + 3) + ";";
  return text;
}

}  // namespace

TEST_CASE("Straight code lies in its order, from the first place on") {
  const Lowered one("ld.global.u32 %r1, [%rd1];" + chain(5) + "st.global.u32 [%rd2], %r1; ret;");
  const auto places = one.places(one.program.blocks[0]);
  for (std::uint32_t n = 0; n < places.size(); ++n) CHECK(places[n] == n);
  CHECK(one.program.places == places.size());
}

TEST_CASE("Code for rare operands is one function behind the code, and only its call stands in a chain") {
  // ptxas: per division MUFU.RCP, FCHK, five FFMA, a branch over MOV and CALL; the function once for all.
  const std::string load = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];";
  const std::string store = "st.global.f32 [%rd2], %f1; ret;", division = "div.rn.f32 %f1, %f2, %f1;";
  const Lowered none(load + store), one(load + division + store), two(load + division + division + store);
  const auto skip = std::find_if(one.program.instructions.begin(), one.program.instructions.end(),
                                 [](const Instruction& i) { return i.skips && i.skipped != 0; });
  REQUIRE(skip != one.program.instructions.end());
  CHECK(skip[1].place == skip->place + 1);
  CHECK(skip[2].operation == Operation::branch);
  CHECK(skip[2].place == skip->place + 2);
  CHECK(skip[skip->skipped + 1].place == skip->place + 3);
  // The function lies behind the end of the kernel.
  const std::uint32_t function = skip->skipped - 2u;
  CHECK(skip[3].place == one.program.places - function);
  CHECK(skip[skip->skipped].place == one.program.places - 1);
  // A second division has a call of its own, but no function.
  CHECK(one.program.places > none.program.places + function);
  CHECK(two.program.places - one.program.places == one.program.places - none.program.places - function);
  CHECK(two.all_places().size() == two.program.places);
}

TEST_CASE("Divisions and square roots have functions of their own") {
  const std::string load = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];";
  const Lowered both(load + "div.rn.f32 %f1, %f2, %f1; sqrt.rn.f32 %f1, %f1; st.global.f32 [%rd2], %f1; ret;");
  CHECK(both.all_places().size() == both.program.instructions.size());
}

TEST_CASE("Predicated code lies where its blocks would, and what it replaces lies behind everything") {
  const std::string condition = "mov.u32 %r9, %tid.x; setp.ge.u32 %p1, %r9, 7; ";
  const Lowered one(condition + "@%p1 bra J; " + chain(2) + " J: st.global.u32 [%rd2], %r1; ret;");
  REQUIRE(one.program.predicated.size() > 0);
  const machine::Code& path = one.program.predicated[0].code;
  REQUIRE(path.executions != 0);
  const auto places = one.places(path);
  for (std::uint32_t n = 0; n < places.size(); ++n) CHECK(places[n] == n);
  for (const machine::Code& block : one.program.blocks)
    for (const std::uint32_t place : one.places(block)) CHECK(place >= places.size());
}

TEST_CASE("A side that is too long to be predicated lies between the blocks around it") {
  const std::string condition = "mov.u32 %r9, %tid.x; setp.ge.u32 %p1, %r9, 7; ";
  const Lowered one(condition + "@%p1 bra J; " + chain(60) + " J: st.global.u32 [%rd2], %r1; ret;");
  std::uint32_t next = 0;
  for (const machine::Code& block : one.program.blocks)
    for (const std::uint32_t place : one.places(block)) CHECK(place == next++);
  CHECK(next == one.program.places);
  // Where lanes meet, those that wait issue what stands there.
  CHECK(one.all_places().size() == next);
}

TEST_CASE("Unrolled rounds of a loop lie in front of its single round") {
  const Lowered one("mov.u32 %r3, 0; ld.global.u32 %r4, [%rd1]; L: " + chain(2) +
                    "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r4; @%p1 bra L; st.global.u32 [%rd2], %r1; ret;");
  REQUIRE(one.program.unrolled.size() > 1);
  REQUIRE(!one.program.unrolled[1].empty());
  std::uint32_t last = one.places(one.program.blocks[0]).back();
  for (const machine::Path& path : one.program.unrolled[1]) {
    CHECK(one.places(path.code).front() == last + 1);
    last = one.places(path.code).back();
  }
  CHECK(one.places(one.program.blocks[1]).front() == last + 1);
  CHECK(one.places(one.program.blocks[2]).front() == one.places(one.program.blocks[1]).back() + 1);
}

}  // namespace lockstep::code_layout_test
