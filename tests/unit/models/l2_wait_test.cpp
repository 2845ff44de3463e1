// Requests that wait in a slice of the L2 cache for a word. All clocks are the same: a slice takes a request per cycle, and
// a recirculating request comes back after the eight places of the queue, eight cycles later.

#include <catch2/catch.hpp>

#include "models/l2/slice.hpp"

namespace lockstep::l2_wait_test {

using namespace lockstep::l2;
using noc::RequestKind;

namespace {

constexpr Cycle latency = 40;
constexpr Cycle places = 8;

Spec slice_spec() {
  Spec spec;
  spec.clock_mhz = 1000;
  spec.slices = 1;
  spec.cache = {64 << 10, 128, 32, 16, "mod", 4, 64};
  spec.write = cache::WritePolicy::back;
  spec.latency = latency;
  spec.requests_per_l2_cycle = 1;
  spec.bytes_per_l2_cycle = 64;
  spec.atomics_per_l2_cycle = 4;
  spec.interleave_bytes = 256;
  spec.slice_hash = "mod";
  spec.wait_queue = places;
  return spec;
}

dram::Spec dram_spec() {
  dram::Spec spec;
  spec.clock_mhz = 1000;
  spec.channels = 1;
  spec.banks = 16;
  spec.row_bytes = 2048;
  spec.bytes_per_dram_cycle = 32;
  spec.queue = 64;
  spec.bank_hash = "mod";
  return spec;
}

/// One slice whose ports are fast enough to show nothing.
struct Bench {
  Bench() : Bench(slice_spec()) {}
  explicit Bench(const Spec& spec)
      : map("mod", 1, 256), channel(dram_spec(), 1000, 0), slice(spec, ports(), map, 1000, channel, 0, 1) {}

  static noc::Spec ports() { return {1, 1, 8, 0, 1e6, 1e6, 1e6, 1e6, 1000, 1000}; }

  void wait(Cycle at, std::uint64_t address, std::uint32_t token, std::uint32_t sm = 0) {
    send(at, address, token, sm, RequestKind::wait);
  }
  void write(Cycle at, std::uint64_t address, std::uint32_t token, std::uint32_t sm = 1) {
    send(at, address, token, sm, RequestKind::write);
  }
  void read(Cycle at, std::uint64_t address, std::uint32_t token) { send(at, address, token, 2, RequestKind::read); }

  /// Of one word, and the sector around it.
  void send(Cycle at, std::uint64_t address, std::uint32_t token, std::uint32_t sm, RequestKind kind) {
    noc::Request request;
    request.kind = kind;
    request.address = address / 32 * 32;
    request.sectors = 1;
    request.bytes = 32;
    request.words = kind == RequestKind::read ? 0 : 1u << address % 128 / 4;
    request.token = token;
    request.whole_sectors = true;
    slice.send(clock::to_ticks(at), sm, request);
  }

  void run() {
    slice.accept(clock::never);
    while (slice.next_time() != clock::never) slice.take();
    slice.reply(clock::never);
    slice.drain(clock::never,
                [&](const Outgoing& message) { (message.credit ? credits : replies).push_back(message); });
  }
  Cycle replied(std::uint32_t token) const {
    for (const Outgoing& one : replies)
      if (one.token == token) return clock::cycle_of(one.time);
    return 0;
  }
  std::uint32_t bytes(std::uint32_t token) const {
    for (const Outgoing& one : replies)
      if (one.token == token) return one.bytes;
    return 0;
  }
  std::uint32_t words(std::uint32_t token) const {
    for (const Outgoing& one : replies)
      if (one.token == token) return one.words;
    return ~0u;
  }

  noc::SliceMap map;
  dram::Channel channel;
  Slice slice;
  std::vector<Outgoing> replies, credits;
};

}  // namespace

TEST_CASE("A load that waits for a word is served at its first pass after the write, not before") {
  Bench bench;
  bench.wait(100, 0x1000, 0);
  bench.write(1000, 0x1000, 1);
  bench.run();
  // It has accesses at 100, 108, ..., 996, 1004.
  CHECK(bench.replied(1) == 1000 + latency);
  CHECK(bench.replied(0) == 1004 + latency);
  CHECK(bench.slice.counters().waits == 1);
  CHECK(bench.slice.counters().wait_trips == 113);  // 100 to 996.
  CHECK(bench.slice.counters().reads == 1);
  CHECK(bench.slice.counters().read_hits == 1);
  CHECK(bench.credits[0].time == clock::to_ticks(100));  // It has left the input.
}

TEST_CASE("A reduction lets a load pass as a write does") {
  Bench bench;
  bench.write(10, 0x1000, 8);  // Brings the sector in; its word is another one.
  bench.wait(100, 0x1004, 0);
  bench.send(1000, 0x1004, 1, 1, RequestKind::reduction);
  bench.run();
  CHECK(bench.replied(0) == 1004 + latency);
}

TEST_CASE("A load whose word is there already is a read") {
  Bench bench;
  bench.write(100, 0x1000, 0);
  bench.wait(200, 0x1000, 1);
  bench.run();
  CHECK(bench.replied(1) == 200 + latency);
  CHECK(bench.slice.counters().wait_trips == 0);
}

TEST_CASE("A write of another word of the sector, or of the same place in another block, lets nothing pass") {
  Bench bench;
  bench.wait(100, 0x1008, 0);
  bench.write(200, 0x1004, 1);
  bench.write(303, 0x2008, 2);
  bench.run();
  CHECK(bench.replied(0) == 0);
  CHECK(bench.slice.next_event() == clock::never);  // Recirculating is nothing that happens.
  CHECK(bench.slice.describe_waits().find("sm 0 waits for the word at 0x1008") != std::string::npos);
  bench.write(400, 0x1008, 3);
  bench.run();
  CHECK(bench.replied(0) == 404 + latency);  // 100, 108, ..., 396, 404.
}

TEST_CASE("The answer brings what has been written until then of the sector and of those behind it in the line") {
  Bench bench;
  bench.wait(100, 0x1024, 0);
  bench.write(200, 0x1020, 1);
  bench.write(201, 0x1038, 2);
  bench.write(202, 0x1000, 3);  // The sector before.
  bench.write(203, 0x107c, 6);  // Behind it: the last of the line.
  bench.write(204, 0x1080, 7);  // The next line.
  bench.write(300, 0x1024, 4);
  bench.write(310, 0x103c, 5);  // Too late.
  bench.run();
  CHECK(bench.words(0) == (1u << 31 | 0b0100'0011u << 8));
  CHECK(bench.bytes(0) == 8 + 2 * 32);
}

TEST_CASE("A recirculating request takes an access from requests that come later, and lets those before it go first") {
  Bench bench;
  bench.write(10, 0x2000, 9);
  bench.wait(100, 0x1000, 0);
  bench.read(108, 0x2000, 1);  // As the load recirculates: the access at 108 is the read's, the next the load's,
  bench.read(109, 0x2000, 2);  // and this read's the third.
  bench.run();
  CHECK(bench.replied(1) == 108 + latency);
  CHECK(bench.replied(2) == 110 + latency);
}

TEST_CASE("Eight loads may wait; a ninth blocks what comes behind it, also the write that all wait for") {
  const auto play = [](Cycle write) {
    Bench bench;
    for (std::uint32_t n = 0; n < places; ++n) bench.wait(100 + n, 0x1000 + 4 * n, n, n);
    bench.wait(200, 0x2000, 8, 14);
    for (std::uint32_t n = 0; n < places; ++n) bench.write(write + n, 0x1000 + 4 * n, 100 + n);
    bench.write(300, 0x2000, 99);
    bench.run();
    return bench.replies.size();
  };
  CHECK(play(150) == 2 * places + 2);
  CHECK(play(250) == 0);

  Bench bench;
  for (std::uint32_t n = 0; n < places; ++n) bench.wait(100 + n, 0x1000 + 4 * n, n, n);
  bench.wait(200, 0x2000, 8, 14);
  bench.write(250, 0x1000, 100);
  bench.run();
  CHECK(bench.slice.next_event() == clock::never);
  const std::string text = bench.slice.describe_waits();
  CHECK(text.find("sm 7 waits for the word at 0x101c") != std::string::npos);
  CHECK(text.find("take all 8 places of memory.l2.wait_queue: a load of sm 14 for the word at 0x2000 and 1 requests") !=
        std::string::npos);
}

TEST_CASE("A blocked slice continues when one of those that recirculate is served") {
  Spec spec = slice_spec();
  spec.wait_queue = 1;
  Bench bench(spec);
  bench.wait(100, 0x1000, 0);
  bench.write(150, 0x1000, 1);
  bench.wait(150, 0x2000, 2, 2);
  bench.wait(150, 0x3000, 3, 2);
  bench.run();
  // A round is one cycle. The write goes at 150, the first load at 151; the second takes its place at 152 and stays, and
  // the third finds none.
  CHECK(bench.replied(0) == 151 + latency);
  CHECK(bench.credits.size() == 3);
  CHECK(bench.credits[2].time == clock::to_ticks(152));
  CHECK(bench.replied(2) == 0);
}

TEST_CASE("Many rounds cost the same accesses whether or not something happens in between") {
  const auto trips = [](bool disturbed) {
    Bench bench;
    for (std::uint32_t n = 0; n < 5; ++n) bench.wait(100 + 2 * n, 0x1000 + 4 * n, n, n);
    if (disturbed)  // By requests that find a free access.
      for (Cycle at = 1000; at < 50000; at += 800) bench.read(at + 1, 0x8000, 50);
    for (std::uint32_t n = 0; n < 5; ++n) bench.write(100'000 + n, 0x1000 + 4 * n, 10 + n);
    bench.run();
    return std::pair(bench.slice.counters().wait_trips, bench.replied(4));
  };
  CHECK(trips(false).first == trips(true).first);
  CHECK(trips(false).second == trips(true).second);
}

TEST_CASE("A new launch knows no written word") {
  Bench bench;
  bench.write(100, 0x1000, 0);
  bench.run();
  bench.slice.reset();
  bench.wait(200, 0x1000, 1);
  bench.run();
  CHECK(bench.replied(1) == 0);
}

}  // namespace lockstep::l2_wait_test
