// When a gap comes, and how long it is.

#include "sim/gpu/sampled/plan.hpp"

#include <catch2/catch.hpp>

namespace lockstep::plan_test {

using namespace gpu::sampled;

namespace {

/// Runs of 100 equal thread blocks that take these times.
Record record_of(const std::vector<double>& times) {
  Record record;
  for (const double time : times) {
    Run run;
    for (int i = 0; i < 100; ++i) run.classes[1].add({{1, 10, 10, 0}}, time);
    run.members = run.ended = 100;
    record.runs.push_back(run);
  }
  return record;
}

}  // namespace

TEST_CASE("After eight equal runs a gap of five times as many waves comes") {
  CHECK(next_step(record_of(std::vector<double>(7, 50)), {100, 100'000, 900}, 0.02).gap == 0);
  const Step step = next_step(record_of(std::vector<double>(8, 50)), {100, 100'000, 1000}, 0.02);
  CHECK(step.gap == 4000);
  CHECK(step.runs == 1);
}

TEST_CASE("The end of a launch is left: a wave, the runs, and what empties the SMs") {
  const Record record = record_of(std::vector<double>(8, 50));
  CHECK(next_step(record, {100, 2000, 1000}, 0.02).gap == 700);
  CHECK(next_step(record, {100, 1500, 1000}, 0.02).gap == 200);
  CHECK(next_step(record, {100, 1400, 1000}, 0.02).gap == 0);
}

TEST_CASE("Rates that grow, or have just changed, are not steady") {
  CHECK(next_step(record_of({50, 51, 52, 53, 54, 55, 56, 57}), {100, 100'000, 1000}, 0.02).gap == 0);
  CHECK(next_step(record_of({50, 50, 50, 50, 50, 50, 60, 60, 60}), {100, 100'000, 1000}, 0.02).gap == 0);
  CHECK(steady({50, 50, 50, 60, 60}) == 2);
  CHECK(has_trend({1, 1, 1.1, 1.1}, 0.05));
  CHECK_FALSE(has_trend({1, 1.1, 1, 1.1}, 0.05));
}

TEST_CASE("Waves that take turns in being slow stand for a gap in pairs") {
  std::vector<double> times;
  for (int i = 0; i < 12; ++i) times.push_back(i % 2 == 0 ? 40 : 60);
  const Step step = next_step(record_of(times), {100, 100'000, 1300}, 0.02);
  CHECK(step.runs == 2);
  CHECK(step.gap == 6000);
}

}  // namespace lockstep::plan_test
