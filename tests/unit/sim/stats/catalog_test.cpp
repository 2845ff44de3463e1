#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <type_traits>

#include "sim/stats/catalog.hpp"

using namespace lockstep;
using namespace lockstep::stats;

namespace {

constexpr std::size_t counts = sizeof(gpu::Counters) / sizeof(std::uint64_t);

/// Counters of a GPU, each with a number of its own: `first` and those behind it, in whole cycles where it is a time.
gpu::Counters numbered(std::uint64_t first) {
  std::array<std::uint64_t, counts> numbers;
  for (std::size_t i = 0; i < counts; ++i) numbers[i] = clock::to_ticks(first + i);
  gpu::Counters counters;
  static_assert(std::is_trivially_copyable_v<gpu::Counters>);
  std::memcpy(static_cast<void*>(&counters), numbers.data(), sizeof counters);
  return counters;
}

}  // namespace

TEST_CASE("Every counter is in the catalogue exactly once, times in cycles") {
  const gpu::Counters counters = numbered(1'000'000);
  std::multiset<std::uint64_t> seen;
  for (const Statistic& statistic : statistics())
    if (statistic.name != "sm.issue.slots") seen.insert(statistic.value(counters));
  for (std::size_t i = 0; i < counts; ++i) {
    const std::uint64_t cycles = 1'000'000 + i, count = clock::to_ticks(cycles);
    CAPTURE(i);
    // An access has at least one lane, so there is no degree 0 to report.
    CHECK(seen.count(count) + seen.count(cycles) == (count == counters.sm.scratchpad_degree[0] ? 0 : 1));
  }
  CHECK(find_statistic("memory.busy_cycles")->value(counters) == clock::cycle_of(counters.memory.dram.bus_ticks));
  CHECK(find_statistic("memory.l2.reads")->value(counters) == counters.memory.l2.reads);
}

TEST_CASE("The counters of two SMs, and of all parts of the memory, add up one by one") {
  gpu::Counters sum = numbered(1000);
  counter::add(sum, numbered(500'000));
  std::array<std::uint64_t, counts> sums;
  std::memcpy(sums.data(), &sum, sizeof sum);
  for (std::size_t i = 0; i < counts; ++i) {
    CAPTURE(i);
    CHECK(sums[i] == clock::to_ticks(1000 + i) + clock::to_ticks(500'000 + i));
  }
}

TEST_CASE("Names are unique and every statistic says what it is") {
  std::set<std::string> names;
  for (const Statistic& statistic : statistics()) {
    INFO(statistic.name);
    CHECK(names.insert(statistic.name).second);
    CHECK_FALSE(statistic.unit.empty());
    CHECK_FALSE(statistic.text.empty());
    CHECK(find_statistic(statistic.name) == &statistic);
  }
  for (const Derived& derived : derived_statistics()) {
    INFO(derived.name);
    CHECK(names.insert(derived.name).second);
    CHECK_FALSE(derived.text.empty());
    CHECK(find_derived(derived.name) == &derived);
  }
  CHECK(find_statistic("nonsense") == nullptr);
  CHECK(find_derived("nonsense") == nullptr);
}

TEST_CASE("The issue slots are the sum of their reasons") {
  gpu::Counters counters;
  for (std::size_t i = 0; i < gpu::slot_count; ++i) counters.sm.slots[i] = std::uint64_t{1} << i;
  CHECK(find_statistic("sm.issue.slots")->value(counters) == (1U << gpu::slot_count) - 1);
  CHECK(find_statistic("sm.issue.issued")->value(counters) == 1);
  CHECK(find_statistic("sm.issue.barrier")->value(counters) == 1U << static_cast<unsigned>(gpu::Slot::barrier));
  CHECK(gpu::name_of(gpu::Slot::memory_queue) == "memory_queue");
  CHECK(gpu::name_of(gpu::Slot::reconfigured) == "reconfigured");
}

TEST_CASE("Derived statistics follow their formulas, and have no value when they would divide by zero") {
  gpu::GpuSpec gpu;
  gpu.clock_mhz = 1000;
  gpu.sm.occupancy.warps = 48;
  gpu::Result result;
  for (const Derived& derived : derived_statistics()) {
    INFO(derived.name);
    CHECK_FALSE(derived.value(gpu, result).has_value());
  }
  result.cycles = 1000;  // 1 microsecond at 1 GHz
  result.launches.resize(2);
  gpu.kernel_launch_us = 3;
  result.warp_instructions = 250;
  auto& sm = result.counters.sm;
  sm.slots[0] = 300;
  sm.slots[1] = 900;
  sm.warp_instructions = 250;
  sm.thread_instructions = 4000;
  sm.resident_cycles = 100;
  sm.resident_warp_cycles = 1200;
  sm.scratchpad_degree[1] = 6;
  sm.scratchpad_degree[2] = 3;
  sm.scratchpad_degree[32] = 1;
  sm.scratchpad_loads = 4;
  sm.scratchpad_load_passes = 10;
  sm.scratchpad_stores = 2;
  sm.scratchpad_store_passes = 2;
  sm.load_locks = 30;
  sm.scratchpad_atomics = 12;
  sm.lock_lanes = 400;
  sm.lock_failed_position = 20;
  sm.lock_failed_alias = 30;
  sm.lock_failed_warp = 50;
  sm.cas_atomics = 2;
  sm.cas_iterations = 7;
  sm.cas_lanes = 80;
  sm.cas_lost_position = 15;
  sm.cas_lost_update = 5;
  sm.global_loads = 3;
  sm.global_stores = 1;
  sm.global_atomics = 1;
  sm.global_transactions = 10;
  result.counters.memory.noc.read_bytes = 1500;
  result.counters.memory.noc.write_bytes = 500;
  result.counters.memory.dram.bus_ticks = clock::to_ticks(1200);
  gpu.memory.dram.channels = 2;
  result.counters.memory.dram.read_bytes = 3000;
  result.counters.memory.dram.write_bytes = 1000;
  result.counters.memory.l2.reads = 8;
  result.counters.memory.l2.read_hits = 6;
  result.counters.memory.l2.writes = 4;
  result.counters.memory.l2.write_hits = 1;
  result.counters.memory.dram.row_hits = 9;
  result.counters.memory.dram.row_misses = 3;
  result.counters.memory.tlb.lookups = 10;
  result.counters.memory.tlb.misses = 4;
  const auto value = [&](const char* name) { return find_derived(name)->value(gpu, result).value(); };
  CHECK(value("elapsed_ms") == Approx(0.001 + 2 * 0.003));
  CHECK(value("ipc") == 0.25);
  CHECK(value("issue_utilisation") == 0.25);
  CHECK(value("occupancy") == 0.25);
  CHECK(value("simd_efficiency") == 0.5);
  CHECK(value("bank_conflict_degree") == Approx((6 + 2 * 3 + 32) / 10.0));
  CHECK(value("passes_per_load") == 2.5);
  CHECK(value("passes_per_store") == 1);
  CHECK(value("lock_iterations") == 2.5);
  CHECK(value("cas_iterations") == 3.5);
  CHECK(value("cas_failures") == 0.25);
  CHECK(value("lock_refusals") == 0.25);
  CHECK(value("transactions_per_access") == 2);
  CHECK(value("memory_bandwidth") == Approx(2.0));  // 2000 bytes in a microsecond
  CHECK(value("memory_utilisation") == 0.6);
  CHECK(value("dram_bandwidth") == Approx(4.0));
  CHECK(value("l2_read_hit_rate") == 0.75);
  CHECK(value("l2_write_hit_rate") == 0.25);
  CHECK(value("row_hit_rate") == 0.75);
  CHECK(value("l2_tlb_hit_rate") == 0.6);
}
