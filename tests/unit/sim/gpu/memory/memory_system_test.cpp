// The memory behind the SMs, to the cycle. All clocks are the same, so expected times are sums of the parameters below.

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <random>

#include "sim/gpu/memory/memory_system.hpp"

using namespace lockstep;
using namespace lockstep::gpu;
using noc::RequestKind;

namespace {

constexpr Cycle there = 20, back = 30, slice_time = 40, chip = 5;
constexpr Cycle first_read = 10 + 12;  ///< Of a closed DRAM row, to its first data.

GpuSpec small() {
  GpuSpec spec;
  spec.clock_mhz = 1000;
  spec.sms = 2;
  MemorySpec& memory = spec.memory;
  memory.noc = {there, back, 8, 0, 32, 32, 32, 32, 4, 64};
  memory.l2 = {
      1000, 1,    {64 << 10, 128, 32, 16, "mod", 4, 64}, cache::WritePolicy::back, slice_time, 1, 64, 4, 2, 0, 0, 0, 7,
      256,  "mod"};
  memory.dram.clock_mhz = 1000;
  memory.dram.channels = 1;
  memory.dram.banks = 16;
  memory.dram.row_bytes = 2048;
  memory.dram.bytes_per_dram_cycle = 32;
  memory.dram.queue = 64;
  memory.dram.scheduling = dram::Scheduling::first_ready_first_come;
  memory.dram.age_limit = 1000;
  memory.dram.timing = {12, 4, 10, 11, 28, 6, 2, 12, 5, 2, 0, 0};
  memory.dram.latency = chip;
  memory.dram.bank_hash = "mod";
  memory.tlb.page_bytes = 1 << 20;
  return spec;
}

struct Sent {
  std::uint32_t sm = 0;
  noc::Request request;
};

Sent message(RequestKind kind, Cycle cycle, std::uint64_t address, std::uint32_t sectors = 0b1111,
             std::uint32_t sm = 0) {
  Sent sent;
  sent.sm = sm;
  sent.request.cycle = cycle;
  sent.request.address = address;
  sent.request.sectors = sectors;
  sent.request.bytes = 32 * static_cast<std::uint32_t>(std::popcount(sectors));
  sent.request.kind = kind;
  sent.request.whole_sectors = true;
  return sent;
}
Sent load(Cycle cycle, std::uint64_t address, std::uint32_t sectors = 0b1111, std::uint32_t sm = 0) {
  return message(RequestKind::read, cycle, address, sectors, sm);
}
Sent store(Cycle cycle, std::uint64_t address, std::uint32_t sectors = 0b1111, std::uint32_t sm = 0) {
  return message(RequestKind::write, cycle, address, sectors, sm);
}
Sent atomic(Cycle cycle, std::uint64_t address, std::uint32_t sectors, std::uint32_t lanes, std::uint32_t same_word) {
  Sent sent = message(RequestKind::atomic, cycle, address, sectors);
  sent.request.lanes = lanes;
  sent.request.same_word = same_word;
  return sent;
}

/// When each message was answered, and when its credit came back; credits of one SM and slice are given in order.
struct Times {
  std::vector<Cycle> reply, credit;
};

/// Plays SMs that do nothing but send, in windows as a replay has them.
Times play(MemorySystem& memory, std::vector<Sent> sent, unsigned threads = 1, std::uint32_t sms = 2) {
  engine::WorkerPool pool(threads);
  memory.begin_launch();
  Times times{std::vector<Cycle>(sent.size(), 0), {}};
  for (std::uint32_t i = 0; i < sent.size(); ++i) sent[i].request.token = i;
  std::stable_sort(sent.begin(), sent.end(),
                   [](const Sent& a, const Sent& b) { return a.request.cycle < b.request.cycle; });
  std::size_t next = 0;
  std::vector<noc::Request> outbox;
  for (Cycle begin = 0; begin != never;) {
    const Cycle end = begin + memory.round_trip();
    const std::size_t first = next;
    while (next < sent.size() && sent[next].request.cycle < end) ++next;
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      for (std::size_t i = first; i < next; ++i)
        if (sent[i].sm == sm) outbox.push_back(sent[i].request);
      memory.collect(sm, outbox);
    }
    memory.run_until(end, pool);
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      for (const noc::Reply& reply : memory.replies(sm)) {
        REQUIRE(reply.cycle >= end);  // An SM that has run to `end` cannot have missed it.
        if (reply.credit) {
          times.credit.push_back(reply.cycle);
        } else {
          REQUIRE(times.reply.at(reply.token) == 0);
          times.reply[reply.token] = reply.cycle;
        }
      }
      memory.replies(sm).clear();
    }
    begin = memory.next_event();
    if (next < sent.size()) begin = std::min(begin, sent[next].request.cycle);
    if (begin != never) begin = std::max(begin, end);
  }
  CHECK(memory.outstanding() == 0);
  CHECK(times.credit.size() == sent.size());
  return times;
}

Times play(const GpuSpec& spec, const std::vector<Sent>& sent) {
  MemorySystem memory(spec);
  return play(memory, sent);
}

constexpr Cycle hit = there + slice_time + back;
/// A read of a whole line from a closed row: 128 bytes take four cycles of the data bus.
constexpr Cycle miss = there + first_read + 4 + chip + slice_time + back;

}  // namespace

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

TEST_CASE("A GPU that flushes before a launch finds nothing of the launch before, neither data nor pages") {
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
    CHECK(play(memory, sent).reply[0] == (flush ? unknown_page + miss - activate : 11 + hit));
    CHECK(memory.counters().dram.reads == (flush ? 2 : 1));
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
