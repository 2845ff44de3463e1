// The two constant caches by themselves, before a port whose requests the test answers when it likes. A read leaves the port in a
// cycle. Lines of the first level have 16 words, those of the second 64.
#include <catch2/catch.hpp>

#include "sim/gpu/sm/memory/constant_cache.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::constant_cache_test {

namespace {

using Sent = std::vector<std::uint64_t>;            ///< Address, bytes and cycle of a request.
constexpr Cycle near = 20, far = 70, spacing = 11;  ///< A hit of the first level, and of the second; from word to word.

/// Two lines and sixteen lines.
gpu::ConstantSpec two_levels() {
  gpu::ConstantSpec spec;
  spec.l1 = {128, 64, 64, 0, "mod", 4, 4};
  spec.l15 = {4096, 256, 256, 4, "mod", 4, 4};
  spec.latency = near;
  spec.l15_latency = far;
  spec.word_spacing = spacing;
  return spec;
}

struct Bench {
  explicit Bench(const gpu::ConstantSpec& constant_spec = two_levels())
      : spec(test::memory_unit_gpu()),
        constant(constant_spec),
        slices(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
        port(spec, slices, counters),
        cache(constant, accesses, port, counters) {
    port.begin_launch();
  }
  /// Of these words, by lanes 0, 1, ... of `lanes`. When it is ready, or never: it completes later.
  Cycle load(const std::vector<std::uint64_t>& words, Cycle at, std::uint32_t token = 0, std::uint32_t lanes = ~0u) {
    std::uint64_t address[32] = {};
    for (std::size_t lane = 0; lane < words.size(); ++lane) address[lane] = 4 * words[lane];
    const std::uint32_t open = accesses.begin(token);
    different = cache.load(address, lanes & ((1u << words.size()) - 1), open, at);
    return accesses.close(open);
  }
  /// The reply to request `n` of those that have left, as the memory unit takes it.
  void answer(std::size_t n, Cycle at) {
    port.deliver({at, port.outbox().at(n).token, 0, false, 0});
    port.receive(at, [&](const gpu::PendingRequest& request, const noc::Reply&) { cache.fill(request, at); });
    cache.retry(at);
  }
  /// Loads a word that is nowhere, with its reply two cycles later.
  void bring(std::uint64_t word, Cycle at) {
    REQUIRE(load({word}, at) == never);
    answer(port.outbox().size() - 1, at + 2);
  }
  Sent sent(std::size_t n) {
    const noc::Request& request = port.outbox().at(n);
    return {request.address, request.bytes, request.cycle};
  }
  Cycle completed(std::uint32_t token) {
    for (const gpu::Completion& c : accesses.completed())
      if (c.token == token) return c.ready;
    return never;
  }

  gpu::GpuSpec spec;
  gpu::ConstantSpec constant;
  noc::SliceMap slices;
  gpu::MemoryUnitCounters counters;
  gpu::OpenAccesses accesses;
  gpu::RequestPort port;
  gpu::ConstantCache cache;
  std::uint32_t different = 0;  ///< Words of the last load.
};

}  // namespace

TEST_CASE("constant cache: a miss fetches a line of the second level, from which lines of the first are there later") {
  Bench b;
  CHECK(b.load({3}, 10, 1) == never);
  CHECK(b.sent(0) == Sent{0, 256, 11});
  b.answer(0, 500);
  CHECK(b.completed(1) == 500);
  CHECK(b.load({0}, 600) == 600 + near);
  CHECK(b.load({16}, 600) == 600 + far);
  CHECK(b.load({17}, 610) == 600 + far);   // It comes with word 16;
  CHECK(b.load({17}, 650) == 600 + far);   // from here on, a hit takes as long,
  CHECK(b.load({17}, 651) == 651 + near);  // and later its own time.
  CHECK(b.load({0}, 700) == 700 + near);
  CHECK(b.load({63}, 701) == 701 + far);  // In place of word 16's line, used before word 0.
  CHECK(b.load({0}, 800) == 800 + near);
  CHECK(b.load({16}, 801) == 801 + far);
  CHECK(b.counters.constant_hit == 6);
}

TEST_CASE("constant cache: what is on its way is asked for once, and no load is faster than a hit") {
  Bench b;
  CHECK(b.load({0}, 10, 1) == never);
  CHECK(b.load({5}, 20, 2) == never);   // The same line of both levels,
  CHECK(b.load({32}, 90, 3) == never);  // another one of the first.
  CHECK(b.port.outbox().size() == 1);
  b.answer(0, 100);
  CHECK(b.completed(1) == 100);
  CHECK(b.completed(2) == 100);
  CHECK(b.completed(3) == 90 + near);
}

TEST_CASE("constant cache: each word of a load is looked up once, after the one before, and behind the second level") {
  Bench b;
  b.bring(0, 0);
  CHECK(b.load({2, 2, 1, 2, 1, 0}, 100) == 100 + 2 * spacing + near);
  CHECK(b.different == 3);
  // 0 at 1000; 16 at 1011, there at 1081, which is 50 later than a hit; 17 at 1072; 1 at 1083.
  CHECK(b.load({0, 16, 17, 1}, 1000) == 1083 + near);
  CHECK(b.load({48, 2, 3, 1}, 2000, 0, 0b1010) == 2000 + spacing + near);  // Lanes 1 and 3 alone.
  CHECK(b.different == 2);
  CHECK(b.load({0}, 3000, 0, 0) == 3000 + near);  // No lane.
  CHECK(b.counters.constant_words == 1 + 3 + 4 + 2);
  b.load({0, 64, 1, 65}, 4000, 1);
  CHECK(b.sent(1) == Sent{256, 256, 4000 + spacing + 1});
  b.answer(1, 4400);
  CHECK(b.completed(1) == 4400);
}

TEST_CASE("constant cache: a word that finds no MSHR of either level holds up those behind it until a reply") {
  gpu::ConstantSpec spec = two_levels();
  spec.l15.mshrs = spec.l15.mshr_merges = 1;
  spec.l1.mshr_merges = 2;
  Bench b(spec);
  b.load({0}, 10, 1);
  b.load({1}, 11);
  b.load({64}, 20, 3);  // Another line of the second level,
  CHECK(b.cache.stalled());
  b.load({16}, 21, 4);  // and one that would join.
  b.load({2}, 22, 5);
  b.load({128}, 23);
  b.cache.retry(50);  // Nothing has come.
  CHECK(b.port.outbox().size() == 1);
  b.answer(0, 100);
  CHECK(b.completed(1) == 100);
  CHECK(b.completed(4) == 100 + far);
  CHECK(b.completed(5) == 100 + near);
  CHECK(b.sent(1) == Sent{256, 256, 101});
  CHECK(b.counters.mshr_stall_cycles == 80 + 79 + 78);
  b.answer(1, 200);
  CHECK(b.sent(2) == Sent{512, 256, 201});
  for (std::uint32_t n = 0; n < 2; ++n) b.load({129 + n}, 210 + n, 6 + n);
  b.answer(2, 300);
  CHECK(b.completed(6) == 300);
  CHECK(b.completed(7) == 300 + near);
  CHECK(b.counters.mshr_full_stalls == 2);   // Words 64 and 128, however often they try.
  CHECK(b.counters.mshr_merge_stalls == 1);  // Word 130 is the third of its line.
}

TEST_CASE("constant cache: the sectors of a line come and are there each by itself") {
  gpu::ConstantSpec spec = two_levels();
  spec.l1 = {64, 64, 32, 0, "mod", 4, 4};  // One line.
  spec.l15.sector_bytes = 32;
  Bench b(spec);
  b.bring(0, 0);    // Words 0 to 7,
  b.bring(16, 10);  // which are in the second level alone now.
  CHECK(b.load({8}, 20, 1) == never);
  CHECK(b.load({0}, 30) == 30 + far);  // The second level has it, though the rest of its line is in flight.
  CHECK(b.sent(2) == Sent{0, 32, 21});
  b.answer(2, 40);
  CHECK(b.completed(1) == 40);
  CHECK(b.load({8}, 45) == 45 + near);  // It need not wait for words 0 to 7,
  CHECK(b.load({1}, 46) == 30 + far);   // nor are these there earlier.
  CHECK(b.counters.constant_miss == 3);
}

TEST_CASE("constant cache: each level works without the other") {
  gpu::ConstantSpec spec = two_levels();
  spec.l1.bytes = 0;
  Bench second(spec);
  second.bring(0, 0);
  for (const Cycle at : {100u, 200u}) CHECK(second.load({1}, at) == at + far);
  spec = two_levels();
  spec.l15.bytes = 0;
  Bench first(spec);
  first.bring(0, 0);
  CHECK(first.sent(0) == Sent{0, 64, 1});
  CHECK(first.load({15}, 100) == 100 + near);
  CHECK(first.load({16}, 200) == never);
}

TEST_CASE("constant cache: a launch finds both levels empty, with nothing on its way or waiting") {
  gpu::ConstantSpec spec = two_levels();
  spec.l1.mshrs = spec.l1.mshr_merges = 1;
  Bench b(spec);
  b.bring(0, 0);
  b.load({64}, 110);
  b.load({128}, 111);
  CHECK(b.cache.stalled());
  b.cache.begin_launch();
  CHECK_FALSE(b.cache.stalled());
  for (const std::uint64_t word : {0u, 64u, 128u}) b.bring(word, word);
  CHECK(b.load({64}, 130) == 130 + near);
}

}  // namespace lockstep::constant_cache_test
