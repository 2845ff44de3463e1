// Which loads share a counter, against the scoreboards in code of ptxas 13.0 for sm_90, where the four are numbers 2 to 5.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::load_counters_test {

using machine::Instruction;

namespace {

struct Counted {
  explicit Counted(const std::string& body, unsigned counters = 4)
      : kernel(ptx::to_static_program(ptx::link(ptx::test::kernel(body + " ret;"), "k"))),
        program(machine::lower(
            kernel, {"volta", machine::ScratchpadAtomics::native, machine::Schedule::program_order, counters})) {}
  /// Of every load, in order.
  std::vector<unsigned> counters() const {
    std::vector<unsigned> all;
    for (const Instruction& i : program.instructions)
      if (i.operation == machine::Operation::global_load) all.push_back(i.counter);
    return all;
  }
  /// What each instruction of the operation awaits, a bit for each counter.
  std::vector<unsigned> awaited_by(machine::Operation operation) const {
    std::vector<unsigned> all;
    for (const Instruction& i : program.instructions)
      if (i.operation == operation) all.push_back(i.awaits_counters);
    return all;
  }
  program::Kernel kernel;
  machine::Program program;
};

std::string load(int reg) {
  return "ld.global.f32 %f" + std::to_string(reg) + ", [%rd1+" + std::to_string(64 * reg) + "]; ";
}
std::string add(int to, int a, int b) {
  const auto f = [](int n) { return "%f" + std::to_string(n); };
  return "add.f32 " + f(to) + ", " + f(a) + ", " + f(b) + "; ";
}
using Masks = std::vector<unsigned>;

}  // namespace

TEST_CASE(
    "Loads of one first reader share a counter, others take the first that counts nothing, then all take the last") {
  // As sixteen loads in front of eight FFMA: w2 w2 w3 w3 w4 w4 and ten of w5.
  std::string body;
  for (int reg = 0; reg < 12; ++reg) body += load(reg);
  for (int pair = 0; pair < 6; ++pair) body += add(12 + pair, 2 * pair, 2 * pair + 1);
  const Counted x(body);
  // Nothing waits for more than its own pair of the first three counters, so that these need not be counted.
  CHECK(x.counters() == Masks{0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4});
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{0, 0, 0, 8, 0, 0});
}

TEST_CASE("A counter that was awaited counts the next load") {
  const Counted x(load(0) + load(1) + add(8, 0, 0) + load(2) + load(3) + add(9, 1, 1) + add(10, 2, 2) + add(11, 3, 3),
                  2);
  // Loads 0 and 2 are alone on the first counter; 1 and 3 share the second.
  CHECK(x.counters() == Masks{0, 2, 0, 2});
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{0, 2, 0, 0});
}

TEST_CASE("Loads whose first reader is in another basic block share the last counter, and that reader waits for all") {
  // LDG R6 w5; @P0 BRA; LDG R24 w5; STS R24 waits for 5, and FADD R6 finds it awaited.
  const Counted x("mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; " + load(0) + "@%p1 bra J; " + load(1) +
                  "J: st.global.f32 [%rd2], %f1; " + add(8, 0, 0) + "st.global.f32 [%rd2+4], %f8;");
  CHECK(x.counters() == Masks{4, 4});
  CHECK(x.awaited_by(machine::Operation::global_store) == Masks{8, 0});
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{0});
}

TEST_CASE("What a block in front has awaited is not awaited again, although another load is counted since") {
  const Counted x("mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; " + load(0) + "@%p1 bra A; add.u32 %r2, %r1, 1; A: " +
                  add(8, 0, 0) + load(1) + "@%p1 bra B; add.u32 %r2, %r1, 2; B: " + add(9, 0, 8) + add(10, 1, 9) +
                  "st.global.f32 [%rd2], %f10; st.global.u32 [%rd2+4], %r2;");
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{0, 0, 0});
}

TEST_CASE("Loads that a loop carries into its next round are counted with those of that round") {
  const Counted x(load(0) + "L: " + add(8, 8, 0) + load(0) + load(1) + "setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; " +
                  "st.global.f32 [%rd2], %f8; st.global.f32 [%rd2+4], %f1;");
  CHECK(x.counters() == Masks{4, 4, 4});
  // In the second round %f1 is counted, too.
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{8});
}

TEST_CASE("A load waits for what other blocks left in its counter, where that is read before what it loads") {
  // As in a loop that shifts a window: LDG R21 waits for 5, MOV R23, R0 then waits for nothing; FADD R21 waits for 5.
  const std::string loop = load(0) + "L: " + load(1),
                    back = "bar.sync 0; setp.lt.u32 %p1, %r1, %r2; @%p1 bra M; exit; M: ";
  const Counted x(loop + add(8, 8, 0) + back + add(9, 9, 1) + "@%p1 bra L; st.global.f32 [%rd2], %f9;");
  CHECK(x.counters() == Masks{4, 4});
  CHECK(x.awaited_by(machine::Operation::global_load) == Masks{0, 8});
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{0, 0});
  // Nothing reads it before: as in the test of two blocks above.
  const Counted y(loop + back + add(9, 9, 1) + add(8, 8, 0) + "@%p1 bra L; st.global.f32 [%rd2], %f9;");
  CHECK(y.awaited_by(machine::Operation::global_load) == Masks{0, 0});
}

TEST_CASE("Without counters every load is awaited alone") {
  const Counted x(load(0) + load(1) + "bra.uni J; J: " + add(8, 0, 1), 0);
  CHECK(x.counters() == Masks{0, 0});
  CHECK(x.awaited_by(machine::Operation::floating) == Masks{0});
}

}  // namespace lockstep::load_counters_test
