// Traces kept in memory or in temporary files, within a budget.

#include "isa/trace/kept_trace.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>

#include "isa/trace/composed_trace.hpp"

namespace lockstep::kept_trace_test {

using namespace lockstep::trace;
using Place = TraceBudget::Place;

namespace {

constexpr std::uint64_t thread_blocks = 300;

/// Every warp walks through memory at addresses that cannot be told from earlier ones, so that frames stay long.
ComposedTrace scattered() {
  ComposedTrace trace("scattered");
  trace.launch().grid = {thread_blocks, 1, 1};
  trace.launch().block = {64, 1, 1};
  const std::uint32_t address = trace.reg(), value = trace.reg();
  trace.access("ld.global.u32", lockstep::program::AccessKind::load, lockstep::program::MemorySpace::global, {value},
               {address});
  trace.control("exit", lockstep::program::Control::exit);
  trace.execute = [](std::uint64_t block, std::uint32_t warp, ComposedTrace::Script script) {
    std::uint64_t state = block * 64 + warp + 1;
    for (int n = 0; n < 20; ++n) {
      std::vector<std::uint64_t> addresses(32);
      for (std::uint64_t& one : addresses) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        one = state >> 30;
      }
      script.enter(0).touch(addresses);
    }
  };
  return trace;
}

/// All streams, one after the other.
std::vector<std::byte> bytes_of(Source& source) {
  std::vector<std::byte> all;
  for (std::uint32_t launch = 0; launch < source.header().launches.size(); ++launch) {
    const Launch& shape = source.header().launches[launch];
    for (std::uint64_t block = 0; block < shape.thread_blocks(); ++block) {
      const auto streams = source.open(launch, block);
      for (std::uint32_t warp = 0; warp < shape.warps_per_block(); ++warp)
        for (auto piece = streams->warp(warp).next_piece(); !piece.empty(); piece = streams->warp(warp).next_piece())
          all.insert(all.end(), piece.begin(), piece.end());
    }
  }
  return all;
}

std::vector<std::byte> expected() {
  ComposedTrace source = scattered();
  return bytes_of(source);
}

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

}  // namespace

TEST_CASE("A kept trace is what was executed, however often it is opened") {
  TraceBudget budget({plenty, 0});
  ComposedTrace source = scattered();
  const auto kept = KeptTrace::copy_of(source, budget);
  REQUIRE(kept != nullptr);
  CHECK(kept->place() == Place::memory);
  CHECK(kept->open()->header().kernels[0].name == "scattered");
  const auto first = kept->open(), second = kept->open();
  std::vector<std::byte> at_the_same_time;
  std::thread other([&] { at_the_same_time = bytes_of(*second); });
  CHECK(bytes_of(*first) == expected());
  other.join();
  CHECK(at_the_same_time == expected());
}

TEST_CASE("A trace beyond the memory's budget moves to a temporary file, as it was") {
  TraceBudget budget({std::uint64_t{300} << 10, plenty});  // Room for its beginning alone.
  ComposedTrace source = scattered();
  const auto kept = KeptTrace::copy_of(source, budget);
  REQUIRE(kept != nullptr);
  CHECK(kept->place() == Place::disk);
  CHECK(kept->bytes() > std::uint64_t{300} << 10);
  CHECK(bytes_of(*kept->open()) == expected());
  CHECK(budget.take(Place::memory, std::uint64_t{300} << 10));  // All of it was given back.
}

TEST_CASE("Without room there is no trace, and nothing of the budget is lost") {
  for (const auto& limits : {TraceLimits{0, 0}, TraceLimits{std::uint64_t{300} << 10, std::uint64_t{300} << 10}}) {
    TraceBudget budget(limits);
    ComposedTrace source = scattered();
    CHECK(KeptTrace::copy_of(source, budget) == nullptr);
    CHECK(budget.take(Place::memory, limits.memory_bytes));
    CHECK(budget.take(Place::disk, limits.disk_bytes));
  }
}

TEST_CASE("A trace gives its room back when nobody holds it") {
  TraceBudget budget({plenty, 0});
  ComposedTrace source = scattered();
  auto kept = KeptTrace::copy_of(source, budget);
  REQUIRE(kept != nullptr);
  CHECK_FALSE(budget.take(Place::memory, plenty));
  CHECK(budget.take(Place::memory, plenty - kept->bytes()));
  CHECK_FALSE(budget.take(Place::memory, 1));
  const std::uint64_t bytes = kept->bytes();
  kept.reset();
  CHECK(budget.take(Place::memory, bytes));
}

TEST_CASE("Where temporary files cannot be made, a trace that does not fit in memory is not kept") {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept_before = before == nullptr ? "" : before;
  setenv("TMPDIR", "/proc/none", 1);
  TraceBudget budget({std::uint64_t{300} << 10, plenty});
  ComposedTrace source = scattered();
  const auto kept = KeptTrace::copy_of(source, budget);
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept_before.c_str(), 1);
  CHECK(kept == nullptr);
  CHECK(budget.take(Place::disk, plenty));
}

}  // namespace lockstep::kept_trace_test
