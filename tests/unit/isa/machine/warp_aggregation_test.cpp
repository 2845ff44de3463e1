// Atomics that one lane does for all. The instructions are those that ptxas 13.0 wrote for sm_90, for kernels generated for this.
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::warp_aggregation_test {

using namespace lockstep::machine;

namespace {

constexpr Operation red = Operation::global_reduction, atom = Operation::global_atomic, count = Operation::bit_count,
                    compare = Operation::compare, exchange = Operation::exchange;

/// Everything from the first instruction on that is no integer operation, without the exit.
std::vector<Instruction> lowered(const std::string& body, const std::string& set = "hopper") {
  const program::Kernel kernel = machine::test::kernel_of(body);
  std::vector<Instruction> all;
  for (const Instruction& i : lower(kernel, {set, ScratchpadAtomics::native}).instructions)
    if (i.space != program::MemorySpace::param || !i.only_own_space) all.push_back(i);
  all.pop_back();
  while (!all.empty() && all.front().operation == Operation::integer) all.erase(all.begin());  // The prologue.
  return all;
}

machine::test::Operations operations(const std::string& body) {
  machine::test::Operations all;
  for (const Instruction& i : lowered(body)) all.push_back(i.operation);
  return all;
}

/// How many atomics one lane does, and how many each lane.
std::pair<std::size_t, std::size_t> elections(const std::string& body, const std::string& set = "hopper") {
  std::pair<std::size_t, std::size_t> found;
  for (const Instruction& i : lowered(body, set))
    if (i.takes_access && i.operation != machine::test::load && i.operation != machine::test::store &&
        i.operation != machine::test::special)
      ++(i.election == Election::each_lane ? found.second : found.first);
  return found;
}
constexpr std::pair<std::size_t, std::size_t> one_lane{1, 0}, each_lane{0, 1};

const std::string lane = "mov.u32 %r1, %tid.x;", value = "mov.u32 %r2, 5;";

}  // namespace

TEST_CASE("aggregation: lanes that add the same are counted by one of them") {
  // S2R LANEID, VOTEU, UFLO, ISETP, POPC, RED.
  const machine::test::Operations counted = {
      machine::test::special, machine::test::add, machine::test::add, compare, count, red};
  CHECK(operations("red.global.add.u32 [data], 1;") == counted);
  machine::test::Operations times_seven = counted;
  times_seven.insert(times_seven.end() - 1, machine::test::multiply);
  CHECK(operations("red.global.add.u32 [data], 7;") == times_seven);
  // The sign instead of a product.
  CHECK(operations("red.global.add.s32 [data], -1;").size() == times_seven.size());
  CHECK(elections("red.global.add.u64 [data], 1;") == one_lane);
}

TEST_CASE("aggregation: what lanes apply is reduced where it differs") {
  // S2R TID, S2R LANEID, VOTEU, UFLO, ISETP, REDUX, MOV, RED.
  const machine::test::Operations reduced = {machine::test::special,
                                             machine::test::special,
                                             machine::test::add,
                                             machine::test::add,
                                             compare,
                                             exchange,
                                             machine::test::add,
                                             red};
  for (const char* operation : {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}) {
    CAPTURE(operation);
    CHECK(operations(lane + "red.global." + operation + " [data], %r1;") == reduced);
    CHECK(elections(lane + "red.shared." + operation + " [table], %r1;") == one_lane);
    CHECK(elections(lane + "red." + operation + " [%rd1], %r1;").first > 0);  // Generic: a part for each memory.
  }
}

TEST_CASE("aggregation: each lane gets its share of the result of an addition") {
  // S2R LANEID, VOTEU, FLO, ISETP, POPC, ATOM; S2R LTMASK, LOP3, POPC, SHFL, IADD; STG.
  const machine::test::Operations shared = {machine::test::special,
                                            machine::test::add,
                                            machine::test::add,
                                            compare,
                                            count,
                                            atom,
                                            machine::test::special,
                                            machine::test::add,
                                            count,
                                            exchange,
                                            machine::test::add,
                                            machine::test::store};
  CHECK(operations("atom.global.add.u32 %r3, [data], 1; st.global.u32 [%rd2], %r3;") == shared);
  // A scan by shuffles, of whole warps.
  const auto scan = lowered(lane + "atom.global.add.u32 %r3, [data], %r1; st.global.u32 [%rd2], %r3;");
  CHECK(std::count_if(scan.begin(), scan.end(), [](const Instruction& i) { return i.operation == exchange; }) == 7);
  CHECK(std::count_if(scan.begin(), scan.end(),
                      [](const Instruction& i) { return i.election == Election::one_lane_of_a_full_warp; }) == 1);
}

TEST_CASE("aggregation: what a basic block has computed for one atomic the next one finds") {
  const std::string one = lane + "red.global.add.u32 [data], %r1;";
  CHECK(operations(one + "red.global.add.u32 [data+4], %r1;").size() == operations(one).size() + 1);
  CHECK(operations(one + "red.global.max.u32 [data+4], %r1;").size() == operations(one).size() + 3);
  CHECK(operations(one + "red.global.add.u32 [data+4], 1;").size() == operations(one).size() + 2);
  // Behind a barrier begins no other block, behind a label does.
  CHECK(operations(one + "L: red.global.add.u32 [data+4], %r1; setp.eq.u32 %p1, %r1, 9; @%p1 bra L;").size() >
        operations(one + "red.global.add.u32 [data+4], %r1; setp.eq.u32 %p1, %r1, 9;").size() + 1);
}

TEST_CASE("aggregation: other operations, addresses that differ and what one thread does stay") {
  for (const char* other :
       {"red.global.add.f32 [data], %f1;", "red.global.inc.u32 [data], 9;", "red.global.add.f64 [data], %fd1;",
        "atom.global.exch.b32 %r3, [data], %r1; st.global.u32 [%rd2], %r3;",
        "atom.global.cas.b32 %r3, [data], %r1, %r2; st.global.u32 [%rd2], %r3;",
        "atom.global.max.u32 %r3, [data], %r1; st.global.u32 [%rd2], %r3;",
        "cvt.u64.u32 %rd3, %r1; red.global.add.u64 [data], %rd3;"}) {
    CAPTURE(other);
    CHECK(elections(lane + value + other) == each_lane);
  }
  const std::string apart = lane + "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3;";
  CHECK(elections(apart + "red.global.add.u32 [%rd4], 1;") == each_lane);
  // A load from one address is one value, a load from several is not.
  CHECK(elections("ld.global.u64 %rd5, [data]; red.global.add.u32 [%rd5], 1;") == one_lane);
  CHECK(elections(apart + "ld.global.u64 %rd5, [%rd4]; red.global.add.u32 [%rd5], 1;") == each_lane);
  const auto only = [](const std::string& condition) {
    return elections(lane + condition + "@%p1 bra L; red.global.add.u32 [data], 1; L:");
  };
  CHECK(only("setp.ne.u32 %p1, %r1, 0;") == each_lane);
  CHECK(only("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; setp.ne.u32 %p1, %r4, 5;") ==
        each_lane);
  CHECK(only("and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0;") == one_lane);
  CHECK(only("setp.gt.u32 %p1, %r1, 9;") == one_lane);
  CHECK(elections(lane + "setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [data], 1;") == each_lane);
}

TEST_CASE(
    "aggregation: the scratchpad's own additions of one stay with its unit; other generations aggregate nothing") {
  CHECK(elections("red.shared.add.u32 [table], 1;") == each_lane);
  CHECK(elections("red.shared.add.u32 [table], 2;") == one_lane);
  CHECK(elections("red.global.add.u32 [data], 1;", "volta") == each_lane);
}

}  // namespace lockstep::warp_aggregation_test
