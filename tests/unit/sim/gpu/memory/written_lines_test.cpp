// What stores leave in the L2 cache, and what a miss brings along.

#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/sim/gpu/memory/memory_traffic.hpp"

using namespace lockstep;
using namespace lockstep::gpu;
using namespace lockstep::gpu::traffic;

TEST_CASE("A written line stays until it is evicted; one written through is acknowledged by DRAM") {
  GpuSpec spec = small();
  spec.memory.l2.cache.bytes = 128;
  spec.memory.l2.cache.ways = 1;
  MemorySystem memory(spec);
  const Times times = play(memory, {store(100, 0), load(500, 0), store(1000, 128)});
  CHECK(times.reply == std::vector<Cycle>{100 + hit, 500 + hit, 1000 + hit});
  CHECK(memory.counters().dram.reads == 0);
  CHECK(memory.counters().dram.writes == 1);
  CHECK(memory.counters().dram.write_bytes == 128);
  CHECK(memory.counters().l2.write_backs == 1);

  spec.memory.l2.write = cache::WritePolicy::through;
  MemorySystem through(spec);
  const Times slow = play(through, {load(0, 0), store(500, 0), load(1000, 0)});
  // The row is open: write command to data 4, data 4.
  CHECK(slow.reply == std::vector<Cycle>{miss, 500 + there + 4 + 4 + chip + back, 1000 + hit});
  CHECK(through.counters().dram.writes == 1);

  spec.memory.l2.write = cache::WritePolicy::evict;
  MemorySystem evict(spec);
  play(evict, {load(0, 0), store(500, 0), load(1000, 0)});
  CHECK(evict.counters().l2.read_misses == 2);
}

TEST_CASE("A sector that is written in part is read first, one that is written whole is not") {
  Sent part = store(100, 0, 0b0011);
  part.request.whole_sectors = false;
  part.request.bytes = 40;
  MemorySystem memory(small());
  const Times times = play(memory, {part, load(1000, 0, 0b0011)});
  CHECK(times.reply == std::vector<Cycle>{100 + hit, 1000 + hit});
  CHECK(memory.counters().dram.read_bytes == 64);
  MemorySystem whole(small());
  play(whole, {store(100, 0, 0b0011)});
  CHECK(whole.counters().dram.read_bytes == 0);
}

TEST_CASE(
    "With masks a sector that is written in part is read when it is asked for or written back, unless completed") {
  GpuSpec spec = small();
  spec.memory.l2.partial_write = l2::PartialWrite::mask;
  const auto part = [](Cycle cycle, std::uint64_t address, std::uint32_t words) {
    Sent sent = store(cycle, address, 0b1);
    sent.request.whole_sectors = false;
    sent.request.written = words;
    return sent;
  };
  const auto bytes_read = [&](std::vector<Sent> sent) {
    MemorySystem memory(spec);
    play(memory, std::move(sent));
    return memory.counters().dram.read_bytes;
  };
  CHECK(bytes_read({part(100, 0, 0x0f)}) == 0);
  CHECK(bytes_read({part(100, 0, 0x0f), load(1000, 0, 0b1), load(2000, 0, 0b1)}) == 32);
  CHECK(bytes_read({part(100, 0, 0x0f), part(200, 0, 0xf0), load(1000, 0, 0b1)}) == 0);
  CHECK(bytes_read({part(100, 0, 0x0f), part(200, 0, 0x0f), load(1000, 0, 0b1)}) == 32);
  CHECK(bytes_read({part(100, 0, 0x0f), store(200, 0, 0b1), load(1000, 0, 0b1)}) == 0);
  // 16 further lines of its set, 4 KiB apart, and it is written back: the rest is read before.
  std::vector<Sent> others = {part(100, 0, 0x0f)};
  for (std::uint64_t n = 1; n <= 16; ++n) others.push_back(store(1000 + 100 * n, n * 4096));
  MemorySystem memory(spec);
  play(memory, others);
  CHECK(memory.counters().dram.read_bytes == 32);
  CHECK(memory.counters().dram.write_bytes == 32);
  // What follows a part waits for its data twice (32 of 64 bytes, half a cycle) and the interval.
  spec.memory.l2.partial_write_l2_interval = 20;
  const std::vector<Cycle> reply = play(spec, {load(0, 128), part(1000, 0, 0x0f), load(1000, 128)}).reply;
  CHECK(reply[2] >= 1000 + hit + 20);
}

TEST_CASE("A miss brings all of the aligned bytes that the cache fetches, but for what it has") {
  GpuSpec spec = small();
  const auto bytes_read = [&](std::uint32_t fetched, const std::vector<Sent>& sent) {
    spec.memory.l2.fetch_bytes = fetched;
    MemorySystem memory(spec);
    play(memory, sent);
    return memory.counters().dram.read_bytes;
  };
  CHECK(bytes_read(0, {load(0, 0, 0b1)}) == 32);
  CHECK(bytes_read(64, {load(0, 0, 0b1), load(1000, 0, 0b10)}) == 64);
  CHECK(bytes_read(64, {load(0, 0, 0b10), load(1000, 0, 0b100)}) == 128);
  CHECK(bytes_read(128, {load(0, 0, 0b100)}) == 128);
  CHECK(bytes_read(64, {store(0, 0, 0b1), load(1000, 0, 0b10)}) == 32);
}

TEST_CASE("What comes along with a sector that a store misses stays clean") {
  GpuSpec spec = small();
  spec.memory.l2.cache.bytes = 128;
  spec.memory.l2.cache.ways = 1;
  for (const std::uint32_t fetched : {0u, 64u, 128u}) {
    CAPTURE(fetched);
    spec.memory.l2.fetch_bytes = fetched;
    Sent part = store(0, 0, 0b1);
    part.request.whole_sectors = false;
    MemorySystem memory(spec);
    play(memory, {part, load(1000, 128)});  // Takes the line of the store.
    CHECK(memory.counters().dram.write_bytes == 32);
    CHECK(memory.counters().dram.read_bytes == std::max(32u, fetched) + 128);
  }
}

TEST_CASE("What a flush finds written is in memory: it costs no transfer, then or later") {
  for (const bool flush : {false, true}) {
    CAPTURE(flush);
    GpuSpec spec = small();
    spec.memory.flush_before_launch = flush;
    spec.memory.l2.cache.bytes = 128;
    spec.memory.l2.cache.ways = 1;
    MemorySystem memory(spec);
    play(memory, {store(0, 0)});
    play(memory, {load(0, 128)});  // Takes the line of the store.
    CHECK(memory.counters().dram.write_bytes == (flush ? 0 : 128));
  }
}
