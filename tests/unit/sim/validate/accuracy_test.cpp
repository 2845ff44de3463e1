#include <catch2/catch.hpp>
#include <cmath>

#include "sim/validate/accuracy.hpp"
#include "sim/validate/clock_intervals.hpp"

using namespace lockstep;
using validate::Accuracy;
using validate::Comparison;

TEST_CASE("An error is positive where the simulator is above the measurement") {
  CHECK(validate::error_pct({200, 210}) == Approx(5));
  CHECK(validate::error_pct({200, 150}) == Approx(-25));
  CHECK(validate::error_pct({-50, -49}) == Approx(2));
}

TEST_CASE("The accuracy of five points is what a hand calculation gives") {
  // Errors 10, 0, 5, 20 and 40 percent; sorted 0, 5, 10, 20, 40. The 90th percentile lies at rank 3.6: 20 + 0.6 * 20.
  const Accuracy accuracy = validate::accuracy_of({{100, 110}, {50, 50}, {200, 190}, {10, 12}, {5, 3}});
  CHECK(accuracy.points == 5);
  CHECK(accuracy.mean_abs_pct == Approx(15));
  CHECK(accuracy.median_abs_pct == Approx(10));
  CHECK(accuracy.p90_abs_pct == Approx(32));
  CHECK(accuracy.max_abs_pct == Approx(40));
}

TEST_CASE("The median of an even number of points is the mean of the two in the middle") {
  CHECK(validate::accuracy_of({{100, 101}, {100, 102}, {100, 104}, {100, 120}}).median_abs_pct == Approx(3));
}

TEST_CASE("The correlation is Pearson's") {
  // Deviations from the means (2, 3): (-1, -2), (0, 1), (1, 1); 3 / sqrt(2 * 6).
  const auto correlation = validate::accuracy_of({{1, 1}, {2, 4}, {3, 4}}).correlation;
  REQUIRE(correlation);
  CHECK(*correlation == Approx(3 / std::sqrt(12.0)));
  CHECK(*validate::accuracy_of({{1, 30}, {2, 20}, {3, 10}}).correlation == Approx(-1));
}

TEST_CASE("There is no correlation of one point, nor without variation") {
  CHECK_FALSE(validate::accuracy_of({}).correlation);
  CHECK_FALSE(validate::accuracy_of({{3, 4}}).correlation);
  CHECK_FALSE(validate::accuracy_of({{3, 4}, {3, 5}}).correlation);
  CHECK_FALSE(validate::accuracy_of({{3, 4}, {5, 4}}).correlation);
}

TEST_CASE("Clock reads become the intervals between a warp's successive reads, never across warps") {
  const auto read = [](std::uint64_t cycle, std::uint32_t warp, std::uint32_t instruction) {
    gpu::ClockRead one;
    one.cycle = cycle;
    one.warp = warp;
    one.instruction = instruction;
    return one;
  };
  const auto intervals = validate::clock_intervals({read(10, 0, 3), read(60, 0, 7), read(70, 0, 3), read(140, 0, 7),
                                                    read(12, 1, 3), read(42, 1, 7), read(99, 2, 3)});
  REQUIRE(intervals.size() == 4);
  CHECK(intervals[0].cycles() == 50);
  CHECK(intervals[0].timed);
  CHECK(intervals[1].cycles() == 10);
  CHECK_FALSE(intervals[1].timed);
  CHECK(intervals[2].timed);
  CHECK(intervals[3].warp == 1);
  CHECK(intervals[3].timed);

  const auto summaries = validate::summarize(intervals);
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
