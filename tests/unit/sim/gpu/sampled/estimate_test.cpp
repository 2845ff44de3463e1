// Rates, projected times and their errors, by hand.

#include "sim/gpu/sampled/estimate.hpp"

#include <catch2/catch.hpp>

namespace lockstep::estimate_test {

using namespace gpu::sampled;

namespace {

/// A run of as many members of each class, {class, members, time of each, instructions of each}.
struct Members {
  std::uint64_t kind;
  int count;
  double time, instructions;
};
Run run_of(const std::vector<Members>& all) {
  Run run;
  for (const Members& some : all) {
    for (int i = 0; i < some.count; ++i)
      run.classes[some.kind].add({{1, some.instructions, some.instructions, 0}}, some.time);
    run.members += static_cast<std::uint64_t>(some.count);
  }
  run.ended = run.members;
  return run;
}

Gap gap_of(std::uint64_t kind, int count, double instructions, std::size_t before) {
  Gap gap;
  for (int i = 0; i < count; ++i) gap.classes[kind].add({{1, instructions, instructions, 0}});
  gap.before = before;
  return gap;
}

}  // namespace

TEST_CASE("Equal thread blocks take as long in a gap as beside it, and no error is left but the least") {
  Record record;
  for (int i = 0; i < 4; ++i) record.runs.push_back(run_of({{7, 20, 100, 10}}));
  record.gaps.push_back(gap_of(7, 50, 10, 3));
  const Estimate found = estimate(record);
  CHECK(found.time == Approx(5000));
  CHECK(found.error == Approx(least_error * 5000));
}

TEST_CASE("Classes have rates of their own: a gap is what its classes are") {
  Record record;
  for (int i = 0; i < 4; ++i) record.runs.push_back(run_of({{1, 20, 100, 10}, {2, 20, 900, 30}}));
  record.gaps.push_back(gap_of(2, 10, 30, 2));
  CHECK(estimate(record).time == Approx(9000));
  // A class that nobody has seen takes as long per thread block as all together.
  record.gaps[0] = gap_of(3, 10, 30, 2);
  CHECK(RateModel(record).measure() == Measure::thread_blocks);
  CHECK(estimate(record).time == Approx(5000));
}

TEST_CASE("The measure is the one that times are proportional to within a class") {
  Record record;
  record.runs.push_back(run_of({{1, 20, 100, 10}, {1, 20, 200, 20}, {1, 20, 300, 30}}));
  const RateModel rates(record);
  CHECK(rates.measure() == Measure::warp_instructions);
  CHECK(rates.time_of(gap_of(1, 4, 25, 1).classes) == Approx(1000));
}

TEST_CASE("A gap between a fast and a slow side takes their mean, with what they differ by as error") {
  Record record;
  for (const double time : {100, 100, 100, 120, 120, 120}) record.runs.push_back(run_of({{1, 20, time, 10}}));
  record.gaps.push_back(gap_of(1, 100, 10, 3));
  const Estimate found = estimate(record);
  CHECK(found.time == Approx(11000));
  // Half of the difference for the gap, and all of it for what gaps may disturb; most successive runs do not differ.
  CHECK(found.error == Approx(std::hypot(1000, 2000, least_error * 11000)));
}

TEST_CASE("Means are taken of rows without a gap, from their ends") {
  Record record;
  record.runs.resize(7);
  record.gaps.push_back({{}, 5, 1});
  CHECK(means(record, {9, 1, 3, 5, 7, 2, 4}, 2) == std::vector<double>{2, 6, 3});
}

TEST_CASE("The variation is that of differences between neighbours: one step changes nothing") {
  CHECK(variation({1, 1, 1, 2, 2, 2}) == 0);
  CHECK(variation({1, 1.954, 1, 1.954}) == Approx(1));
  CHECK(variation({1}) == 0);
}

}  // namespace lockstep::estimate_test
