#include <catch2/catch.hpp>
#include <cmath>

#include "sim/validate/accuracy.hpp"

namespace lockstep::accuracy_test {

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

}  // namespace lockstep::accuracy_test
