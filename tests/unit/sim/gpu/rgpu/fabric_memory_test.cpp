// What load-store units in R-GPU mode do to memory, ask by ask.

#include <catch2/catch.hpp>

#include "sim/gpu/sm/rgpu/fabric_memory.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::fabric_memory_test {

using namespace lockstep::test;
using dataflow::CacheOperator;
using dataflow::Element;
using dataflow::Node;
using dataflow::Opcode;
using dataflow::Space;
using noc::RequestKind;
using rgpu::Answer;
using rgpu::Ask;

namespace {

constexpr Cycle reply = 500;

Node memory_node(Opcode op, CacheOperator cache_operator = CacheOperator::l1) {
  Node node;
  node.op = op;
  node.cache_operator = cache_operator;
  return node;
}
Node scratchpad_node(Opcode op, bool locks = false) {
  Node node = memory_node(op);
  node.space = Space::scratchpad;
  node.locks = locks;
  return node;
}

/// One node per load-store unit, and a memory that answers after 500 cycles.
struct Units {
  explicit Units(const std::vector<Node>& nodes, bool communicates = false)
      : Units(memory_unit_gpu(), nodes, communicates) {}
  Units(const gpu::GpuSpec& gpu, const std::vector<Node>& nodes, bool communicates = false)
      : memory(gpu, reply),
        scratchpad(memory.spec.sm.scratchpad, memory.spec.sm.occupancy.scratchpad_bytes),
        fabric(memory.spec, memory.unit.parts(), scratchpad) {
    graph.nodes = nodes;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) mapping.place.push_back(n);
    fabric.begin(graph, mapping, communicates);
  }

  Answer ask(Ask::Kind kind, std::uint32_t unit, std::uint64_t address, Cycle now) {
    return fabric.serve({kind, unit, unit, address}, now);
  }
  Answer load(std::uint32_t unit, std::uint64_t address, Cycle now) { return ask(Ask::Kind::load, unit, address, now); }
  Answer store(std::uint32_t unit, std::uint64_t address, Cycle now) {
    return ask(Ask::Kind::store, unit, address, now);
  }
  Answer prefetch(std::uint32_t unit, std::uint64_t address, Cycle now) {
    return ask(Ask::Kind::prefetch, unit, address, now);
  }
  Answer flush(std::uint32_t unit, Cycle now) { return ask(Ask::Kind::flush, unit, 0, now); }
  const std::vector<noc::Request>& sent(Cycle now) {
    memory.run(now);
    for (const auto& completion : memory.completions) fabric.complete(completion);
    memory.completions.clear();
    return memory.sent;
  }

  UnitAndMemory memory;
  scratchpad::Scratchpad scratchpad;
  dataflow::Graph graph;
  rgpu::Mapping mapping;
  gpu::FabricMemory fabric;
};

const Node plain_load = memory_node(Opcode::load), plain_store = memory_node(Opcode::store, CacheOperator::l2);

}  // namespace

TEST_CASE("A load that misses asks for its line and is done when that has come; the rest of the line is there") {
  Units units({plain_load, plain_load});
  CHECK(units.load(0, 0x1004, 10) == Answer::waits);
  CHECK(units.load(1, 0x1008, 11) == Answer::waits);  // On its way: nothing more is asked for.
  const auto& sent = units.sent(20);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].kind == RequestKind::read);
  CHECK(sent[0].address == 0x1000);
  CHECK(sent[0].bytes == 128);
  units.sent(sent[0].cycle + reply - 1);
  CHECK(units.load(0, 0x1004, sent[0].cycle + reply - 1) == Answer::waits);
  const Cycle there = sent[0].cycle + reply;
  units.sent(there);
  CHECK(units.load(0, 0x1004, there) == Answer::done);
  CHECK(units.load(1, 0x1008, there) == Answer::done);
  CHECK(units.load(0, 0x107c, there + 1) == Answer::done);
  CHECK(units.memory.sent.size() == 1);
  CHECK(units.fabric.counters().l1_loads == 3);
  CHECK(units.fabric.counters().l1_misses == 1);
  CHECK(units.fabric.counters().l1_late == 1);
}

TEST_CASE("The L1 cache serves so many loads per cycle; others ask again in the next") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.rgpu.l1_lookups = 2;
  Units units(spec, {plain_load, plain_load, plain_load});
  units.load(0, 0x1000, 0);
  units.sent(1000);
  CHECK(units.load(0, 0x1000, 1000) == Answer::done);
  CHECK(units.load(0, 0x1004, 1001) == Answer::done);
  CHECK(units.load(1, 0x1008, 1001) == Answer::done);
  CHECK(units.load(2, 0x100c, 1001) == Answer::refused);
  CHECK(units.load(2, 0x100c, 1002) == Answer::done);
  CHECK(units.fabric.counters().l1_refusals == 1);
}

TEST_CASE("A prefetch asks for a line once; the load behind it waits for the rest of the way alone") {
  Units units({plain_load});
  CHECK(units.prefetch(0, 0x2000, 0) == Answer::done);
  CHECK(units.prefetch(0, 0x2040, 1) == Answer::done);
  CHECK(units.load(0, 0x2010, 300) == Answer::waits);
  REQUIRE(units.sent(300).size() == 1);
  const Cycle there = units.memory.sent[0].cycle + reply;
  units.sent(there);
  CHECK(units.load(0, 0x2010, there) == Answer::done);
  CHECK(units.prefetch(0, 0x2000, there) == Answer::done);
  CHECK(units.memory.sent.size() == 1);
  CHECK(units.fabric.counters().prefetched_lines == 1);
  CHECK(units.fabric.counters().prefetches_there == 2);
  CHECK(units.fabric.counters().l1_late == 1);
}

TEST_CASE("A unit has its word also when others drive the line out of the cache as it comes") {
  Units units({plain_load, plain_load});  // Four ways, four sets: lines 512 bytes apart share a set.
  CHECK(units.load(0, 0, 0) == Answer::waits);
  units.sent(reply + 100);
  for (std::uint64_t n = 1; n <= 4; ++n) {
    CHECK(units.prefetch(1, 512 * n, 700) == Answer::done);
  }
  units.sent(2000);
  CHECK(units.load(0, 0, 2000) == Answer::done);
  CHECK(units.load(0, 4, 2001) == Answer::waits);  // The line itself is gone.
}

TEST_CASE("When all miss registers are taken, loads and prefetches wait for a reply") {
  Units units({plain_load, plain_load});  // Four registers.
  for (std::uint64_t n = 0; n < 4; ++n) CHECK(units.prefetch(0, 128 * n, n) == Answer::done);
  CHECK(units.prefetch(0, 4096, 5) == Answer::waits);
  CHECK(units.load(1, 4096, 5) == Answer::waits);
  CHECK(units.memory.unit.outbox().size() == 4);
  units.sent(reply + 100);
  CHECK(units.load(1, 4096, reply + 100) == Answer::waits);
  CHECK(units.sent(reply + 200).size() == 5);
}

TEST_CASE("Loads past the L1 cache read a sector at a time and leave the cache alone") {
  Units units({memory_node(Opcode::load, CacheOperator::l2), plain_load});
  CHECK(units.load(0, 0x1000, 0) == Answer::waits);
  REQUIRE(units.sent(900).size() == 1);
  CHECK(units.memory.sent[0].bytes == 32);
  for (std::uint64_t word = 0; word < 8; ++word) CHECK(units.load(0, 0x1000 + 4 * word, 900 + word) == Answer::done);
  CHECK(units.load(0, 0x1020, 910) == Answer::waits);
  CHECK(units.load(1, 0x1000, 911) == Answer::waits);
  CHECK(units.sent(912).size() == 3);
  CHECK(units.fabric.counters().l2_load_requests == 2);
  CHECK(units.fabric.counters().l2_loads == 8);
}

TEST_CASE("A wait-for-hit load names its word, keeps what was written with it, and asks again for what was not") {
  Units units({memory_node(Opcode::load, CacheOperator::wait_for_hit)});
  CHECK(units.load(0, 0x1028, 0) == Answer::waits);  // Word 2 of the second sector.
  CHECK(units.load(0, 0x1028, 1) == Answer::waits);
  REQUIRE(units.memory.unit.outbox().size() == 1);
  const noc::Request request = units.memory.unit.outbox()[0];
  CHECK(request.kind == RequestKind::wait);
  CHECK(request.address == 0x1020);
  CHECK(request.words == 1u << 10);
  units.memory.unit.outbox().clear();
  units.memory.unit.deliver({700, request.token, request.slice, false, 0b0000'1100 << 8});
  units.sent(700);
  CHECK(units.load(0, 0x1028, 700) == Answer::done);
  CHECK(units.load(0, 0x102c, 701) == Answer::done);
  CHECK(units.load(0, 0x1030, 702) == Answer::waits);
  REQUIRE(units.memory.unit.outbox().size() == 1);
  CHECK(units.memory.unit.outbox()[0].words == 1u << 12);
}

TEST_CASE("Stores that follow each other leave as one line, when it is whole") {
  Units units({plain_store}, true);
  for (std::uint64_t word = 0; word < 31; ++word) CHECK(units.store(0, 0x1000 + 4 * word, word) == Answer::done);
  CHECK(units.sent(31).empty());
  CHECK(units.store(0, 0x107c, 31) == Answer::done);
  REQUIRE(units.sent(100).size() == 1);
  const noc::Request& line = units.memory.sent[0];
  CHECK(line.kind == RequestKind::write);
  CHECK(line.bytes == 128);
  CHECK(line.whole_sectors);
  CHECK(line.words == ~0u);
  CHECK(units.flush(0, 101) == Answer::done);  // Nothing is left.
  CHECK(units.sent(200).size() == 1);
  CHECK(units.fabric.counters().stores == 32);
  CHECK(units.fabric.counters().store_requests == 1);
}

TEST_CASE("A part of a line leaves before a store to another, or when it is flushed") {
  Units units({plain_store}, true);
  units.store(0, 0x1000, 0);
  units.store(0, 0x1020, 1);
  CHECK(units.sent(1).empty());
  units.store(0, 0x2004, 2);
  REQUIRE(units.sent(100).size() == 1);
  CHECK(units.memory.sent[0].address == 0x1000);
  CHECK(units.memory.sent[0].sectors == 0b11);
  CHECK_FALSE(units.memory.sent[0].whole_sectors);
  CHECK(units.memory.sent[0].words == 0x101);
  CHECK(units.flush(0, 101) == Answer::done);
  REQUIRE(units.sent(200).size() == 2);
  CHECK(units.memory.sent[1].words == 0b10);
}

TEST_CASE("Stores written through leave sector by sector; without a reader they name no words") {
  Units units({memory_node(Opcode::store, CacheOperator::write_through)});
  for (std::uint64_t word = 0; word < 12; ++word) units.store(0, 0x1000 + 4 * word, word);
  REQUIRE(units.sent(100).size() == 1);
  CHECK(units.memory.sent[0].bytes == 32);
  CHECK(units.memory.sent[0].words == 0);
  units.store(0, 0x1050, 101);  // Another sector of the same line.
  CHECK(units.sent(200).size() == 2);
}

TEST_CASE("Bytes are gathered too") {
  Node bytes = plain_store;
  bytes.element = Element::u8;
  Units units({bytes});
  for (std::uint64_t at = 0; at < 128; ++at) {
    CHECK(units.sent(at).empty());
    units.store(0, 0x1000 + at, at);
  }
  REQUIRE(units.sent(200).size() == 1);
  CHECK(units.memory.sent[0].whole_sectors);
  CHECK(units.fabric.counters().stored_bytes == 128);
}

TEST_CASE("A store drops the line from an L1 cache that is written past") {
  Units units({plain_load, plain_store});
  units.load(0, 0x1000, 0);
  units.sent(1000);
  CHECK(units.load(0, 0x1000, 1000) == Answer::done);
  CHECK(units.load(0, 0x1004, 1001) == Answer::done);
  units.store(1, 0x1000, 1002);
  CHECK(units.load(0, 0x1004, 1003) == Answer::done);  // It has not left.
  units.flush(1, 1004);
  CHECK(units.load(0, 0x1004, 1005) == Answer::waits);
}

TEST_CASE("A store whose line finds the port full is not taken, and taken once it is not") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.memory.noc.injection_queue = 1;
  spec.memory.noc.credits = 1;
  Units units(spec, {plain_store, plain_store});
  units.store(0, 0x1000, 0);
  units.store(1, 0x3000, 0);
  CHECK(units.store(0, 0x2000, 1) == Answer::done);  // 40 bytes at 8 a cycle: it has left at 6.
  CHECK(units.store(1, 0x4000, 2) == Answer::refused);
  CHECK(units.store(1, 0x4000, 7) == Answer::done);
  CHECK(units.flush(0, 8) == Answer::waits);  // No credit is left: a reply must come first.
  CHECK(units.sent(2000).size() == 2);
  CHECK(units.flush(0, 2000) == Answer::done);
  CHECK(units.fabric.counters().stores == 4);
}

TEST_CASE("Each reduction is a request of its own") {
  Units units({memory_node(Opcode::reduce)});
  CHECK(units.store(0, 0x1000, 0) == Answer::done);
  CHECK(units.store(0, 0x1004, 1) == Answer::done);
  REQUIRE(units.sent(100).size() == 2);
  CHECK(units.memory.sent[0].kind == RequestKind::reduction);
  CHECK(units.memory.sent[0].lanes == 1);
  CHECK(units.memory.sent[0].bytes == 4);
  CHECK(units.flush(0, 101) == Answer::done);
}

TEST_CASE("A bank serves one word per cycle: loads share it, stores do not") {
  const Node load = scratchpad_node(Opcode::load), store = scratchpad_node(Opcode::store);
  Units units({load, load, load, store, store});  // 32 banks of four bytes.
  CHECK(units.load(0, 0, 0) == Answer::done);
  CHECK(units.load(1, 0, 0) == Answer::done);
  CHECK(units.load(2, 128, 0) == Answer::refused);
  CHECK(units.store(3, 0, 0) == Answer::refused);
  CHECK(units.store(4, 4, 0) == Answer::done);
  CHECK(units.load(2, 128, 1) == Answer::done);
  CHECK(units.store(3, 0, 2) == Answer::done);
  CHECK(units.store(4, 0, 2) == Answer::refused);
  CHECK(units.load(0, 0, 2) == Answer::refused);
  CHECK(units.fabric.counters().bank_refusals == 4);
  CHECK(units.fabric.counters().scratchpad_loads == 3);
  CHECK(units.fabric.counters().scratchpad_stores == 2);
}

TEST_CASE("A load takes the lock of its word, others of the lock wait, and the store frees it for the next cycle") {
  const Node load = scratchpad_node(Opcode::load, true), store = scratchpad_node(Opcode::store, true);
  Units units({load, load, store});
  const std::uint64_t alias = std::uint64_t{units.memory.spec.sm.scratchpad.locks} * 4;
  REQUIRE(units.scratchpad.lock_of(alias) == units.scratchpad.lock_of(0));
  CHECK(units.load(0, 0, 0) == Answer::done);
  CHECK(units.load(1, 0, 1) == Answer::waits);
  CHECK(units.load(1, alias, 2) == Answer::waits);
  CHECK_FALSE(units.fabric.take_freed_lock());
  CHECK(units.store(2, 0, 3) == Answer::done);
  CHECK(units.fabric.take_freed_lock());
  CHECK_FALSE(units.fabric.take_freed_lock());
  CHECK(units.load(1, alias, 4) == Answer::done);
  CHECK(units.fabric.counters().lock_refusals == 2);
}

}  // namespace lockstep::fabric_memory_test
