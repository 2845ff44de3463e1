#include "sim/stats/clock_intervals.hpp"

#include <catch2/catch.hpp>

using namespace lockstep;

TEST_CASE("Clock reads become the intervals between a warp's successive reads, never across warps") {
  const auto read = [](std::uint64_t cycle, std::uint32_t warp, std::uint32_t instruction) {
    gpu::ClockRead one;
    one.cycle = cycle;
    one.warp = warp;
    one.instruction = instruction;
    return one;
  };
  const auto intervals = stats::clock_intervals({read(10, 0, 3), read(60, 0, 7), read(70, 0, 3), read(140, 0, 7),
                                                 read(12, 1, 3), read(42, 1, 7), read(99, 2, 3)});
  REQUIRE(intervals.size() == 4);
  CHECK(intervals[0].cycles() == 50);
  CHECK(intervals[0].timed);
  CHECK(intervals[1].cycles() == 10);
  CHECK_FALSE(intervals[1].timed);
  CHECK(intervals[2].timed);
  CHECK(intervals[3].warp == 1);
  CHECK(intervals[3].timed);

  const auto summaries = stats::summarize(intervals);
  REQUIRE(summaries.size() == 2);
  CHECK(summaries[0].from == 3);
  CHECK(summaries[0].to == 7);
  CHECK(summaries[0].count == 3);
  CHECK(summaries[0].warps == 2);
  CHECK(summaries[0].least == 30);
  CHECK(summaries[0].most == 70);
  CHECK(summaries[0].mean == Approx(50));
  CHECK(summaries[1].from == 7);
  CHECK(summaries[1].count == 1);
}
