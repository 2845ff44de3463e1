// What the fabric says of graphs that stand still.

#include <catch2/catch.hpp>

#include "tests/unit/models/rgpu/fabric_bed.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using Catch::Contains;
using dataflow::Opcode;

TEST_CASE("Branches that meet again with different rates are named as a cycle of waiting") {
  Bed bed;
  bed.node("source", Opcode::move, {constant()}, 32);
  bed.node("sums", Opcode::add, {from(0), constant()}, 32);
  bed.instance->nodes[1].emit_period = 16;  // Wants sixteen values before it gives one.
  bed.node("join", Opcode::add, {from(1, 0, 16), from(0)}, 32);
  Fabric fabric(bed.spec);
  REQUIRE(bed.run_all(fabric) == never);
  const std::string text = fabric.describe();
  CAPTURE(text);
  // It sees at cycle 15 that the FIFO of "join" is full, the first of eight values having come at 8.
  CHECK_THAT(text, Contains("'source' (core 0): 15 of 32 firings; waits: operand 1 of 'join' is full (8 entries)"));
  CHECK_THAT(text, Contains("'sums' (core 1): 8 of 32 firings; waits: operand 0 from 'source' is empty"));
  CHECK_THAT(text, Contains("'join' (core 2): 0 of 32 firings; waits: operand 0 from 'sums' is empty"));
  CHECK_THAT(text, Contains("'source' waits for 'join': the FIFO of operand 1 of 'join' can never empty"));
  CHECK_THAT(text, Contains("'join' waits for 'sums': the FIFO of operand 0 of 'join' can never fill"));
  CHECK_THAT(text, Contains("'sums' waits for 'source': the FIFO of operand 0 of 'sums' can never fill"));
  CHECK_THAT(text, Contains("it would continue with more than 8 entries in the FIFO of operand 1 of 'join' "
                            "(sm.rgpu.data_fifo)"));

  // A FIFO of seventeen is enough: sixteen values, and room for one more.
  bed.spec.data_fifo = 17;
  Fabric larger(bed.spec);
  CHECK(bed.run_all(larger) != never);
}

TEST_CASE("A chain that waits for memory names the address, and no cycle") {
  Bed bed;
  bed.memory_node("in", Opcode::load, {constant()}, {0x1240});
  bed.node("next", Opcode::move, {from(0)}, 1);
  bed.memory.answers = [](const Ask&, Cycle) { return Answer::waits; };
  Fabric fabric(bed.spec);
  REQUIRE(bed.run_all(fabric) == never);
  CHECK_THAT(fabric.describe(), Contains("'in' (load-store unit 0): 0 of 1 firings; waits: memory at 0x1240") &&
                                    Contains("'next' (core 0): 0 of 1 firings; waits: operand 0 from 'in' is empty") &&
                                    !Contains("cycle"));

  bed.graph->nodes[0].space = dataflow::Space::scratchpad;
  bed.graph->nodes[0].locks = true;
  Fabric locked(bed.spec);
  REQUIRE(bed.run_all(locked) == never);
  CHECK_THAT(locked.describe(), Contains("waits: lock of scratchpad word 0x1240"));
}

TEST_CASE("Waiting for a node that has ended is told") {
  Bed bed;
  bed.node("short", Opcode::move, {constant()}, 2);
  bed.node("long", Opcode::move, {from(0)}, 3);
  bed.node("endless", Opcode::move, {constant()}, 20);
  bed.node("little", Opcode::move, {from(2)}, 3);
  Fabric fabric(bed.spec);
  REQUIRE(bed.run_all(fabric) == never);
  const std::string text = fabric.describe();
  CHECK_THAT(text,
             Contains("'long' (core 1): 2 of 3 firings; waits: operand 0 from 'short' is empty, which has ended"));
  CHECK_THAT(text, Contains("operand 0 of 'little' is full (8 entries), which has ended"));
  CHECK_THAT(text, !Contains("'short' (core") && !Contains("cycle"));
}

TEST_CASE("A value in flight to its own node is no deadlock") {
  Bed bed;
  bed.increment("counter", 1, 5);
  Fabric fabric(bed.spec);
  bed.start(fabric, 0);
  bed.step(fabric, 0);
  CHECK_THAT(fabric.describe(), Contains("1 of 5 firings; waits: operand 0 from 'counter' is empty (a value is in "
                                         "flight)") &&
                                    !Contains("cycle"));
}

TEST_CASE("A node that leaves more values than its FIFO holds is found before it runs") {
  Bed bed;
  bed.node("source", Opcode::move, {constant()}, 24);
  bed.node("sink", Opcode::move, {from(0)}, 16);
  const auto message = [&bed] {
    try {
      check_that_it_ends(*bed.graph, *bed.instance, bed.spec);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("it ends");
  };
  // What the check says is what the fabric does: eight values remain in eight entries, nine do not.
  const auto ends = [&bed] {
    Fabric fabric(bed.spec);
    return bed.run_all(fabric) != never;
  };
  CHECK(message() == "it ends");
  CHECK(ends());
  bed.instance->nodes[0].iterations = 25;
  CHECK_THAT(message(),
             Contains("node 'sink' takes 16 of the 25 values at operand 0 from 'source'; 9 are left, but its "
                      "FIFO has 8 entries (sm.rgpu.data_fifo)"));
  CHECK_FALSE(ends());

  SECTION("initial values stay, too") {
    bed.instance->nodes[0].iterations = 23;
    bed.graph->nodes[1].operands[0].initial = 2;
    CHECK_THAT(message(), Contains("takes 16 of the 25 values at operand 0, 2 initial and 23 from 'source'"));
    CHECK_FALSE(ends());
    bed.instance->nodes[0].iterations = 22;
    CHECK(message() == "it ends");
    CHECK(ends());
  }
  SECTION("a value that is read again stays until its last time") {
    bed.instance->nodes[0].iterations = 16;
    bed.instance->nodes[1].operands[0].reuse = 2;
    CHECK(message() == "it ends");
    CHECK(ends());
    bed.instance->nodes[1].iterations = 15;
    CHECK_THAT(message(), Contains("takes 7 of the 16 values") && Contains("9 are left"));
    CHECK_FALSE(ends());
  }
  SECTION("what is not sent needs no room") {
    bed.instance->nodes[0].iterations = 48;
    bed.instance->nodes[0].emit_period = 2;
    CHECK(message() == "it ends");
    CHECK(ends());
  }
}
