// An L1 or texture cache by itself, before a port whose requests the test answers when it likes. A read leaves the port in a cycle, a
// write of n sectors in 1 + 4 n.
#include <catch2/catch.hpp>

#include "sim/gpu/sm/memory/data_cache.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::data_cache_test {

using gpu::CachePart;
using gpu::DataCache;
using machine::CacheOperator;

namespace {

using Sent = std::vector<std::uint64_t>;  ///< Address, sectors and cycle of a request.
constexpr Cycle latency = 30;

CachePart load(std::uint64_t line, std::uint32_t sectors, CacheOperator op = CacheOperator::normal) {
  return {line, sectors, sectors, gpu::OpenAccesses::none, 0, 0, 0, latency, op};
}
CachePart store(std::uint64_t line, std::uint32_t sectors, std::uint32_t whole, bool local = false) {
  return {line, sectors, whole, gpu::OpenAccesses::none, 0, 0, 0, 0, CacheOperator::normal, true, local};
}

/// Two sets of two lines, of which the even ones are in the first; two MSHRs, each for two accesses.
struct Bench {
  explicit Bench(double bytes_per_cycle = 128, DataCache::Kind kind = DataCache::Kind::l1)
      : spec(test::memory_unit_gpu()),
        slices(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
        port(spec, slices, counters),
        cache(kind, {512, 128, 32, 2, "mod", 2, 2}, bytes_per_cycle, accesses, port, counters) {
    port.begin_launch();
  }
  /// An access of this part alone. When it is ready, or never: it completes later.
  Cycle take(CachePart part, Cycle at, std::uint32_t token = 0) {
    part.open = accesses.begin(token);
    part.at = at;
    accesses.add_part(part.open);
    cache.take(part, at);
    return accesses.close(part.open);
  }
  /// The reply to request `n` of those that have left.
  void answer(std::size_t n, Cycle at) {
    port.deliver({at, port.outbox().at(n).token, 0, false, 0});
    port.receive(at, [&](const gpu::PendingRequest& request, const noc::Reply&) { cache.fill(request, at); });
  }
  /// A load that misses, with its reply two cycles later.
  void bring(CachePart part, Cycle at) {
    REQUIRE(take(part, at) == never);
    answer(port.outbox().size() - 1, at + 2);
  }
  Sent sent(std::size_t n) {
    const noc::Request& request = port.outbox().at(n);
    return {request.address, request.sectors, request.cycle};
  }
  Cycle completed(std::uint32_t token) {
    for (const gpu::Completion& c : accesses.completed())
      if (c.token == token) return c.ready;
    return never;
  }

  gpu::GpuSpec spec;
  noc::SliceMap slices;
  gpu::MemoryUnitCounters counters;
  gpu::OpenAccesses accesses;
  gpu::RequestPort port;
  DataCache cache;
};

}  // namespace

TEST_CASE("data cache: hits follow each other at the width of its port, and parts of a cycle add up") {
  Bench b(64);  // Half a cycle for a sector.
  b.bring(load(0, 0xf), 0);
  CHECK(b.take(load(0, 0b0111), 100) == 100 + latency);  // Delivered until 101.5,
  CHECK(b.cache.delivery(0, 100) == 1);                  // of which half a cycle is left for the next.
  CHECK(b.take(load(0, 0b0001), 100) == 102 + latency);  // From 101.5 to 102,
  CHECK(b.take(load(0, 0b1000), 101) == 102 + latency);  // from 102 to 102.5.
  CHECK(b.take(load(0, 0b1000), 103) == 103 + latency);  // The port has been idle.
}

TEST_CASE("data cache: each sector is asked for once, and an access is complete with the last of its own") {
  Bench b;
  b.bring(load(5, 0b0001), 0);
  CHECK(b.take(load(5, 0b0111), 100, 1) == never);
  CHECK(b.take(load(5, 0b1100), 110, 2) == never);
  CHECK(b.sent(1) == Sent{5 * 128, 0b0110, 101});
  CHECK(b.sent(2) == Sent{5 * 128, 0b1000, 111});
  b.answer(2, 300);  // The later request first: its access still waits for sector 2.
  CHECK(b.accesses.completed().size() == 1);
  CHECK(b.cache.valid(5) == 0b1001);
  CHECK(b.take(load(5, 0b1001), 310) == 310 + latency);
  b.answer(1, 400);
  CHECK(b.completed(1) == 400);
  CHECK(b.completed(2) == 400);
}

TEST_CASE(
    "data cache: with every MSHR taken, a line in flight takes one more access, and a further line holds up all") {
  Bench b;
  b.bring(load(7, 1), 0);
  for (const std::uint64_t line : {0u, 1u}) b.take(load(line, 1), 10 + line);
  CHECK(b.cache.accepts_miss(0));
  CHECK_FALSE(b.cache.accepts_miss(2));
  b.take(load(0, 1), 12, 1);
  CHECK_FALSE(b.cache.accepts_miss(0));  // It has two.
  b.take(load(2, 1), 20);
  CHECK(b.take(load(7, 1), 25, 3) == never);  // It would hit.
  CHECK(b.take(load(0, 1), 26, 4) == never);  // It would be one too many for line 0.
  b.take(load(3, 1), 27);
  b.cache.retry(90);  // Nothing has come.
  CHECK((b.cache.stalled() && b.port.outbox().size() == 3));
  b.answer(1, 100);
  b.cache.retry(100);
  CHECK(b.cache.stalled());  // Line 3 has no MSHR either.
  CHECK(b.completed(1) == 100);
  CHECK(b.sent(3) == Sent{256, 1, 101});
  CHECK(b.completed(3) == 100 + latency);
  CHECK(b.completed(4) == 101 + latency);   // A quarter of a cycle behind.
  CHECK(b.counters.mshr_full_stalls == 2);  // Lines 2 and 3, however often they try.
  CHECK(b.counters.mshr_stall_cycles == 80 + 75 + 74);
}

TEST_CASE("data cache: a store reads the sectors that it writes in part, and all that it wrote is written back") {
  Bench b;
  CHECK(b.take(store(0, 0b0011, 0b0001), 10, 1) == never);
  CHECK(b.take(load(0, 0b0001), 12) == 12 + latency);  // What was written whole is there.
  CHECK(b.take(load(0, 0b0010), 13) == never);
  CHECK(b.sent(0) == Sent{0, 0b0010, 11});
  b.answer(0, 50);
  CHECK(b.completed(1) == 50);
  CHECK(b.take(store(2, 0b1000, 0, true), 60) == 60);  // Of local memory nothing is read.
  b.take(store(0, 0b0001, 0b0001), 70);
  b.bring(load(4, 1), 80);  // A third line of this set: line 2 was used least recently.
  CHECK(b.counters.l1_evictions == 1);
  coalescer::Transaction atomic;
  atomic.bytes.add(64, 4);  // Of line 0, but of no sector that is there.
  b.cache.forget(atomic, 100);
  CHECK(b.port.outbox()[2].kind == noc::RequestKind::write);
  CHECK(b.sent(2) == Sent{256, 0b1000, 82 + 5});
  CHECK(b.sent(3) == Sent{0, 0b0011, 100 + 9});
  CHECK(b.counters.l1_write_backs == 2);
}

TEST_CASE("data cache: what a load asks for decides how long its line stays") {
  Bench b;
  b.bring(load(0, 1), 0);
  b.bring(load(2, 1, CacheOperator::streaming), 100);
  b.take(load(2, 1, CacheOperator::streaming), 110);  // No reason to keep it.
  b.bring(load(4, 1), 200);
  CHECK(b.cache.holds(0, 1));  // Though it was used before line 2.
  CHECK_FALSE(b.cache.holds(2, 1));
  b.cache.touch(0);
  b.bring(load(2, 1, CacheOperator::no_allocate), 300);
  CHECK(b.cache.holds(4, 1));
  b.bring(load(2, 1), 400);
  CHECK(b.cache.holds(0, 1));
  CHECK_FALSE(b.cache.holds(4, 1));
  // A last use drops a line of which it uses everything, also what nobody has written back.
  b.take(store(1, 0b0011, 0b0011), 500);
  b.take(load(1, 0b0001, CacheOperator::last_use), 510);
  CHECK(b.cache.holds(1, 0b0011));
  CHECK(b.take(load(1, 0b0011, CacheOperator::last_use), 520) == 520 + latency);
  CHECK(b.cache.valid(1) == 0);
  CHECK(b.counters.l1_write_backs == 0);
}

TEST_CASE("data cache: a launch finds it empty, with no line on its way, and of the size that it asks for") {
  Bench b(1);
  b.bring(load(3, 0xf), 0);
  b.take(load(3, 0xf), 4);  // Its port delivers until 132.
  b.take(store(1, 1, 1), 5);
  for (std::uint64_t line = 0; line < 6; line += 2) b.take(load(line, 1), 10);
  CHECK(b.cache.stalled());
  b.cache.begin_launch();
  CHECK_FALSE((b.cache.stalled() || b.cache.holds(3, 1)));
  b.cache.begin_launch(256);  // One set of two lines.
  for (const std::uint64_t line : {0u, 1u, 2u}) b.bring(load(line, 1), 20 + 10 * line);
  CHECK(b.cache.valid(0) == 0);
  CHECK(b.take(load(1, 1), 60) == 60 + latency);
}

TEST_CASE("data cache: a fetch takes its latency also where its texels are on their way, and asks for them late") {
  Bench b(128, DataCache::Kind::texture);
  CachePart fetch = load(0, 1);
  fetch.texture = true;
  fetch.asks = 10 + 45;
  CHECK(b.take(fetch, 10, 1) == never);
  CHECK(b.take(fetch, 80, 2) == never);
  b.port.receive(55, [](const gpu::PendingRequest&, const noc::Reply&) {});
  CHECK(b.sent(0) == Sent{0, 1, 56});
  b.answer(0, 100);
  CHECK(b.completed(1) == 100);           // Later than 10 + 30.
  CHECK(b.completed(2) == 80 + latency);  // The texels came before.
  CHECK(b.counters.tex_cache_miss == 2);
}

}  // namespace lockstep::data_cache_test
