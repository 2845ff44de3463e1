// Recording of thread blocks: piece boundaries, spilling to the temporary file, and reading from several threads.

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/recorder.hpp"

namespace lockstep::recorder_test {

using namespace lockstep::trace;

namespace {

constexpr std::uint32_t all = ~std::uint32_t{0};

/// A reproducible sequence of entries of one warp, made again for comparing instead of being kept.
class Script {
 public:
  Script(std::uint64_t seed, std::uint32_t warp) : random_(seed * 1000 + warp) {}
  BlockEntry block() { return {static_cast<std::uint32_t>(random_() % 300), random_() % 4 == 0 ? mask() : all}; }
  /// Scattered addresses: 32 lanes take 62 or more bytes.
  AccessEntry access(std::uint32_t block_mask) {
    AccessEntry entry;
    entry.mask = random_() % 4 == 0 ? block_mask & mask() : block_mask;
    for (std::uint64_t& address : entry.address) address = random_() % 30000;
    return entry;
  }

 private:
  std::uint32_t mask() { return static_cast<std::uint32_t>(random_()); }
  std::mt19937_64 random_;
};

/// Records `blocks` block entries with one access each for every warp, round robin.
std::unique_ptr<ThreadBlockStreams> record(std::uint64_t seed, std::uint32_t warps, std::uint32_t blocks,
                                           std::shared_ptr<RecordingBudget> budget = nullptr) {
  Recorder recorder(warps, std::move(budget));
  std::vector<Script> scripts;
  for (std::uint32_t warp = 0; warp < warps; ++warp) scripts.emplace_back(seed, warp);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      const BlockEntry block = scripts[warp].block();
      recorder.block(warp, block.block, block.mask);
      const AccessEntry access = scripts[warp].access(block.mask);
      recorder.access(warp, access.mask, access.address);
    }
  }
  return recorder.finish();
}

/// Whether a warp's stream holds exactly what record() wrote.
bool matches(ThreadBlockStreams& streams, std::uint64_t seed, std::uint32_t warp, std::uint32_t blocks) {
  Script script(seed, warp);
  StreamCursor cursor(streams.warp(warp), 300);
  BlockEntry block;
  AccessEntry access;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const BlockEntry expected = script.block();
    if (!cursor.next_block(block) || block.block != expected.block || block.mask != expected.mask) return false;
    const AccessEntry wanted = script.access(expected.mask);
    cursor.next_access(access);
    if (access.mask != wanted.mask) return false;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((wanted.mask >> lane & 1) != 0 && access.address[lane] != wanted.address[lane]) return false;
    }
  }
  return !cursor.next_block(block);
}

}  // namespace

TEST_CASE("A recorder hands out what it was given, warp by warp") {
  const auto streams = record(1, 3, 10);
  for (std::uint32_t warp = 0; warp < 3; ++warp) CHECK(matches(*streams, 1, warp, 10));
}

TEST_CASE("A recorder without entries hands out empty streams") {
  Recorder recorder(2);
  const auto streams = recorder.finish();
  CHECK(streams->warp(0).next_piece().empty());
  CHECK(streams->warp(1).next_piece().empty());
  CHECK(streams->warp(1).next_piece().empty());
}

TEST_CASE("A recorder ends a piece at the first block entry at or beyond the piece size") {
  // Every block entry with an unchanged mask and a number below 64 has one byte; the first has four bytes of mask more.
  const auto sizes = [](std::size_t entries) {
    Recorder recorder(1);
    for (std::size_t i = 0; i < entries; ++i) recorder.block(0, 5, all);
    const auto streams = recorder.finish();
    std::vector<std::size_t> result;
    for (auto piece = streams->warp(0).next_piece(); !piece.empty(); piece = streams->warp(0).next_piece()) {
      result.push_back(piece.size());
    }
    return result;
  };
  CHECK(sizes(piece_bytes - 5) == std::vector<std::size_t>{piece_bytes - 1});
  CHECK(sizes(piece_bytes - 4) == std::vector<std::size_t>{piece_bytes});
  CHECK(sizes(piece_bytes - 3) == std::vector<std::size_t>{piece_bytes, 5});
  CHECK(sizes(2 * (piece_bytes - 4)) == std::vector<std::size_t>{piece_bytes, piece_bytes});
  CHECK(sizes(2 * (piece_bytes - 4) + 1) == std::vector<std::size_t>{piece_bytes, piece_bytes, 5});
}

TEST_CASE("A recorder keeps a block and its accesses in one piece, however many they are") {
  Recorder recorder(1);
  const std::uint32_t accesses = 2000;
  Script script(3, 0);
  recorder.block(0, 1, all);
  for (std::uint32_t i = 0; i < accesses; ++i) recorder.access(0, all, script.access(all).address);
  recorder.block(0, 2, all);
  const auto streams = recorder.finish();
  const auto first = streams->warp(0).next_piece();
  CHECK(first.size() > 2 * piece_bytes);
  CHECK(streams->warp(0).next_piece().size() == 5);
  CHECK(streams->warp(0).next_piece().empty());
}

TEST_CASE("A recorder spills long thread blocks and reads them back") {
  // 4 warps: spilling begins beyond 256 KiB; 12,000 scattered accesses of a warp have at least 12,000 * 62 bytes.
  const std::uint32_t warps = 4, blocks = 12000;
  REQUIRE(warps * blocks * 62 > 4 * Recorder::memory_limit(warps));
  const auto first = record(7, warps, blocks);
  const auto second = record(8, warps, blocks);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    CHECK(matches(*second, 8, warp, blocks));
    CHECK(matches(*first, 7, warp, blocks));
  }
}

TEST_CASE("A recorder spills what is beyond the budget of several, and gives back what it took") {
  // The budget has room for the first thread block alone: the second goes to the file, the third has its room again.
  const auto bytes_of_one = [] {
    std::size_t bytes = 0;
    const auto streams = record(1, 2, 300);
    for (std::uint32_t warp = 0; warp < 2; ++warp)
      for (auto piece = streams->warp(warp).next_piece(); !piece.empty(); piece = streams->warp(warp).next_piece())
        bytes += piece.size();
    return bytes;
  };
  const std::size_t room = bytes_of_one() * 3 / 2;
  const auto budget = std::make_shared<RecordingBudget>(room);
  auto first = record(1, 2, 300, budget);
  const auto second = record(2, 2, 300, budget);
  CHECK(budget->take(room - bytes_of_one()));  // Of the second thread block, nothing is left in memory.
  budget->give_back(room - bytes_of_one());
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    CHECK(matches(*first, 1, warp, 300));
    CHECK(matches(*second, 2, warp, 300));
  }
  first.reset();
  CHECK(budget->take(room));
}

TEST_CASE("Spilled thread blocks can be read while others are recorded, on several threads") {
  const std::uint32_t warps = 3, blocks = 4000;
  REQUIRE(warps * blocks * 62 > Recorder::memory_limit(warps));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &right] {
      auto before = record(t * 10, warps, blocks);
      for (std::uint64_t round = 1; round < 4; ++round) {
        auto streams = record(t * 10 + round, warps, blocks);
        for (std::uint32_t warp = 0; warp < warps; ++warp) {
          right += matches(*before, t * 10 + round - 1, warp, blocks) ? 1 : 0;
        }
        before = std::move(streams);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 4 * 3 * 3);
}

TEST_CASE("A recorder that finds no place for its temporary file is a resource error") {
  const char* const before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nonexistent/folder", 1);
  CHECK_THROWS_WITH(record(1, 1, 6000), Catch::Contains("/nonexistent/folder"));
  CHECK_THROWS_AS(record(1, 1, 6000), ResourceError);
  if (before == nullptr) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", saved.c_str(), 1);
  }
}

}  // namespace lockstep::recorder_test
