// Load-store units of the fabric: order, prefetcher, flushes, locks.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/models/rgpu/fabric_bed.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using dataflow::no_access;
using dataflow::Opcode;
using Kind = Ask::Kind;
using Cycles = std::vector<Cycle>;

namespace {

std::vector<std::uint64_t> words(std::uint64_t first, std::uint64_t step, std::size_t count) {
  std::vector<std::uint64_t> addresses;
  for (std::size_t n = 0; n != count; ++n) addresses.push_back(first + step * n);
  return addresses;
}

/// A load whose addresses are all there at the start, and a core that takes what it loads.
Bed loads(const std::vector<std::uint64_t>& addresses) {
  Bed bed;
  bed.node("where", Opcode::move, {constant()}, 0);
  bed.memory_node("in", Opcode::load, {from(0, static_cast<std::uint32_t>(addresses.size()))}, addresses);
  bed.node("out", Opcode::abs_f32, {from(1)}, addresses.size());
  return bed;
}

}  // namespace

TEST_CASE("A load that has its value leaves after its latency, one per cycle") {
  Bed bed = loads(words(4096, 4, 4));
  Fabric fabric(bed.spec);
  fabric.record_activity(1);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::load) == Cycles{0, 1, 2, 3});
  CHECK(firing_cycles(fabric, 1) == Cycles{2, 3, 4, 5});
  CHECK(fabric.counters().load_firings == 4);
  CHECK(fabric.counters().address_fifo_reads == 4);
  CHECK(fabric.counters().address_fifo_writes == 0);  // Initial values.
}

TEST_CASE("Loads stay in order: one that hits waits behind one that misses") {
  Bed bed = loads({4096, 8192, 4100});
  bed.spec.prefetch_scan = 0;
  bed.memory.answers = [&bed](const Ask& ask, Cycle now) {
    if (ask.address != 4096 || now >= 50) return Answer::done;
    bed.memory.wakes = {50};
    return Answer::waits;
  };
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::load, Answer::waits) == Cycles{0});
  CHECK(bed.memory.cycles(Kind::load) == Cycles{50, 51, 52});
  CHECK(fabric.counters().waits_memory == 50);
}

TEST_CASE("A refused load asks again in the next cycle, one that waits not before it is woken") {
  Bed bed = loads({4096});
  bed.memory.answers = [&bed](const Ask&, Cycle now) {
    if (now < 3) return Answer::refused;
    if (now == 3) bed.memory.wakes = {10, 20};
    return now < 20 ? Answer::waits : Answer::done;
  };
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::load, Answer::refused) == Cycles{0, 1, 2});
  CHECK(bed.memory.cycles(Kind::load, Answer::waits) == Cycles{3, 10});
  CHECK(bed.memory.cycles(Kind::load) == Cycles{20});
  CHECK(fabric.counters().waits_memory == 20);
}

TEST_CASE("A load asks only when its receivers have room") {
  Bed bed = loads(words(4096, 4, 10));
  bed.graph->nodes[2].operands[0].initial = 8;
  bed.instance->nodes[2].operands[0].reuse = 5;
  Fabric fabric(bed.spec);
  bed.start(fabric, 0);
  for (Cycle now = 0; now <= 5; ++now) bed.step(fabric, now);
  CHECK(bed.memory.cycles(Kind::load) == Cycles{5});  // The first value is used in cycles 0 to 4.
}

TEST_CASE("The prefetcher asks once for each line, at its pace") {
  Bed bed = loads(words(4096, 4, 96));
  bed.memory.answers = [&bed](const Ask& ask, Cycle now) {
    if (ask.kind != Kind::load || now >= 200) return Answer::done;
    bed.memory.wakes = {200};
    return Answer::waits;
  };
  SECTION("one address per cycle") {
    // The load looks up address 0 itself; addresses 1, 2, ... are read in cycles 0, 1, ...
    Fabric fabric(bed.spec);
    bed.run_all(fabric);
    CHECK(bed.memory.cycles(Kind::prefetch) == Cycles{31, 63});
    CHECK(fabric.counters().prefetches == 2);
    CHECK(fabric.counters().prefetch_scans == 95);
  }
  SECTION("four addresses per cycle, but no more behind a new line") {
    bed.spec.prefetch_scan = 4;
    Fabric fabric(bed.spec);
    bed.run_all(fabric);
    // 1 to 4, ..., 29 to 32 in cycle 7; 33 to 36 in cycle 8, ..., 61 to 64 in cycle 15.
    CHECK(bed.memory.cycles(Kind::prefetch) == Cycles{7, 15});
  }
  SECTION("none") {
    bed.spec.prefetch_scan = 0;
    Fabric fabric(bed.spec);
    bed.run_all(fabric);
    CHECK(bed.memory.cycles(Kind::prefetch).empty());
    CHECK(fabric.counters().prefetch_scans == 0);
  }
  SECTION("lines of another length") {
    Fabric fabric(bed.spec, 64);
    bed.run_all(fabric);
    CHECK(bed.memory.cycles(Kind::prefetch) == Cycles{15, 31, 47, 63, 79});
  }
}

TEST_CASE("A prefetch that is refused asks again, one that waits after wake(); the scan stays there") {
  Bed bed = loads(words(4096, 128, 4));
  bed.memory.answers = [&bed](const Ask& ask, Cycle now) {
    if (ask.kind == Kind::load && now < 100) {
      bed.memory.wakes.insert(100);
      return Answer::waits;
    }
    if (ask.kind != Kind::prefetch || now > 40) return Answer::done;
    if (now < 3) return Answer::refused;
    bed.memory.wakes.insert(41);
    return Answer::waits;
  };
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::prefetch, Answer::refused) == Cycles{0, 1, 2});
  CHECK(bed.memory.cycles(Kind::prefetch, Answer::waits) == Cycles{3});
  CHECK(bed.memory.cycles(Kind::prefetch) == Cycles{41, 42, 43});
  CHECK(fabric.counters().prefetch_scans == 3);
}

TEST_CASE("A load overtakes a prefetch that cannot be taken") {
  Bed bed = loads(words(4096, 128, 3));
  bed.memory.answers = [](const Ask& ask, Cycle) { return ask.kind == Kind::prefetch ? Answer::waits : Answer::done; };
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::load) == Cycles{0, 1, 2});
  CHECK(bed.memory.cycles(Kind::prefetch, Answer::waits) == Cycles{0, 1});
}

TEST_CASE("Nothing is prefetched from scratchpad memory, past the L1 cache, or for loads that wait for a hit") {
  Bed bed = loads(words(0, 128, 8));
  dataflow::Node& load = bed.graph->nodes[1];
  SECTION("scratchpad") {
    load.space = dataflow::Space::scratchpad;
  }
  SECTION("l2") {
    load.cache_operator = dataflow::CacheOperator::l2;
  }
  SECTION("wait for hit") {
    load.cache_operator = dataflow::CacheOperator::wait_for_hit;
  }
  bed.memory.answers = [](const Ask& ask, Cycle now) {
    return ask.kind == Kind::load && now < 20 ? Answer::refused : Answer::done;
  };
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::load).size() == 8);
  CHECK(bed.memory.cycles(Kind::prefetch).empty());
}

TEST_CASE("A load without an access sends no request and takes its latency") {
  Bed bed = loads({no_access, no_access, 4096});
  Fabric fabric(bed.spec);
  fabric.record_activity(1);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::prefetch) == Cycles{1});  // Address 2 is read while 1 is at the head.
  CHECK(bed.memory.cycles(Kind::load) == Cycles{2});
  CHECK(bed.memory.log.size() == 2);
  CHECK(firing_cycles(fabric, 1) == Cycles{2, 3, 4});
  CHECK(firing_cycles(fabric, 2) == Cycles{0, 1, 2});
}

TEST_CASE("A load that gives its own next address takes no lane") {
  Bed bed;
  bed.spec.slot_latency = 5;
  bed.memory_node("chase", Opcode::load, {from(0, 1)}, {4096, 8192, 4096});
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::load) == Cycles{0, 2, 4});
  CHECK(fabric.counters().lane_words == 0);
}

TEST_CASE("A store needs address and data") {
  Bed bed;
  bed.node("data", Opcode::mad, {constant(), constant(), constant()}, 2);
  bed.memory_node("out", Opcode::store, {ring(2), from(0)}, words(4096, 4, 2));
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(bed.memory.cycles(Kind::store) == Cycles{10, 11});
  CHECK(fabric.counters().store_firings == 2);
  CHECK(fabric.counters().address_fifo_writes == 2);
}

TEST_CASE("What a store unit has gathered leaves when its time is out, and with its last store") {
  Bed bed;
  bed.spec.store_timeout = 5;
  bed.node("data", Opcode::move, {constant()}, 3);
  // Results at 8, 9 and 10.
  bed.memory_node("out", Opcode::store, {constant(), from(0)}, words(4096, 4, 3));
  SECTION("with the last store") {
    Fabric fabric(bed.spec);
    CHECK(bed.run_all(fabric) == 11);
    CHECK(bed.memory.cycles(Kind::store) == Cycles{8, 9, 10});
    CHECK(bed.memory.cycles(Kind::flush) == Cycles{11});
  }
  SECTION("repeated while it is refused") {
    bed.memory.answers = [](const Ask& ask, Cycle now) {
      return ask.kind == Kind::flush && now < 14 ? Answer::refused : Answer::done;
    };
    Fabric fabric(bed.spec);
    CHECK(bed.run_all(fabric) == 14);
    CHECK(bed.memory.cycles(Kind::flush, Answer::refused) == Cycles{11, 12, 13});
    CHECK(bed.memory.cycles(Kind::flush) == Cycles{14});
  }
  SECTION("after idle cycles") {
    bed.increment("slow", 1, 3);
    bed.graph->nodes[1].operands[1].source = 2;
    // Results of "slow" at 8, 16 and 24.
    Fabric fabric(bed.spec);
    CHECK(bed.run_all(fabric) == 25);
    CHECK(bed.memory.cycles(Kind::store) == Cycles{8, 16, 24});
    CHECK(bed.memory.cycles(Kind::flush) == Cycles{13, 21, 25});
  }
  SECTION("scratchpad stores gather nothing") {
    bed.graph->nodes[1].space = dataflow::Space::scratchpad;
    Fabric fabric(bed.spec);
    bed.run_all(fabric);
    CHECK(bed.memory.cycles(Kind::flush).empty());
  }
  SECTION("nor do stores without an access") {
    bed.run->accesses[1] = {};
    for (int n = 0; n != 3; ++n) bed.run->accesses[1].append(no_access);
    Fabric fabric(bed.spec);
    CHECK(bed.run_all(fabric) == 10);
    CHECK(bed.memory.log.empty());
    CHECK(fabric.counters().store_firings == 3);
  }
}

TEST_CASE("A load that waits for a lock is told from one that waits for memory") {
  Bed bed = loads({64});
  bed.graph->nodes[1].space = dataflow::Space::scratchpad;
  bed.graph->nodes[1].locks = true;
  bed.memory.answers = [&bed](const Ask&, Cycle now) {
    if (now == 0) return Answer::refused;
    if (now < 30) bed.memory.wakes = {30};
    return now < 30 ? Answer::waits : Answer::done;
  };
  Fabric fabric(bed.spec);
  bed.run_all(fabric);
  CHECK(fabric.counters().waits_lock == 29);
  CHECK(fabric.counters().waits_memory == 1);
}

TEST_CASE("Asks are in order of units, and each must be answered") {
  Bed bed;
  bed.memory_node("a", Opcode::load, {constant()}, {0});
  bed.memory_node("b", Opcode::load, {constant()}, {128});
  bed.mapping.place = {7, 3};
  bed.make_routes();
  Fabric fabric(bed.spec);
  bed.start(fabric, 0);
  const std::span<const Ask> asks = fabric.step(0);
  REQUIRE(asks.size() == 2);
  CHECK(asks[0].unit == 3);
  CHECK(asks[0].node == 1);
  CHECK(asks[1].unit == 7);
  CHECK(fabric.next_event() == 1);
  fabric.answer(asks[0], Answer::done);
  CHECK_THROWS_AS(fabric.answer(asks[0], Answer::done), Bug);
  CHECK_THROWS_AS(fabric.step(1), Bug);
  fabric.answer(asks[1], Answer::done);
  CHECK(fabric.done());
}
