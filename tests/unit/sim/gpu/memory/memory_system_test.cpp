// The memory behind the SMs, to the cycle.

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "tests/unit/sim/gpu/memory/memory_traffic.hpp"

using namespace lockstep;
using namespace lockstep::gpu;
using namespace lockstep::gpu::traffic;

TEST_CASE("A miss opens a DRAM row, a hit costs crossbar and slice, and the credit comes back when it is taken") {
  MemorySystem memory(small());
  const Times times = play(memory, {load(100, 0), load(1000, 0)});
  CHECK(times.reply == std::vector<Cycle>{100 + miss, 1000 + hit});
  CHECK(times.credit == std::vector<Cycle>{100 + there + back, 1000 + there + back});
  const MemoryCounters counters = memory.counters();
  CHECK(counters.l2.reads == 2);
  CHECK(counters.l2.read_hits == 1);
  CHECK(counters.l2.read_misses == 1);
  CHECK(counters.l2.read_sectors == 8);
  CHECK(counters.dram.read_bytes == 128);
  CHECK(counters.dram.row_misses == 1);
  CHECK(clock::cycle_of(counters.dram.bus_ticks) == 4);
  CHECK(counters.noc.requests == 2);
  CHECK(counters.noc.replies == 2);
}

TEST_CASE("What an L2 cache holds stays from launch to launch, and time begins again") {
  MemorySystem memory(small());
  CHECK(play(memory, {load(5, 0)}).reply[0] == 5 + miss);
  CHECK(play(memory, {load(5, 0)}).reply[0] == 5 + hit);
  CHECK(memory.last_reply() == 5 + hit);
}

TEST_CASE("Hits of two SMs share the slice's data array and its reply port") {
  const Times times = play(small(), {load(0, 0), load(1000, 0), load(1000, 0, 0b1111, 1), load(1000, 0, 0b1111, 1)});
  // 128 bytes and a header of 8 take 4.25 cycles of the port.
  CHECK(times.reply[1] == 1000 + hit);
  CHECK(times.reply[2] == 1000 + hit + 5);
  CHECK(times.reply[3] == 1000 + hit + 9);  // 8.5
  // The data array is read for two cycles.
  CHECK(times.credit[2] == 1000 + there + back + 2);
  CHECK(times.credit[3] == 1000 + there + back + 4);
}

TEST_CASE("Written data takes the slice's request port") {
  const Times times = play(small(), {store(100, 0), store(100, 128, 0b1111, 1), store(100, 256, 0b1111, 1)});
  CHECK(times.credit == std::vector<Cycle>{150, 155, 159});  // 4.25 cycles apart
  CHECK(times.reply[0] == 100 + hit);
}

TEST_CASE("Replies of two slices to one SM share its port") {
  GpuSpec spec = small();
  spec.memory.l2.slices = 2;
  const std::vector<Sent> sent = {load(0, 0), load(0, 256), load(1000, 0), load(1000, 256)};
  const Times times = play(spec, sent);
  CHECK(times.reply[2] == 1000 + hit);
  CHECK(times.reply[3] == 1000 + hit + 5);
  spec.memory.noc.sm_reply_bytes = 136;
  CHECK(play(spec, sent).reply[3] == 1000 + hit + 1);
}

TEST_CASE("Reads of a line that is on its way wait for the same data; other sectors of it are asked for on top") {
  MemorySystem memory(small());
  const Times same = play(memory, {load(100, 0), load(101, 0, 0b1111, 1)});
  CHECK(same.reply == std::vector<Cycle>{100 + miss, 100 + miss + 5});  // One reply port: 4.25 cycles.
  CHECK(memory.counters().dram.reads == 1);
  CHECK(memory.counters().l2.merges == 1);
  MemorySystem sectors(small());
  play(sectors, {load(100, 0, 0b0001), load(101, 0, 0b0011)});
  CHECK(sectors.counters().dram.reads == 2);
  CHECK(sectors.counters().dram.read_bytes == 64);
}

TEST_CASE("A full file of miss registers blocks the slice, hits behind it, and the credits") {
  GpuSpec spec = small();
  spec.memory.l2.cache.mshrs = 1;
  MemorySystem memory(spec);
  play(memory, {load(0, 4096)});
  const Times times = play(memory, {load(100, 0), load(101, 128), load(102, 4096)});
  const Cycle filled = 100 + there + first_read + 4 + chip;
  CHECK(times.credit[0] == 100 + there + back);
  CHECK(times.credit[1] == filled + 2 + back);  // The fill writes the data array for two cycles.
  CHECK(times.reply[2] >= filled + slice_time + back);
  CHECK(clock::cycle_of(memory.counters().l2.stall_mshr) == filled + 2 - 121);
}

TEST_CASE("A full DRAM queue blocks the slice") {
  GpuSpec spec = small();
  spec.memory.dram.queue = 1;
  MemorySystem memory(spec);
  const Times times = play(memory, {load(100, 0), load(100, 128)});
  // The first access leaves the queue with its column command, ten cycles behind the activate.
  CHECK(times.credit == std::vector<Cycle>{100 + there + back, 100 + there + 10 + back});
  CHECK(clock::cycle_of(memory.counters().l2.stall_dram) == 9);  // It could have been taken a cycle behind the first.
}

TEST_CASE("A part of the page table that the walker does not know costs more, once") {
  GpuSpec spec = small();
  spec.memory.tlb.entries = 1;
  spec.memory.tlb.miss_latency = 100;
  spec.memory.page_table = {1, 0, 4 << 20, 400};
  std::vector<Sent> sent = {load(0, 0), load(2000, (1 << 20) + 2048), load(4000, (4 << 20) + 4096)};  // Other banks.
  for (Sent& one : sent) one.request.translated = false;
  const Times times = play(spec, sent);
  CHECK(times.reply[0] == 500 + miss);
  CHECK(times.reply[1] == 2000 + 100 + miss);
  CHECK(times.reply[2] == 4000 + 500 + miss);
}

TEST_CASE("A cache for texture alone serves no other request") {
  GpuSpec spec = small();
  spec.memory.l2.texture_only = true;
  std::vector<Sent> sent = {load(0, 0), load(1000, 0), load(2000, 0)};
  sent[0].request.texture = sent[2].request.texture = true;
  MemorySystem memory(spec);
  const Times times = play(memory, sent);
  CHECK(times.reply[1] == 1000 + there + 12 + 4 + chip + back);  // An open row, and no time in the slice.
  CHECK(times.reply[2] == 2000 + hit);
  CHECK(memory.counters().dram.reads == 2);
}

TEST_CASE("Without an L2 cache every request goes to its channel, and atomics read and write there") {
  GpuSpec spec = small();
  spec.memory.l2.cache.bytes = 0;
  MemorySystem memory(spec);
  const Times times = play(memory, {load(100, 0), load(1000, 0), atomic(2000, 4096, 0b1, 4, 3), store(3000, 0)});
  CHECK(times.reply[0] == 100 + there + first_read + 4 + chip + back);
  CHECK(times.reply[1] == 1000 + there + 12 + 4 + chip + back);
  // One sector; three operations on one word, 2 cycles apart, and what an atomic takes longer.
  CHECK(times.reply[2] == 2000 + there + first_read + 1 + chip + 2 * 2 + 7 + back);
  CHECK(times.reply[3] == 3000 + there + 4 + 4 + chip + back);
  CHECK(memory.counters().dram.reads == 3);
  CHECK(memory.counters().dram.writes == 2);
}

TEST_CASE("A page that the SM's buffer does not know waits for the GPU's, or for both") {
  GpuSpec spec = small();
  spec.sm.tlb.miss_latency = 11;
  spec.memory.tlb.entries = 2;
  spec.memory.tlb.miss_latency = 100;
  std::vector<Sent> sent = {load(0, 0), load(1000, 0), load(2000, 0), load(3000, 0), load(1050, 0)};
  sent[1].request.translated = sent[2].request.translated = sent[4].request.translated = false;
  MemorySystem memory(spec);
  const Times times = play(memory, sent);
  CHECK(times.reply == std::vector<Cycle>{miss, 1000 + 111 + hit, 2000 + 11 + hit, 3000 + hit, 1111 + hit + 5});
  CHECK(memory.counters().tlb.lookups == 3);
  CHECK(memory.counters().tlb.misses == 1);
}

TEST_CASE("A stream of reads that miss reaches the rate of the DRAM's data bus") {
  GpuSpec spec = small();
  spec.memory.l2.cache.mshrs = 64;
  std::vector<Sent> sent;
  for (std::uint32_t i = 0; i < 2000; ++i) sent.push_back(load(i, 128 * std::uint64_t{i}, 0b1111, i % 2));
  MemorySystem memory(spec);
  const Times times = play(memory, sent);
  const Cycle end = *std::max_element(times.reply.begin(), times.reply.end());
  CHECK(end >= 2000 * 4);
  CHECK(end <= 2000 * 4.25 + miss + 100);  // The reply port, of 136 bytes a message, is slower than the bus.
  CHECK(memory.counters().dram.row_hits + memory.counters().dram.row_misses == 2000);
  CHECK(memory.counters().dram.row_misses == 2000 * 128 / 2048);
}

TEST_CASE("Random traffic: nothing is lost, nothing beats latency and bandwidth, and threads change nothing") {
  std::mt19937 random(11);
  for (int round = 0; round < 24; ++round) {
    GpuSpec spec = small();
    spec.clock_mhz = round % 2 == 0 ? 1000 : 1544;
    spec.sms = 5;
    spec.memory.dram.channels = 3;
    spec.memory.l2.slices = round % 4 < 2 ? 3 : 6;
    spec.memory.l2.cache.bytes = round % 5 == 0 ? 0 : spec.memory.l2.slices << 12;
    spec.memory.l2.cache.ways = 2;
    spec.memory.l2.cache.mshrs = 1 + random() % 6;
    spec.memory.l2.cache.mshr_merges = 1 + random() % 4;
    spec.memory.l2.write = static_cast<cache::WritePolicy>(round % 3);
    spec.memory.dram.queue = 1 + random() % 10;
    spec.memory.dram.timing.refi = round % 2 == 0 ? 0 : 700;
    spec.memory.dram.timing.rfc = 50;
    spec.memory.tlb.entries = 4;
    spec.memory.tlb.miss_latency = 60;
    std::vector<Sent> sent;
    Cycle cycle = 0;
    for (int i = 0; i < 600; ++i) {
      cycle += random() % 4;
      Sent one =
          message(static_cast<RequestKind>(random() % 4), cycle, random() % 512 * 128, 1 + random() % 15, random() % 5);
      one.request.lanes = 1 + random() % 32;
      one.request.same_word = 1 + random() % one.request.lanes;
      one.request.operations = one.request.same_word + random() % (one.request.lanes - one.request.same_word + 1);
      one.request.whole_sectors = random() % 2 == 0;
      one.request.translated = random() % 3 != 0;
      sent.push_back(one);
    }
    CAPTURE(round);
    MemorySystem memory(spec);
    const Times times = play(memory, sent, 1, 5);
    Cycle last = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const Cycle fastest = spec.memory.l2.cache.bytes == 0 ? there + 4 + chip + back : hit;
      const bool posted = sent[i].request.kind == RequestKind::write && spec.memory.l2.cache.bytes != 0;
      REQUIRE(times.reply[i] >= sent[i].request.cycle + (posted ? there + chip + back : fastest));
      last = std::max(last, times.reply[i]);
    }
    const MemoryCounters counters = memory.counters();
    CHECK(counters.noc.requests == sent.size());
    CHECK(counters.noc.replies == sent.size());
    CHECK(counters.l2.reads + counters.l2.writes + counters.l2.atomics == sent.size());
    CHECK(counters.dram.row_hits + counters.dram.row_misses == counters.dram.reads + counters.dram.writes);
    CHECK(memory.last_reply() == last);
    CHECK(clock::cycle_of(counters.noc.reply_ticks) <= spec.memory.l2.slices * last);
    for (const unsigned threads : {2u, 3u}) {
      MemorySystem other(spec);
      const Times again = play(other, sent, threads, 5);
      CHECK(again.reply == times.reply);
      CHECK(again.credit == times.credit);
    }
  }
}

TEST_CASE("A GPU that flushes before a launch finds no data of the launch before, but its pages") {
  for (const bool flush : {false, true}) {
    CAPTURE(flush);
    GpuSpec spec = small();
    spec.memory.flush_before_launch = flush;
    spec.sm.tlb.miss_latency = 11;
    spec.memory.tlb.entries = 2;
    spec.memory.tlb.miss_latency = 100;
    spec.memory.page_table = {1, 0, 4 << 20, 400};
    std::vector<Sent> sent = {load(0, 0)};
    sent[0].request.translated = false;
    MemorySystem memory(spec);
    const Cycle unknown_page = 11 + 100 + 400;
    CHECK(play(memory, sent).reply[0] == unknown_page + miss);
    constexpr Cycle activate = 10;  // The row of the DRAM is still open.
    CHECK(play(memory, sent).reply[0] == 11 + (flush ? miss - activate : hit));
    CHECK(memory.counters().dram.reads == (flush ? 2 : 1));
  }
}
