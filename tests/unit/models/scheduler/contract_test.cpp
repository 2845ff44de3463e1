// What every scheduling policy must do, whichever it is.

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <set>

#include "models/scheduler/warp_scheduler.hpp"

#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::scheduler;

namespace {

constexpr std::uint64_t bit(std::uint32_t slot) {
  return std::uint64_t{1} << slot;
}

/// A scheduler among warps that become ready, leave and come by chance; returns the slots that issued, 64 for none.
std::vector<std::uint32_t> run_by_chance(std::string_view policy, std::uint32_t seed) {
  std::mt19937 random(seed);
  WarpScheduler scheduler(policy, {.seed = 5, .active_warps = 1 + seed % 8});
  std::uint64_t age = 0;
  std::vector<std::uint32_t> issued;
  for (int step = 0; step < 2000; ++step) {
    const std::uint32_t slot = random() % max_warps;
    if ((scheduler.live() & bit(slot)) == 0) {
      scheduler.add(slot, age++);
      scheduler.set_waits(slot, false, false);
    } else if (random() % 16 == 0) {
      scheduler.remove(slot);
    } else {
      scheduler.set_waits(slot, random() % 4 == 0, random() % 8 == 0);
    }
    const std::uint64_t ready = (std::uint64_t{random()} << 32 | random()) & scheduler.live();
    const Candidates among = scheduler.candidates(ready);
    if (scheduler.narrows()) REQUIRE((among.now & ~scheduler.live()) == 0);
    const std::uint64_t issuable = ready & among.now;
    issued.push_back(64);
    if (issuable == 0) continue;
    issued.back() = scheduler.choose(issuable);
    REQUIRE((issuable >> issued.back() & 1) == 1);
    scheduler.count_issue(issued.back());
  }
  return issued;
}

/// Warps 0 to warps - 1, of which warp 0 is the oldest.
WarpScheduler with_warps(std::string_view policy, std::uint32_t warps, const Settings& settings = {}) {
  WarpScheduler scheduler(policy, settings);
  for (std::uint32_t slot = 0; slot < warps; ++slot) scheduler.add(slot, slot);
  return scheduler;
}

}  // namespace

TEST_CASE("scheduling policies: only warps that can issue are chosen, and the same ones in the same situation") {
  for (const lockstep::PolicyText& policy : Policies::all) {
    CAPTURE(policy.name);
    for (std::uint32_t seed = 0; seed < 4; ++seed)
      CHECK(run_by_chance(policy.name, seed) == run_by_chance(policy.name, seed));
  }
}

TEST_CASE("scheduling policies: of warps that can always issue, one always does") {
  for (const lockstep::PolicyText& policy : Policies::all) {
    CAPTURE(policy.name);
    for (const std::uint32_t warps : {1u, 2u, 63u, 64u}) {
      WarpScheduler scheduler = with_warps(policy.name, warps, {.seed = 1, .active_warps = 3});
      const std::uint64_t all = ~std::uint64_t{0} >> (64 - warps);
      for (int step = 0; step < 200; ++step) {
        const std::uint64_t issuable = all & scheduler.candidates(all).now;
        REQUIRE(issuable != 0);
        scheduler.count_issue(scheduler.choose(issuable));
      }
    }
  }
}

TEST_CASE("scheduling policies: those that promise turns give every warp its turn before any has another") {
  for (const char* policy : {"loose_round_robin", "strict_round_robin", "least_progress"}) {
    CAPTURE(policy);
    WarpScheduler scheduler = with_warps(policy, 64);
    for (int round = 0; round < 5; ++round) {
      std::set<std::uint32_t> had_a_turn;
      for (int step = 0; step < 64; ++step) {
        const std::uint32_t slot = scheduler.choose(scheduler.candidates(~std::uint64_t{0}).now);
        scheduler.count_issue(slot);
        had_a_turn.insert(slot);
      }
      CHECK(had_a_turn.size() == 64);
    }
  }
}

TEST_CASE("scheduling policies: a new warp is not taken for the one that used its slot before") {
  WarpScheduler scheduler = with_warps("least_progress", 2);
  for (int issue = 0; issue < 10; ++issue) scheduler.count_issue(0);
  for (int issue = 0; issue < 5; ++issue) scheduler.count_issue(1);
  CHECK(scheduler.choose(0b11) == 1);
  scheduler.remove(0);
  scheduler.add(0, 2);
  CHECK(scheduler.choose(0b11) == 0);
}

TEST_CASE("scheduling policies: a name that is none is an error that says which there are") {
  CHECK_THROWS_WITH(WarpScheduler("greedy_then_oldset"),
                    Catch::Contains("unknown scheduling policy 'greedy_then_oldset'") &&
                        Catch::Contains("did you mean 'greedy_then_oldest'?") && Catch::Contains("two_level"));
}

TEST_CASE("scheduling policies: names differ, and each has a line of text") {
  std::set<std::string_view> names;
  for (const lockstep::PolicyText& policy : Policies::all) {
    CHECK(names.insert(policy.name).second);
    CHECK_FALSE(policy.text.empty());
  }
}

TEST_CASE("Every scheduling policy has its row in the page of the folder") {
  std::ifstream page(source_dir() + "/models/scheduler/README.md");
  std::string rows;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) rows += line + "\n";
  for (const lockstep::PolicyText& policy : Policies::all)
    CHECK_THAT(rows, Catch::Contains("`" + std::string(policy.name) + "`"));
}
