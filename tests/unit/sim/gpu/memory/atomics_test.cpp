// Atomic operations in the L2 cache, to the cycle.

#include <catch2/catch.hpp>

#include "tests/unit/sim/gpu/memory/memory_traffic.hpp"

using namespace lockstep;
using namespace lockstep::gpu;
using namespace lockstep::gpu::traffic;

TEST_CASE("Atomics on one word follow each other at its interval, on different words at the unit's rate") {
  const auto last = [](const std::vector<Sent>& sent) {
    std::vector<Sent> all = {load(0, 0)};
    all.insert(all.end(), sent.begin(), sent.end());
    return play(small(), all).reply;
  };
  constexpr Cycle alone = 1000 + hit + 7;
  CHECK(last({atomic(1000, 0, 0b1, 1, 1)})[1] == alone);
  CHECK(last({atomic(1000, 0, 0b1, 32, 32)})[1] == alone + 31 * 2);
  CHECK(last({atomic(1000, 0, 0b1111, 32, 1)})[1] == alone + 8);  // 31 / 4
  // The second request finds its word busy for 32 operations; another word only the unit, for 32 / 4 cycles.
  CHECK(last({atomic(1000, 0, 0b1, 32, 32), atomic(1000, 0, 0b1, 1, 1)})[2] == alone + 32 * 2);
  CHECK(last({atomic(1000, 0, 0b1, 32, 32), atomic(1000, 0, 0b10, 1, 1)})[2] == alone + 8);
}

TEST_CASE(
    "Sectors of an atomic follow each other at their interval, whole ones faster, floating-point numbers slower") {
  GpuSpec spec = small();
  spec.memory.l2.atomic_sector_l2_interval = 10;
  spec.memory.l2.whole_sector_l2_interval = 8;
  spec.memory.l2.same_word_float_l2_interval = 30;
  constexpr Cycle alone = 1000 + hit + 7;
  const auto last = [&](std::uint32_t sectors, std::uint32_t same_word, bool whole, bool floating) {
    Sent first = atomic(1000, 0, sectors, 4, same_word);
    first.request.whole_sectors = whole;
    first.request.floating = floating;
    Sent behind = atomic(1000, 128, 0b1, 1, 1);  // Of another line: it waits for the unit alone.
    const Times times = play(spec, {load(0, 0), load(0, 128), first, behind});
    return std::pair(times.reply[2], times.reply[3]);
  };
  CHECK(last(0b1111, 1, false, false) == std::pair(alone + 3 * 10, alone + 4 * 10));
  CHECK(last(0b1111, 1, true, false) == std::pair(alone + 3 * 8, alone + 4 * 8));
  // Four lanes on the word of one sector: the unit takes them one after the other.
  CHECK(last(0b1, 4, false, false) == std::pair(alone + 3 * 10, alone + 4 * 10));
  // Numbers with a point take longer, but the unit turns to other words meanwhile.
  CHECK(last(0b1, 4, false, true) == std::pair(alone + 3 * 30, alone + 4 * 10));
}

TEST_CASE("A read waits for the atomics on its sector, and for no others") {
  const auto reads = [](Sent atomic_before) {
    return play(small(), {load(0, 0), atomic_before, load(1000, 0, 0b1), load(1000, 0, 0b10)}).reply;
  };
  Sent one = atomic(1000, 0, 0b1, 1, 1), many = atomic(1000, 0, 0b1, 32, 32);
  one.request.kind = many.request.kind = RequestKind::reduction;
  // Behind a reduction of one operation: its 7 cycles. Behind 32 on the word: 31 intervals of 2 more. The reply's 40 bytes
  // pass the slice's port, in 1.25 cycles, after the acknowledgement.
  CHECK(reads(one)[2] == 1000 + hit + 7 + 2);
  CHECK(reads(many)[2] == 1000 + hit + 7 + 31 * 2 + 2);
  // The other sector's read is delayed by nothing but the turns that the slice and its port take.
  CHECK(reads(many)[3] <= 1000 + hit + 7);
}

TEST_CASE("Further operations of a request on one word delay its result until the rest is combined") {
  GpuSpec spec = small();
  spec.memory.l2.same_word_l2_interval = 0.5;
  spec.memory.l2.same_word_latency = 6;
  spec.memory.l2.same_word_steps = 3;
  const auto result = [&](std::uint32_t lanes) {
    return play(spec, {load(0, 0), atomic(1000, 0, 0b1, lanes, lanes)}).reply[1] - 1000 - hit - 7;
  };
  CHECK(result(1) == 0);
  CHECK(result(2) == 6);
  CHECK(result(4) == 18);
  CHECK(result(5) == 18);
  CHECK(result(32) == 18);  // 31 intervals of half a cycle are less.
}

TEST_CASE("Atomics make a line dirty and count their operations; a reduction is answered without data") {
  GpuSpec spec = small();
  spec.memory.l2.cache.bytes = 128;
  spec.memory.l2.cache.ways = 1;
  MemorySystem memory(spec);
  Sent reduction = atomic(100, 0, 0b1, 5, 2);
  reduction.request.kind = RequestKind::reduction;
  play(memory, {reduction, load(1000, 128)});
  CHECK(memory.counters().l2.atomics == 1);
  CHECK(memory.counters().l2.atomic_misses == 1);
  CHECK(memory.counters().noc.atomic_lanes == 5);
  CHECK(memory.counters().dram.write_bytes == 32);
}
