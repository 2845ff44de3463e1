// Conditions that one branch decides. The limits are those of ptxas 13.0 for sm_90 on kernels of these forms.
#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::short_circuit_test {

using namespace lockstep::machine;

namespace {

/// A chain of so many instructions with its comparison.
std::string condition(int instructions, const std::string& predicate) {
  std::string text, reg = "%r3";
  for (int n = 0; n + 1 < instructions; ++n, reg = "%r1")
    text += (n % 2 ? "xor.b32 %r1, " : "add.s32 %r1, ") + reg + ", %r4;";
  return text + "setp.lt.s32 " + predicate + ", " + reg + ", %r5;";
}
std::string side(int instructions) {
  std::string text;
  for (int n = 0; n < instructions; ++n) text += "mad.lo.u32 %r8, %r8, %r8, " + std::to_string(n + 3) + ";";
  return text;
}
const std::string begin = "mov.u32 %r9, %tid.x; setp.ge.u32 %p1, %r9, 7;", end = "st.global.u32 [%rd2], %r8;";

std::string either(int second, int then) {
  return begin + "@%p1 bra T;" + condition(second, "%p2") + "@!%p2 bra J; T:" + side(then) + "J:" + end;
}
std::string both(int second, int then) {
  return begin + "@!%p1 bra J;" + condition(second, "%p2") + "@!%p2 bra J;" + side(then) + "J:" + end;
}

/// Whether the first block has code of its sides, too, in which no branch is left.
bool predicated(const std::string& body) {
  const program::Kernel kernel = machine::test::kernel_of(body);
  const Program program = lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
  if (program.predicated.empty() || program.predicated[0].code.executions == 0) return false;
  const Code& code = program.predicated[0].code;
  CHECK(std::none_of(program.instructions.begin() + code.first, program.instructions.begin() + code.end,
                     [](const Instruction& i) { return i.operation == Operation::branch; }));
  return true;
}
std::size_t size(const std::string& body) {
  const program::Kernel kernel = machine::test::kernel_of(body);
  const Program program = lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
  return program.predicated[0].code.end - program.predicated[0].code.first;
}

}  // namespace

TEST_CASE("short circuit: a second condition of up to five instructions is tested by all lanes") {
  for (int n = 1; n <= 5; ++n) {
    CAPTURE(n);
    CHECK(predicated(either(n, 1)));
    CHECK(predicated(either(n, 8)));
    CHECK(predicated(both(n, 1)));
    CHECK(predicated(both(n, 8)));
  }
  CHECK_FALSE(predicated(either(6, 1)));
  CHECK_FALSE(predicated(both(6, 1)));
  CHECK_FALSE(predicated(either(1, 9)));
  CHECK_FALSE(predicated(both(1, 9)));
}

TEST_CASE("short circuit: a third condition counts one more") {
  const auto three = [](int second) {
    return begin + "@%p1 bra T;" + condition(second, "%p2") +
           "@%p2 bra T; setp.eq.s32 %p3, %r2, %r4; @!%p3 bra J; T:" + side(3) + "J:" + end;
  };
  CHECK(predicated(three(3)));
  CHECK_FALSE(predicated(three(4)));
}

TEST_CASE("short circuit: with two sides both are predicated, also behind a jump") {
  const auto two = [](int second) {
    return begin + "@%p1 bra T;" + condition(second, "%p2") + "@!%p2 bra E; bra.uni T; T:" + side(3) +
           "bra.uni J; E:" + side(4) + "J:" + end;
  };
  CHECK(predicated(two(5)));
  CHECK_FALSE(predicated(two(6)));
}

TEST_CASE("short circuit: what loads, or has other ways to it, is no second condition") {
  const auto with = [](const std::string& second) {
    return begin + "@%p1 bra T;" + second + "setp.lt.s32 %p2, %r3, %r5; @!%p2 bra J; T:" + side(1) + "J:" + end;
  };
  CHECK(predicated(with("")));
  CHECK(predicated(with("ld.const.u32 %r3, [%r10];")));
  CHECK_FALSE(predicated(with("ld.shared.u32 %r3, [%r10];")));
  CHECK_FALSE(predicated(with("ld.global.u32 %r3, [%rd1];")));
  CHECK_FALSE(predicated("setp.eq.s32 %p4, %r1, %r2; @%p4 bra Y;" + begin +
                         "@%p1 bra T; Y: setp.lt.s32 %p2, %r3, %r5;"
                         "@!%p2 bra J; T:" +
                         side(1) + "J:" + end));
}

TEST_CASE("short circuit: a comparison takes the condition before it as an operand") {
  // Nothing but the two comparisons and the side: what a single condition takes, and one.
  CHECK(size(either(1, 3)) == size(begin + "@!%p1 bra J;" + side(3) + "J:" + end) + 1);
}

}  // namespace lockstep::short_circuit_test
