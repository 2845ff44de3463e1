#include <catch2/catch.hpp>

#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::memory_unit_l1_test {

using namespace lockstep::test;
using gpu::MemoryUnit;
using machine::CacheOperator;
using noc::RequestKind;

TEST_CASE("memory unit: a miss is answered when its reply is there, and the same line then hits after the L1 latency") {
  UnitAndMemory m(memory_unit_gpu());
  const auto miss = m.load(line_at(4096), 100, 7);
  CHECK_FALSE(miss.complete);
  CHECK(miss.occupied == 1);
  m.run(600);  // Leaves at 101: a header of 8 bytes takes a cycle. Replies 500 later.
  CHECK_FALSE(m.completed(7));
  m.run(601);
  CHECK(m.completed(7) == 601);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].cycle == 101);
  CHECK(m.sent[0].address == 4096);
  CHECK(m.sent[0].sectors == 0b1111);
  CHECK(m.sent[0].bytes == 128);
  const auto hit = m.load(line_at(4096), 700);
  CHECK(hit.complete);
  CHECK(hit.ready == 730);
  CHECK(m.unit.counters().l1_global_load_miss == 1);
  CHECK(m.unit.counters().l1_global_load_hit == 1);
  CHECK(m.unit.counters().gld_request == 2);
}

TEST_CASE(
    "memory unit: of a loop over one line more than the L1 cache has, what stays is up to the replacement policy") {
  const auto hits = [](const char* replacement) {
    gpu::GpuSpec spec = memory_unit_gpu();
    spec.sm.l1.cache.bytes = 4 * spec.sm.l1.cache.line_bytes;
    spec.sm.l1.cache.ways = 0;
    spec.sm.l1.cache.replacement = replacement;
    UnitAndMemory m(spec);
    Cycle now = 0;
    for (int round = 0; round < 200; ++round)
      for (std::uint64_t line = 0; line < 5; ++line, now += 1000) {
        m.load(line_at(line * spec.sm.l1.cache.line_bytes), now);
        m.run(now + 999);
      }
    return m.unit.counters().l1_global_load_hit;
  };
  CHECK(hits("lru") == 0);
  CHECK(hits("fifo") == 0);
  CHECK(hits("random") > 200);
  CHECK(hits("brrip") > 400);
}

TEST_CASE("memory unit: a warp that touches n resident lines waits for its last, and takes the unit for each") {
  UnitAndMemory m(memory_unit_gpu());
  m.load(line_at(0, 4, 128), 0);
  m.run(2000);
  const auto hit = m.load(line_at(0, 4, 128), 3000);
  CHECK(hit.complete);
  CHECK(hit.ready == 3030 + 3);
  CHECK(hit.occupied == 4);
  CHECK(hit.transactions == 4);
  // Four whole lines at 32 bytes per cycle take sixteen cycles of the cache's port.
  gpu::GpuSpec slow = memory_unit_gpu();
  slow.sm.l1.bytes_per_cycle = 32;
  UnitAndMemory n(slow);
  n.load(line_at(0), 0);
  n.run(2000);
  CHECK(n.load(line_at(0), 3000).occupied == 4);
  const auto second = n.load(line_at(0), 3001);
  CHECK(second.ready == 3004 + 30);
  CHECK(second.occupied == 7);
}

TEST_CASE("memory unit: an access to a line in flight waits for it without a request of its own") {
  UnitAndMemory m(memory_unit_gpu());
  m.load(line_at(0), 0, 1);
  m.load(line_at(0), 300, 2);
  m.run(1000);
  CHECK(m.sent.size() == 1);
  CHECK(m.completed(1) == 501);
  CHECK(m.completed(2) == 501);
}

TEST_CASE("memory unit: a present line of which a sector misses fetches that sector alone") {
  UnitAndMemory m(memory_unit_gpu());
  m.load(line_at(32, 8), 0, 1);  // Sector 1.
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].sectors == 0b0010);
  CHECK(m.sent[0].bytes == 32);
  CHECK_FALSE(m.load(line_at(0, 16), 1000, 2).complete);  // Sectors 0 and 1.
  m.run(2000);
  REQUIRE(m.sent.size() == 2);
  CHECK(m.sent[1].sectors == 0b0001);
  CHECK(m.load(line_at(0, 16), 2000).complete);
  CHECK_FALSE(m.load(line_at(0), 2001).complete);
}

TEST_CASE("memory unit: a cache without sectors fetches its whole line") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.cache.sector_bytes = 128;
  UnitAndMemory m(spec);
  m.load(line_at(32, 1), 0);
  m.run(1000);
  CHECK(m.sent.at(0).sectors == 0b1111);
  CHECK(m.load(line_at(0), 1000).complete);
}

TEST_CASE("memory unit: with every MSHR taken the unit stalls until one is free, and then continues by itself") {
  UnitAndMemory m(memory_unit_gpu());  // Four lines may be in flight.
  for (std::uint32_t n = 0; n < 4; ++n) m.load(line_at(n * 128), n * 10, n);
  CHECK(m.unit.free_at() == 0);
  m.load(line_at(4 * 128), 40, 4);
  CHECK(m.unit.free_at() == never);
  CHECK(m.unit.counters().mshr_full_stalls == 1);
  m.run(500);
  CHECK(m.unit.free_at() == never);
  m.run(501);
  CHECK(m.unit.free_at() != never);
  m.run(5000);
  REQUIRE(m.sent.size() == 5);
  CHECK(m.sent[4].cycle == 502);
  CHECK(m.completed(4) == 1002);
  CHECK(m.unit.counters().mshr_stall_cycles == 501 - 40);
}

TEST_CASE("memory unit: a line takes as many accesses as an MSHR merges, and the next stalls") {
  UnitAndMemory m(memory_unit_gpu());
  for (std::uint32_t n = 0; n < 3; ++n) m.load(line_at(0), n, n);
  CHECK(m.unit.free_at() == 0);
  m.load(line_at(0), 3, 3);
  CHECK(m.unit.free_at() == never);
  CHECK(m.unit.counters().mshr_merge_stalls == 1);
  m.run(1000);
  CHECK(m.sent.size() == 1);
  CHECK(m.completed(3) == 501 + 30);  // When its turn comes, the line is there.
}

TEST_CASE("memory unit: a line goes when its set has one line too many") {
  UnitAndMemory m(memory_unit_gpu());
  for (std::uint32_t n = 0; n < 5; ++n) {
    m.load(line_at(n * 512), n * 1000);
    m.run(n * 1000 + 999);
  }
  CHECK(m.load(line_at(512), 6000).complete);
  CHECK_FALSE(m.load(line_at(0), 6001).complete);
  CHECK(m.unit.counters().l1_evictions == 1);
}

TEST_CASE("memory unit: a store is complete when it is acknowledged, and carries its sectors") {
  UnitAndMemory m(memory_unit_gpu());
  CHECK_FALSE(m.store(line_at(0), 0, 5).complete);
  m.run(516);
  CHECK_FALSE(m.completed(5));
  m.run(517);  // 8 + 128 bytes at 8 per cycle: leaves at 17.
  CHECK(m.completed(5) == 517);
  CHECK(m.sent.at(0).kind == RequestKind::write);
  CHECK(m.sent.at(0).whole_sectors);
  m.store(line_at(0, 9), 1000, 6);
  m.run(3000);
  CHECK(m.sent.at(1).sectors == 0b0011);
  CHECK(m.sent.at(1).bytes == 64);
  CHECK_FALSE(m.sent.at(1).whole_sectors);
  CHECK(m.unit.counters().gst_request == 2);
  CHECK(m.unit.counters().gst_requested_bytes == 128 + 36);
}

TEST_CASE("memory unit: what a store does to a line that is there depends on the policy") {
  using cache::WritePolicy;
  const WritePolicy policy = GENERATE(WritePolicy::evict, WritePolicy::through, WritePolicy::back);
  CAPTURE(static_cast<int>(policy));
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.global_write = policy;
  UnitAndMemory m(spec);
  m.load(line_at(0), 0);
  m.run(1000);
  const auto stored = m.store(line_at(0), 1000, 1);
  CHECK(stored.complete == (policy == WritePolicy::back));
  m.run(2000);
  CHECK(m.sent.size() == (policy == WritePolicy::back ? 1 : 2));
  CHECK(m.load(line_at(0), 2000).complete == (policy != WritePolicy::evict));
}

TEST_CASE("memory unit: without a line there, evict and through bring none in") {
  using cache::WritePolicy;
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.global_write = GENERATE(WritePolicy::evict, WritePolicy::through);
  UnitAndMemory m(spec);
  m.store(line_at(0), 0);
  m.run(1000);
  CHECK_FALSE(m.load(line_at(0), 1000).complete);
}

TEST_CASE("memory unit: write-back reads what it does not write wholly, and writes when the line goes") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.global_write = cache::WritePolicy::back;
  UnitAndMemory m(spec);
  CHECK(m.store(line_at(0, 8), 0).complete);  // Sector 0, wholly.
  m.run(100);
  CHECK(m.sent.empty());
  CHECK_FALSE(m.store(line_at(32, 4), 100, 1).complete);  // Half of sector 1.
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].kind == RequestKind::read);
  CHECK(m.sent[0].sectors == 0b0010);
  CHECK(m.completed(1) == 601);
  for (std::uint32_t n = 1; n <= 4; ++n) {
    m.load(line_at(n * 512), n * 1000);
    m.run(n * 1000 + 999);
  }
  REQUIRE(m.sent.size() == 6);
  CHECK(m.sent[5].kind == RequestKind::write);
  CHECK(m.sent[5].address == 0);
  CHECK(m.sent[5].sectors == 0b0011);
  CHECK(m.unit.counters().l1_write_backs == 1);
  // At the end of a launch, dirty lines of global memory are written; local memory dies with its threads.
  m.store(line_at(512, 8), 9000);
  m.local(MemoryUnit::Kind::store, line_at(gpu::local_region), 9001);
  m.unit.write_back(9100);
  m.run(20000);
  REQUIRE(m.sent.size() == 7);
  CHECK(m.sent[6].address == 512);
  CHECK(m.sent[6].sectors == 0b0001);
}

TEST_CASE("memory unit: local stores stay in the L1 cache, and a last use drops the line without writing it") {
  UnitAndMemory m(memory_unit_gpu());
  const auto at = line_at(gpu::local_region);
  CHECK(m.local(MemoryUnit::Kind::store, at, 0).complete);
  CHECK(m.local(MemoryUnit::Kind::load, at, 10).ready == 40);
  CHECK(m.local(MemoryUnit::Kind::load, at, 50, 0, CacheOperator::last_use).complete);
  CHECK_FALSE(m.local(MemoryUnit::Kind::load, at, 100).complete);
  m.run(1000);
  CHECK(m.sent.size() == 1);  // The last load; nothing was written.
  CHECK(m.unit.counters().l1_local_load_hit == 2);
  CHECK(m.unit.counters().l1_local_load_miss == 1);
  CHECK(m.unit.counters().l1_local_store_miss == 1);
}

TEST_CASE("memory unit: a store of one lane to local memory reads nothing first, and its word is there for a load") {
  UnitAndMemory m(memory_unit_gpu());
  CHECK(m.local(MemoryUnit::Kind::store, line_at(gpu::local_region + 20, 1), 0).complete);
  CHECK(m.local(MemoryUnit::Kind::load, line_at(gpu::local_region + 20, 1), 10).ready == 40);
  // Of another sector of the line nothing is there.
  CHECK_FALSE(m.local(MemoryUnit::Kind::load, line_at(gpu::local_region + 64, 1), 100).complete);
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].kind == RequestKind::read);
  CHECK(m.sent[0].sectors == 0b0100);
}

TEST_CASE("memory unit: without L1 for global memory every load goes out, with the sectors it needs") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.global = false;
  UnitAndMemory m(spec);
  for (std::uint32_t n = 0; n < 8; ++n) m.load(line_at(0, 1), n, n);
  CHECK(m.unit.free_at() == 0);  // No MSHR is needed.
  m.run(2000);
  CHECK(m.sent.size() == 8);
  CHECK(m.sent[0].sectors == 0b0001);
  CHECK(m.unit.counters().uncached_global_load_transaction == 8);
  // Local memory still goes through it.
  CHECK(m.local(MemoryUnit::Kind::store, line_at(gpu::local_region), 3000).complete);
}

TEST_CASE("memory unit: the L1 cache has what the scratchpad leaves of the memory that both share") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.unified_bytes = 64 << 10;
  spec.sm.occupancy.scratchpad_bytes = 48 << 10;
  CHECK(MemoryUnit::l1_bytes(spec.sm) == 16 << 10);
  spec.sm.occupancy.scratchpad_bytes = 16 << 10;
  CHECK(MemoryUnit::l1_bytes(spec.sm) == 48 << 10);
  spec.sm.occupancy.scratchpad_bytes = 64 << 10;
  CHECK(MemoryUnit::l1_bytes(spec.sm) == 0);
  UnitAndMemory m(spec);
  m.load(line_at(0), 0);
  m.run(1000);
  CHECK_FALSE(m.load(line_at(0), 1000).complete);
}

TEST_CASE(
    "memory unit: a launch gets the smallest scratchpad that holds its thread blocks, and the L1 cache the rest") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.unified_bytes = 256 << 10;
  spec.sm.l1.scratchpad_kib = "0,8,64,228";
  spec.sm.occupancy.scratchpad_bytes = 228 << 10;
  const auto kib = [&](std::uint64_t bytes) { return MemoryUnit::l1_bytes(spec.sm, bytes) >> 10; };
  CHECK(kib(0) == 256);
  CHECK(kib(1) == 248);
  CHECK(kib(8 << 10) == 248);
  CHECK(kib((8 << 10) + 1) == 192);
  CHECK(kib(228 << 10) == 28);
  CHECK(MemoryUnit::l1_bytes(spec.sm) >> 10 == 28);  // As much as there can be.
  // 12 lines: the scratchpad of a launch decides whether they stay.
  spec.sm.l1.unified_bytes = 16 * 128;
  spec.sm.l1.scratchpad_kib = "0,1";
  spec.sm.occupancy.scratchpad_bytes = 1024;
  spec.sm.l1.cache.ways = 0;
  UnitAndMemory m(spec);
  for (const std::uint64_t scratchpad : {0u, 1u, 0u}) {
    CAPTURE(scratchpad);
    m.unit.begin_launch(scratchpad);
    for (std::uint32_t n = 0; n < 12; ++n) m.load(line_at(128 * n), 1000 * n, n);
    m.run(20000);
    CHECK(m.load(line_at(0), 20001, 20).complete == (scratchpad == 0));
    m.run(40000);
  }
}

TEST_CASE("memory unit: several lines share an address interval, and the words of a bank follow each other") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.address_interval = 2;
  spec.sm.address_lines = 4;
  spec.sm.l1.banks = 32;
  const auto occupied = [&](std::uint64_t stride) {
    UnitAndMemory m(spec);
    return m.load(strided(0, stride), 0).occupied;
  };
  CHECK(occupied(1) == 2);    // A line.
  CHECK(occupied(31) == 16);  // 31 lines, eight intervals; every bank has one word.
  CHECK(occupied(16) == 16);  // 16 lines, four intervals; 16 words lie in each of two banks.
  CHECK(occupied(32) == 32);  // All in one bank.
  spec.sm.l1.banks = 0;
  CHECK(occupied(32) == 16);
  // Stores are not read from banks.
  spec.sm.l1.banks = 32;
  UnitAndMemory m(spec);
  CHECK(m.store(strided(0, 32), 0).occupied == 16);
}

TEST_CASE("memory unit: lines of one place take an interval each where a hash says which place") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.address_lines = 4;
  spec.sm.l1.banks = 32;
  const auto occupied = [&](const std::string& hash, std::uint64_t stride) {
    spec.sm.address_hash = hash;
    UnitAndMemory m(spec);
    return m.load(strided(0, stride), 0).occupied;
  };
  CHECK(occupied("", 33) == 8);     // Lines 0, 1, 2, ..., 31 and their 33rd part, in any four places.
  CHECK(occupied("mod", 33) == 8);  // A quarter of them in each.
  // Words 0, 129, 258, ...: lines 0, 4, 8, ..., 124, all in one place of the four lowest bits.
  CHECK(occupied("", 129) == 8);
  CHECK(occupied("mod", 129) == 32);
  CHECK(occupied("bits:2,3", 129) == 8);
}

TEST_CASE("memory unit: cache operators choose the way of a load") {
  UnitAndMemory m(memory_unit_gpu());
  m.load(line_at(0), 0);
  m.run(1000);
  CHECK_FALSE(m.load(line_at(0), 1000, 1, CacheOperator::second_level).complete);
  m.run(2000);
  CHECK(m.load(line_at(0), 2000).complete);  // .cg leaves the line alone ...
  CHECK_FALSE(m.load(line_at(0), 2001, 2, CacheOperator::refetch).complete);
  m.run(3000);
  CHECK_FALSE(m.load(line_at(0), 3000, 3).complete);  // ... .cv does not.
  m.run(4000);
  CHECK_FALSE(m.load(line_at(4096), 4000, 4, CacheOperator::no_allocate).complete);
  m.run(5000);
  CHECK_FALSE(m.load(line_at(4096), 5000, 5).complete);
  m.run(6000);
  // A line that was streamed in is the first to go, though it came last.
  UnitAndMemory s(memory_unit_gpu());
  for (std::uint32_t n = 0; n < 4; ++n) {
    s.load(line_at(n * 512), n * 1000, 0, n == 3 ? CacheOperator::streaming : CacheOperator::normal);
    s.run(n * 1000 + 999);
  }
  s.load(line_at(4 * 512), 5000);
  s.run(6000);
  for (std::uint32_t n = 0; n < 3; ++n) CHECK(s.load(line_at(n * 512), 6000 + n).complete);
  CHECK_FALSE(s.load(line_at(3 * 512), 6010).complete);
}

TEST_CASE("memory unit: atomics pass the L1 cache, which forgets their lines") {
  gpu::GpuSpec gpu = memory_unit_gpu();
  gpu.sm.atomic_replay.on = false;
  UnitAndMemory m(gpu);
  m.load(line_at(0), 0);
  m.run(1000);
  std::vector<std::uint64_t> words = line_at(0);
  for (int lane = 0; lane < 10; ++lane) words[lane] = 64;
  CHECK_FALSE(m.access(MemoryUnit::Kind::atomic, words, 1000, 1).complete);
  m.run(2000);
  REQUIRE(m.sent.size() == 2);
  CHECK(m.sent[1].kind == RequestKind::atomic);
  CHECK(m.sent[1].lanes == 32);
  CHECK(m.sent[1].same_word == 11);
  CHECK(m.sent[1].bytes == 128);
  CHECK(m.sent[1].cycle == 1017);  // Operands of 32 lanes and a header at 8 bytes per cycle.
  CHECK(m.completed(1) == 1517);
  CHECK_FALSE(m.load(line_at(0), 2000).complete);
  m.access(MemoryUnit::Kind::reduction, words, 2001, 2);
  m.run(3000);
  CHECK(m.sent.back().kind == RequestKind::reduction);
}

TEST_CASE("memory unit: a replayed atomic takes a pass for every lane on a word, and others overtake the later ones") {
  gpu::GpuSpec gpu = memory_unit_gpu();
  gpu.sm.atomic_replay = {true, 26, 14};
  UnitAndMemory m(gpu);
  std::vector<std::uint64_t> words = line_at(0);
  words[1] = words[2] = words[0];  // Three lanes on one word; the others have one each.
  const MemoryUnit::Outcome outcome = m.access(MemoryUnit::Kind::reduction, words, 1000, 1);
  CHECK(outcome.transactions == 3);
  CHECK(outcome.occupied == gpu.sm.address_interval);  // The later passes need no addresses.
  CHECK(outcome.last_pass == 1000 + 26 + 14 + 14);
  m.load(line_at(4096), 1001, 2);
  m.run(5000);
  REQUIRE(m.sent.size() == 4);
  CHECK(m.sent[0].lanes == 30);
  CHECK(m.sent[1].kind == RequestKind::read);
  CHECK(m.sent[2].lanes == 1);
  CHECK(m.sent[3].lanes == 1);
  CHECK(m.sent[2].cycle > 1040);
  CHECK(m.sent[3].cycle == m.sent[2].cycle + 14);
  for (const noc::Request& request : m.sent) CHECK(request.same_word <= 1);
  CHECK(m.completed(1) == m.sent[3].cycle + 500);
}

}  // namespace lockstep::memory_unit_l1_test
