#include <catch2/catch.hpp>

#include <vector>

#include "models/scheduler/warp_scheduler.hpp"

using namespace lockstep;

TEST_CASE("Round robin continues behind the warp that issued last") {
  scheduler::WarpScheduler scheduler(scheduler::Policy::loose_round_robin);
  const std::vector<std::uint64_t> age(64, 0);
  CHECK(scheduler.choose(0b1011, age) == 0);
  CHECK(scheduler.choose(0b1011, age) == 1);
  CHECK(scheduler.choose(0b1011, age) == 3);
  CHECK(scheduler.choose(0b1011, age) == 0);
  CHECK(scheduler.choose(std::uint64_t{1} << 63, age) == 63);
  CHECK(scheduler.choose(0b1, age) == 0);
}

TEST_CASE("Greedy-then-oldest stays with a warp and then takes the oldest") {
  scheduler::WarpScheduler scheduler(scheduler::Policy::greedy_then_oldest);
  const std::vector<std::uint64_t> age = {5, 3, 9, 4};
  CHECK(scheduler.choose(0b1111, age) == 1);
  CHECK(scheduler.choose(0b1111, age) == 1);
  CHECK(scheduler.choose(0b1101, age) == 3);
  CHECK(scheduler.choose(0b1111, age) == 3);
  CHECK(scheduler.choose(0b0101, age) == 0);
}
