// Exact cycles of cores: Van den Braak, section 7.2. Producers are integer cores, their consumers floating ones, so that
// the activity by class tells them apart.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/models/rgpu/fabric_bed.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using dataflow::Opcode;
using Cycles = std::vector<Cycle>;

namespace {

constexpr std::size_t integer = 0, floating = 1;

Fabric watched(const Bed& bed) {
  Fabric fabric(bed.spec);
  fabric.record_activity(1);
  return fabric;
}

}  // namespace

TEST_CASE("A core that feeds itself fires once per initial value in each latency") {
  Bed bed;
  bed.increment("three", 3, 7);
  Fabric three = watched(bed);
  CHECK(bed.run_all(three) == 16 + 8);  // The last result arrives, then the fabric is done.
  CHECK(firing_cycles(three, integer) == Cycles{0, 1, 2, 8, 9, 10, 16});

  Bed hidden;
  hidden.increment("eight", 8, 20);
  Fabric eight = watched(hidden);
  CHECK(hidden.run_all(eight) == 19 + 8);

  // A FIFO of four entries halves the rate.
  Bed halved;
  halved.spec.data_fifo = 4;
  halved.increment("four", 4, 9);
  Fabric four = watched(halved);
  halved.run_all(four);
  CHECK(firing_cycles(four, integer) == Cycles{0, 1, 2, 3, 8, 9, 10, 11, 16});
}

TEST_CASE("A value is used in the cycle of its arrival, not before") {
  const auto second = [](Opcode op, const std::vector<Input>& inputs) {
    Bed bed;
    bed.node("first", op, inputs, 1);
    bed.node("second", Opcode::abs_f32, {from(0)}, 1);
    Fabric fabric = watched(bed);
    bed.run_all(fabric);
    return firing_cycles(fabric, floating).back();
  };
  CHECK(second(Opcode::move, {constant()}) == 8);
  CHECK(second(Opcode::add, {constant(), constant()}) == 8);
  CHECK(second(Opcode::mad, {constant(), constant(), constant()}) == 10);
  CHECK(second(Opcode::sine, {constant()}) == 20);
}

TEST_CASE("A predicate is no third operand") {
  Bed bed;
  bed.node("first", Opcode::add, {constant(), constant(), constant()}, 1);
  bed.graph->nodes[0].predicated = true;
  bed.node("second", Opcode::abs_f32, {from(0)}, 1);
  Fabric fabric = watched(bed);
  bed.run_all(fabric);
  CHECK(firing_cycles(fabric, floating) == Cycles{8});
}

TEST_CASE("A value takes the slot latency for each slot beyond its first, and none to its own FIFO") {
  Bed bed;
  bed.spec.slot_latency = 3;
  bed.increment("first", 1, 2);
  bed.node("near", Opcode::abs_f32, {from(0)}, 1);
  bed.node("far", Opcode::abs_f32, {from(0)}, 1);
  SECTION("on the next core, and four slots further") {
    bed.mapping.place = {0, 1, 5};
  }
  SECTION("round the end of the ring") {
    bed.mapping.place = {30, 31, 3};
  }
  Fabric fabric = watched(bed);
  bed.run_all(fabric);
  CHECK(firing_cycles(fabric, integer) == Cycles{0, 8});
  CHECK(firing_cycles(fabric, floating) == Cycles{8, 8 + 4 * 3});
  CHECK(fabric.counters().lane_words == 2);
  CHECK(fabric.counters().lane_slots == 2 * 5);  // The lane runs on to the last receiver.
}

TEST_CASE("A source fires while there is room at that moment; what finds none waits in it and holds up the rest") {
  Bed bed;
  bed.spec.data_fifo = 2;
  bed.node("source", Opcode::move, {constant()}, 11);
  bed.increment("gate", 1, 11);  // Its values arrive at 8, 16, 24, ...
  bed.node("drain", Opcode::add_f32, {from(0), from(1)}, 11);
  Fabric fabric = watched(bed);
  bed.run_all(fabric);
  // Values 1 to 3 arrive at 8, 9 and 10; the drain takes the first at once. The fourth finds the FIFO full at 11, and
  // leaves at 17, the cycle after the second was taken; so one leaves every 8 cycles, the tenth at 65. Room is seen again
  // at 73, since the ninth is taken at 72.
  std::vector<Cycle> expected;
  for (Cycle cycle = 0; cycle < 10; ++cycle) expected.push_back(cycle);  // And the gate, at 0 and 8.
  const std::vector<Cycle> cores = firing_cycles(fabric, integer);
  std::vector<Cycle> all = expected;
  for (Cycle cycle = 0; cycle < 11; ++cycle) all.push_back(8 * cycle);
  all.push_back(73);
  std::sort(all.begin(), all.end());
  CHECK(cores == all);
  CHECK(firing_cycles(fabric, floating) == Cycles{8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88});
}

TEST_CASE("A FIFO smaller than the latency holds up nothing that is taken at once") {
  Bed small;
  small.spec.data_fifo = 1;
  small.node("source", Opcode::move, {constant()}, 4);
  small.node("drain", Opcode::abs_f32, {from(0)}, 4);
  Fabric one = watched(small);
  small.run_all(one);
  // What arrives at 8 is taken at 8, and leaves room from 9 on.
  CHECK(firing_cycles(one, integer) == Cycles{0, 1, 2, 3});
  CHECK(firing_cycles(one, floating) == Cycles{8, 9, 10, 11});
}

TEST_CASE("A source waits for the fullest of its receivers") {
  Bed bed;
  bed.spec.data_fifo = 2;
  bed.node("source", Opcode::move, {constant()}, 4);
  bed.node("fast", Opcode::abs_f32, {from(0)}, 4);
  bed.node("slow", Opcode::abs_f32, {from(0, 2)}, 4);  // Full from the start.
  Fabric fabric = watched(bed);
  bed.run_all(fabric);
  // "slow" takes the first of its initial values in cycle 0, which leaves room from cycle 1 on.
  CHECK(firing_cycles(fabric, integer) == Cycles{1, 2, 3, 4});
}

TEST_CASE("A value that is used several times leaves with its last use") {
  Bed bed;
  bed.spec.data_fifo = 1;
  bed.node("source", Opcode::move, {constant()}, 3);
  bed.node("drain", Opcode::abs_f32, {from(0, 0, 3)}, 8);
  Fabric fabric = watched(bed);
  bed.run_all(fabric);
  // The second value is due at 9 and has room from 11 on, the third from 14 on.
  CHECK(firing_cycles(fabric, floating) == Cycles{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(firing_cycles(fabric, integer) == Cycles{0, 1, 2});
  CHECK(fabric.counters().data_fifo_reads == 2);  // The third is in use still.
  CHECK(fabric.counters().data_fifo_writes == 3);
}

TEST_CASE("A result that is not sent needs no room, and is sent only to its own node") {
  Bed bed;
  bed.spec.data_fifo = 1;
  bed.increment("sum", 1, 7);
  bed.instance->nodes[0].emit_period = 3;
  bed.node("drain", Opcode::abs_f32, {from(0, 0, 20)}, 20);
  SECTION("of three results the last") {
    Fabric fabric = watched(bed);
    bed.start(fabric, 0);
    Cycle now = 0;
    for (; now <= 200; ++now) bed.step(fabric, now);
    // The result of the third firing arrives at 24 and is used until 43; firings 4 and 5 need no room, 6 does from 44 on.
    CHECK(firing_cycles(fabric, integer) == Cycles{0, 8, 16, 24, 32, 44, 52});
    CHECK(fabric.values(1, 0) == 1);
    CHECK(fabric.values(0, 0) == 1);
    CHECK(fabric.done());
    fabric.finish(now);
    CHECK(fabric.counters().lane_words == 2);
    CHECK(fabric.counters().data_fifo_writes == 2 + 7);
  }
  SECTION("of three results the last two") {
    bed.instance->nodes[0].emit_last = 2;
    Fabric fabric = watched(bed);
    CHECK(bed.run_all(fabric) == never);
    // Sent: 2, 3, then 5 and 6. The third waits for the first two to be used up: 8 + 8 + 20, seen one later.
    const Cycles fired = firing_cycles(fabric, integer);
    CHECK(Cycles(fired.begin(), fired.begin() + 3) == Cycles{0, 8, 36});
  }
}

TEST_CASE("A ring never runs empty, and every value read is written back") {
  Bed bed;
  bed.node("ring", Opcode::abs_f32, {ring(3, 2)}, 9);
  Fabric fabric = watched(bed);
  bed.run_all(fabric);
  CHECK(firing_cycles(fabric, floating) == Cycles{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(fabric.counters().data_fifo_reads == 4);
  CHECK(fabric.counters().data_fifo_writes == 4);
}

TEST_CASE("An operand that restarts takes and drops as many values as another") {
  const auto run = [](std::uint32_t restart) {
    Bed bed;
    bed.increment("sum", 1, 12);
    bed.instance->nodes[0].operands[0].restart = restart;
    bed.instance->nodes[0].emit_period = 4;
    bed.node("drain", Opcode::abs_f32, {from(0)}, 3);
    Fabric fabric = watched(bed);
    bed.run_all(fabric);
    return std::pair(firing_cycles(fabric, integer), firing_cycles(fabric, floating));
  };
  CHECK(run(4) == run(0));
  CHECK(run(4).second == Cycles{32, 64, 96});
}

TEST_CASE("Every unit has one state in every cycle") {
  Bed bed;
  bed.spec.data_fifo = 1;
  bed.node("source", Opcode::move, {constant()}, 10);
  bed.node("drain", Opcode::add_f32, {from(0), from(1, 1)}, 10);
  Fabric fabric = watched(bed);
  // source fires at 0 to 7; then one of its values leaves every 8 cycles, and at 65 there is room again. drain fires at 8,
  // 16, ..., 64, at 73 and at 81; its last result is there at 89.
  CHECK(bed.run_all(fabric, false, 0) == 89);
  const FabricCounters& counters = fabric.counters();
  CHECK(counters.runs == 1);
  CHECK(counters.cycles == 90);
  CHECK(counters.unit_cycles == 180);
  CHECK(counters.fired == 20);
  CHECK(counters.waits_receiver == 57);  // source: 8 to 64.
  CHECK(counters.waits_operand == 72);   // drain: 82 cycles until its last firing, but for 10.
  CHECK(counters.ended == 23 + 8);       // source: 67 to 89. drain: 82 to 89.
  CHECK(counters.integer_firings == 10);
  CHECK(counters.floating_firings == 10);
  CHECK(fabric.activity().intervals.size() == 90);
}

TEST_CASE("A run begins at any cycle, and a fabric runs again") {
  Bed bed;
  bed.increment("twice", 2, 3);
  Fabric fabric = watched(bed);
  CHECK(bed.run_all(fabric, false, 1000) == 1016);
  CHECK(bed.run_all(fabric, true, 2000) == 2016);
  CHECK(firing_cycles(fabric, integer) == Cycles{1000, 1001, 1008, 2000, 2001, 2008});
  CHECK(fabric.counters().runs == 2);
  CHECK(fabric.counters().cycles == 34);
  CHECK(fabric.next_event() == never);
}

TEST_CASE("More initial values than a FIFO has entries are refused by node and operand") {
  Bed bed;
  bed.node("source", Opcode::move, {constant()}, 1);
  bed.node("sum", Opcode::add, {constant(), from(0, 9)}, 1);
  bed.memory_node("in", Opcode::load, {ring(257)}, {0});
  Fabric fabric(bed.spec);
  CHECK_THROWS_WITH(bed.start(fabric, 0), Catch::Contains("operand 1 of node 'sum' has 9 initial values") &&
                                              Catch::Contains("8 entries (sm.rgpu.data_fifo)") &&
                                              Catch::Contains("operand 0 of node 'in' has 257 initial values") &&
                                              Catch::Contains("256 entries (sm.rgpu.address_fifo)"));
  CHECK_THROWS_AS(bed.start(fabric, 0), InputError);
  CHECK(!fabric.running());
}

TEST_CASE("A caller that leaves out an event is told") {
  Bed bed;
  bed.increment("one", 1, 3);
  Fabric fabric(bed.spec);
  bed.start(fabric, 5);
  CHECK(fabric.next_event() == 5);
  CHECK_THROWS_AS(fabric.step(6), Bug);
  fabric.step(5);
  CHECK(fabric.next_event() == 13);
  CHECK_THROWS_AS(fabric.step(5), Bug);
  CHECK_THROWS_AS(fabric.step(14), Bug);
  CHECK_THROWS_AS(fabric.finish(13), Bug);
}

TEST_CASE("The cycles of each node are told on their own, over all runs with a mapping") {
  Bed bed;
  bed.node("source", Opcode::move, {constant()}, 4);
  bed.node("sink", Opcode::move, {from(0)}, 4);
  Fabric fabric(bed.spec);
  REQUIRE(bed.run_all(fabric) != never);
  CHECK(fabric.nodes(bed.mapping).empty());
  fabric.record_nodes(true);
  // The source fires in cycles 0 to 3; its values are there from 8 on, and the sink fires in 8 to 11.
  REQUIRE(bed.run_all(fabric, false, 100) != never);
  const auto cycles = fabric.nodes(bed.mapping);
  REQUIRE(cycles.size() == 2);
  CHECK(cycles[0].fired == 4);
  CHECK(cycles[0].waits_operand == 0);
  CHECK(cycles[1].fired == 4);
  CHECK(cycles[1].waits_operand == 8);
  CHECK(cycles[0].ended - cycles[1].ended == 8);
  REQUIRE(bed.run_all(fabric, true, 200) != never);
  CHECK(fabric.nodes(bed.mapping)[1].fired == 8);
  CHECK(fabric.nodes(bed.mapping)[1].waits_operand == 16);
  const Mapping other = bed.mapping;
  CHECK(fabric.nodes(other).empty());
}
