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

TEST_CASE(
    "Of a set no more lines are dirty than may be: of one more, the one written longest ago goes to memory and stays") {
  GpuSpec spec = small();
  spec.memory.l2.cache.bytes = 1024;  // Two sets of four lines.
  spec.memory.l2.cache.ways = 4;
  spec.memory.l2.dirty_ways = 2;
  MemorySystem memory(spec);
  play(memory, {store(0, 0), store(100, 256)});
  CHECK(memory.counters().dram.write_bytes == 0);
  play(memory, {store(0, 0, 0b1), store(1000, 512)});  // Line 0 is written again: that of 256 is the oldest.
  CHECK(memory.counters().dram.write_bytes == 128);
  play(memory, {store(0, 128), store(1000, 384)});  // The other set.
  CHECK(memory.counters().dram.write_bytes == 128);
  play(memory, {load(0, 0), load(1000, 256), load(2000, 512)});
  CHECK(memory.counters().dram.reads == 0);
}

TEST_CASE(
    "A sector that was written in part is read before its line is cleaned, and when it is asked for behind that") {
  GpuSpec spec = small();
  spec.memory.l2.partial_write = l2::PartialWrite::mask;
  spec.memory.l2.cache.bytes = 1024;
  spec.memory.l2.cache.ways = 4;
  spec.memory.l2.dirty_ways = 1;
  Sent part = store(0, 0, 0b1);
  part.request.whole_sectors = false;
  part.request.written = 0x0f;
  MemorySystem memory(spec);
  play(memory, {part, store(1000, 256)});
  CHECK(memory.counters().dram.read_bytes == 32);
  CHECK(memory.counters().dram.write_bytes == 32);
  play(memory, {load(0, 0, 0b1)});
  CHECK(memory.counters().dram.read_bytes == 64);
}

TEST_CASE("What a far SM reads or writes takes a second line") {
  GpuSpec spec = small();  // SM 1 is far from the only slice.
  spec.memory.l2.parts = 2;
  spec.memory.l2.far_latency = 100;
  spec.memory.l2.cache.bytes = 512;
  spec.memory.l2.cache.ways = 4;
  const auto reads = [&](const std::vector<Sent>& sent) {
    MemorySystem memory(spec);
    play(memory, sent);
    return memory.counters().dram.reads;
  };
  const auto all = [](std::uint32_t sm, Cycle from, std::uint32_t lines) {
    std::vector<Sent> sent;
    for (std::uint32_t n = 0; n < lines; ++n) sent.push_back(load(from + 1000 * n, 128 * n, 0b1111, sm));
    return sent;
  };
  const auto twice = [&](std::uint32_t sm, std::uint32_t lines) {
    std::vector<Sent> sent = all(sm, 0, lines);
    for (const Sent& again : all(sm, 100'000, lines)) sent.push_back(again);
    return reads(sent);
  };
  CHECK(twice(0, 4) == 4);  // All four lines stay.
  CHECK(twice(1, 2) == 2);  // Two, and their copies.
  CHECK(twice(1, 3) == 6);
  CHECK(reads({load(0, 0), load(1000, 128), store(2000, 256, 0b1111, 1), load(3000, 0)}) == 2);
  CHECK(reads({load(0, 0), load(1000, 128), load(1500, 384), store(2000, 256, 0b1111, 1), load(3000, 0)}) == 4);
}

TEST_CASE("A far SM reads what a far SM has read as fast as a near one, until it is written") {
  GpuSpec spec = small();
  spec.memory.l2.parts = 2;
  spec.memory.l2.far_latency = 100;
  const std::vector<Cycle> reply = play(spec, {load(0, 0), load(1000, 0, 0b1, 1), load(2000, 0, 0b1, 1),
                                               load(3000, 0, 0b10, 1), store(4000, 0, 0b1), load(5000, 0, 0b1, 1)})
                                       .reply;
  CHECK(reply[1] == 1000 + hit + 100);
  CHECK(reply[2] == 2000 + hit);
  CHECK(reply[3] == 3000 + hit + 100);  // Another sector.
  CHECK(reply[5] == 5000 + hit + 100);
}
