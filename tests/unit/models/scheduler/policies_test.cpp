// What each scheduling policy chooses, step by step.

#include <catch2/catch.hpp>

#include "models/scheduler/warp_scheduler.hpp"

using namespace lockstep::scheduler;

namespace {

/// Warps of these ages in slots 0, 1, ...
WarpScheduler with_ages(std::string_view policy, const std::vector<std::uint64_t>& ages) {
  WarpScheduler scheduler(policy);
  for (std::uint32_t slot = 0; slot < ages.size(); ++slot) scheduler.add(slot, ages[slot]);
  return scheduler;
}

/// The view of warps of which none waits.
View of_warps(std::uint64_t live) {
  View view;
  view.live = live;
  return view;
}

}  // namespace

TEST_CASE("Loose round robin: the next warp behind the one that issued last, round the end") {
  WarpScheduler scheduler("loose_round_robin");
  CHECK(scheduler.choose(0b1011) == 0);
  CHECK(scheduler.choose(0b1011) == 1);
  CHECK(scheduler.choose(0b1011) == 3);
  CHECK(scheduler.choose(0b1011) == 0);
  CHECK(scheduler.choose(std::uint64_t{1} << 63) == 63);
  CHECK(scheduler.choose(0b1) == 0);
}

TEST_CASE("Strict round robin: the slot goes by while the warp whose turn it is cannot issue") {
  WarpScheduler scheduler = with_ages("strict_round_robin", {0, 1, 2});
  REQUIRE(scheduler.narrows());
  CHECK(scheduler.candidates(0b110).now == 0b001);
  CHECK(scheduler.candidates(0b110).later == 0b001);
  CHECK(scheduler.choose(0b001) == 0);
  CHECK(scheduler.candidates(0b101).now == 0b010);
  CHECK(scheduler.choose(0b010) == 1);
  CHECK(scheduler.choose(scheduler.candidates(0b111).now) == 2);
  CHECK(scheduler.candidates(0b111).now == 0b001);
}

TEST_CASE("Strict round robin: a warp for memory is waited for, one at a barrier or gone is not") {
  WarpScheduler scheduler = with_ages("strict_round_robin", {0, 1, 2, 3});
  scheduler.set_waits(0, true, false);
  CHECK(scheduler.candidates(0b1110).now == 0b0001);
  scheduler.set_waits(0, false, true);
  CHECK(scheduler.candidates(0b1110).now == 0b0010);
  CHECK(scheduler.candidates(0b1110).later == 0b0011);  // When the barrier lets warp 0 go, it is its turn again.
  CHECK(scheduler.candidates(0b1111).now == 0b0001);
  scheduler.remove(1);
  CHECK(scheduler.candidates(0b1100).now == 0b0100);
  for (std::uint32_t slot : {2, 3}) scheduler.set_waits(slot, false, true);
  CHECK(scheduler.candidates(0).now == 0);
  CHECK(scheduler.candidates(0).later == 0b1101);
}

TEST_CASE("Greedy then oldest: stays with a warp while it can issue and then takes the oldest") {
  WarpScheduler scheduler = with_ages("greedy_then_oldest", {5, 3, 9, 4});
  CHECK(scheduler.choose(0b1111) == 1);
  CHECK(scheduler.choose(0b1111) == 1);
  CHECK(scheduler.choose(0b1101) == 3);
  CHECK(scheduler.choose(0b1111) == 3);
  CHECK(scheduler.choose(0b0101) == 0);
}

TEST_CASE("Greedy then youngest: stays with a warp while it can issue and then takes the youngest") {
  WarpScheduler scheduler = with_ages("greedy_then_youngest", {5, 3, 9, 4});
  CHECK(scheduler.choose(0b1111) == 2);
  CHECK(scheduler.choose(0b1111) == 2);
  CHECK(scheduler.choose(0b1011) == 0);
  CHECK(scheduler.choose(0b1111) == 0);
  CHECK(scheduler.choose(0b1010) == 3);
}

TEST_CASE("Least progress: the warp that has issued least, the oldest of those that have issued as much") {
  WarpScheduler scheduler = with_ages("least_progress", {2, 1, 0});
  CHECK(scheduler.choose(0b111) == 2);
  scheduler.count_issue(2);
  CHECK(scheduler.choose(0b111) == 1);
  scheduler.count_issue(1);
  scheduler.count_issue(1);
  CHECK(scheduler.choose(0b111) == 0);
  scheduler.count_issue(0);
  CHECK(scheduler.choose(0b111) == 2);
  CHECK(scheduler.choose(0b011) == 0);
}

TEST_CASE("Random: every warp that can issue is chosen at times, and seeds differ") {
  WarpScheduler a("random", {.seed = 1}), b("random", {.seed = 2});
  std::vector<std::uint32_t> of_a, of_b;
  std::uint64_t chosen = 0;
  for (int step = 0; step < 200; ++step) {
    of_a.push_back(a.choose(0b1011'0001));
    of_b.push_back(b.choose(0b1011'0001));
    chosen |= std::uint64_t{1} << of_a.back();
  }
  CHECK(chosen == 0b1011'0001);
  CHECK(of_a != of_b);
}

TEST_CASE("Two-level: the active set keeps who waits for nothing long and fills up in turn") {
  TwoLevel policy({.active_warps = 2});
  View warps = of_warps(0b1111);
  CHECK(policy.narrow(0, warps).now == 0b0011);
  CHECK(policy.narrow(0, warps).now == 0b0011);
  warps.waits_for_memory = 0b0001;  // Warp 0 leaves, warp 2 is next.
  CHECK(policy.narrow(0, warps).now == 0b0110);
  warps.waits_for_memory = 0b1000;  // Warp 0 waits no longer, but the set is full.
  CHECK(policy.narrow(0, warps).now == 0b0110);
  CHECK(policy.narrow(0, warps).later == 0b0110);
  warps.waits_at_barrier = 0b0010;  // Behind warp 2 comes, round the end, warp 0.
  CHECK(policy.narrow(0, warps).now == 0b0101);
  warps.waits_at_barrier = 0b0111;
  CHECK(policy.narrow(0, warps).now == 0);
  CHECK(policy.narrow(0, warps).later == 0b1111);
  CHECK(policy.narrow(0b0100, warps).now == 0b0100);  // It is ready: what it waited for has come.
}

TEST_CASE("Two-level: the active set has room for as many warps as it says, also in the last slot") {
  TwoLevel all({.active_warps = 64});
  const View warps = of_warps(~std::uint64_t{0});
  CHECK(all.narrow(0, warps).now == ~std::uint64_t{0});
  TwoLevel one({.active_warps = 1});
  CHECK(one.narrow(0, of_warps(std::uint64_t{1} << 63)).now == std::uint64_t{1} << 63);
  CHECK(one.narrow(0, of_warps(0b11)).now == 0b01);
}
