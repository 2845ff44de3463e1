#include "sim/validate/null_model.hpp"

#include <catch2/catch.hpp>

namespace lockstep::null_model_test {

using validate::Accuracy;
using validate::Comparison;
using validate::PointOutcome;

namespace {

PointOutcome number(const std::string& gpu, double measured) {
  PointOutcome point;
  point.gpu = gpu;
  point.measured = measured;
  point.simulated = 1;  // The null model does not look at it.
  return point;
}

}  // namespace

TEST_CASE("No constant has a smaller mean error than the best one") {
  // Of 10, 20 and 40: with 10 the errors are 0, 50 and 75 %; with 20 they are 100, 0 and 50 %.
  CHECK(validate::best_constant({{10, 0}, {20, 0}, {40, 0}}) == 10);
  // Of 10, 11, 12 and 13, weights 0.1, 0.0909, 0.0833, 0.0769, half of them 0.1756: 10 and 11 exceed it together.
  CHECK(validate::best_constant({{13, 0}, {10, 0}, {12, 0}, {11, 0}}) == 11);
  CHECK(validate::best_constant({{7, 0}}) == 7);
  const std::vector<Comparison> measured = {{3, 0}, {5, 0}, {8, 0}, {9, 0}, {30, 0}};
  const auto error_of = [&](double constant) {
    std::vector<Comparison> predicted;
    for (const Comparison& point : measured) predicted.push_back({point.measured, constant});
    return validate::accuracy_of(predicted).mean_abs_pct;
  };
  const double least = error_of(validate::best_constant(measured));
  for (double constant = 0.5; constant < 40; constant += 0.25) CHECK(error_of(constant) >= least - 1e-9);
}

TEST_CASE("The null model predicts a GPU's numbers of a suite by one constant, another one for each GPU") {
  // GPU a: 10, 20 and 40 by 10, errors 0, 50 and 75 %; GPU b: 100 and 200 by 100, errors 0 and 50 %.
  const auto predicted =
      validate::null_model({number("a", 10), number("b", 200), number("a", 40), number("b", 100), number("a", 20)});
  const Accuracy accuracy = validate::accuracy_of(predicted);
  CHECK(accuracy.points == 5);
  CHECK(accuracy.mean_abs_pct == Approx((0 + 50 + 75 + 0 + 50) / 5.0));
  CHECK(accuracy.max_abs_pct == Approx(75));
}

TEST_CASE("A GPU with a single number is not predicted by that number, but by the suite's constant") {
  // Of 10, 20 and 30 the best is 10 (errors 0, 50, 66.7 %) or 20 (100, 0, 33.3 %): weights 0.1, 0.05, 0.0333, half 0.0917.
  const Accuracy accuracy =
      validate::accuracy_of(validate::null_model({number("a", 10), number("b", 20), number("c", 30)}));
  CHECK(accuracy.points == 3);
  CHECK(accuracy.mean_abs_pct == Approx((0 + 50 + 200 / 3.0) / 3));
}

TEST_CASE("There is no null model of a single number, and what has not run or is a statement does not take part") {
  CHECK(validate::null_model({number("a", 10)}).empty());
  PointOutcome not_run = number("a", 1);
  not_run.simulated.reset();
  PointOutcome statement = number("a", 1);
  statement.is_statement = true;
  CHECK(validate::null_model({number("a", 10), not_run, statement}).empty());
  CHECK(validate::null_model({number("a", 10), not_run, number("a", 20), statement}).size() == 2);
}

}  // namespace lockstep::null_model_test
