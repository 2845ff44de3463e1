#include <catch2/catch.hpp>

#include <vector>

#include "models/coalescer/line_coalescer.hpp"
#include "models/scheduler/warp_scheduler.hpp"

using namespace lockstep;

namespace {

coalescer::Lines lines_of(std::uint64_t first, std::uint64_t stride, std::uint32_t bytes, std::uint32_t mask = ~0u) {
  std::vector<std::uint64_t> address(32);
  for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = first + lane * stride;
  coalescer::Lines lines;
  coalescer::coalesce(address.data(), mask, bytes, 128, lines);
  return lines;
}

}  // namespace

TEST_CASE("32 successive words that start a line are one transaction of four sectors") {
  const auto lines = lines_of(1 << 20, 4, 4);
  REQUIRE(lines.count == 1);
  CHECK(lines.sectors[0] == 0b1111);
  CHECK(lines.lanes[0] == 32);
}

TEST_CASE("A shift by one word adds a transaction of one sector") {
  const auto lines = lines_of((1 << 20) + 4, 4, 4);
  REQUIRE(lines.count == 2);
  CHECK(lines.sectors[0] == 0b1111);
  CHECK(lines.sectors[1] == 0b0001);
  CHECK(lines.lanes[1] == 1);
}

TEST_CASE("Half-words of a warp touch half a line, equal addresses one sector, a stride of a line 32 lines") {
  CHECK(lines_of(1 << 20, 2, 2).sectors[0] == 0b0011);
  CHECK(lines_of(1 << 20, 0, 4).count == 1);
  CHECK(lines_of(1 << 20, 0, 4).sectors[0] == 0b0001);
  CHECK(lines_of(1 << 20, 128, 4).count == 32);
  CHECK(lines_of(1 << 20, 128, 4, 0x7).count == 3);
}

TEST_CASE("An access across the end of a line touches both lines") {
  const auto lines = lines_of((1 << 20) + 120, 0, 16, 1);
  REQUIRE(lines.count == 2);
  CHECK(lines.sectors[0] == 0b1000);
  CHECK(lines.sectors[1] == 0b0001);
}

TEST_CASE("128-bit accesses of a warp are four lines") {
  CHECK(lines_of(1 << 20, 16, 16).count == 4);
}

TEST_CASE("Round robin goes on behind the warp that issued last") {
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
