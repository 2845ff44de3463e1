#include "sim/stats/activity.hpp"
#include "sim/report/activity_chart.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"
#include "tests/unit/sim/report/svg.hpp"

namespace lockstep::activity_test {

using Catch::Matchers::Contains;

namespace {

/// Adds a launch to a result, with what SM 0 executes; what the other SMs do must not matter.
void add_launch(gpu::Result& result, const std::string& kernel, Cycle cycles, std::vector<gpu::Activity> first_sm) {
  gpu::LaunchResult launch;
  launch.kernel = kernel;
  launch.cycles = cycles;
  result.launches.push_back(launch);
  result.cycles += cycles;
  std::vector<gpu::Activity> all = first_sm;
  for (gpu::Activity& one : all) one += {1000, 1000, 1000};
  result.activity.push_back({std::move(first_sm), std::move(all)});
}

}  // namespace

TEST_CASE("The peak of an SM is what its schedulers issue in standard mode, and its units in R-GPU mode") {
  gpu::Result result;
  add_launch(result, "kernel", 10, {});
  // CUDA C Programming Guide: schedulers, how often they issue, and how many instructions of a warp at a time.
  CHECK(stats::operation_peak(config::load_gpu("gtx480"), result, 0).operations == 32);    // two, every second cycle
  CHECK(stats::operation_peak(config::load_gpu("gtx560ti"), result, 0).operations == 64);  // two instructions each
  CHECK(stats::operation_peak(config::load_gpu("k20"), result, 0).operations == 256);   // four, two each, every cycle
  CHECK(stats::operation_peak(config::load_gpu("v100"), result, 0).operations == 128);  // four, every cycle
  CHECK(stats::operation_peak(config::load_gpu("gtx480-rgpu"), result, 0).operations == 32);
  result.graphs.push_back({"kernel", "graph"});
  CHECK(stats::operation_peak(config::load_gpu("gtx480-rgpu"), result, 0).operations == 48);  // 32 cores, 16 units
}

TEST_CASE("Activity becomes operations per cycle, also in the last interval, which may be shorter") {
  gpu::Result result;
  add_launch(result, "kernel", 25, {{20, 0, 5}, {0, 40, 0}, {10, 0, 0}});
  const report::Areas areas = report::activity_areas(test::gtx580(), "work", result, 10);
  CHECK(areas.ends == std::vector<double>{10, 20, 25});
  REQUIRE(areas.parts.size() == 3);
  CHECK(areas.parts[0].heights == std::vector<double>{2, 0, 2});  // 10 operations in 5 cycles
  CHECK(areas.parts[1].heights == std::vector<double>{0, 4, 0});
  CHECK(areas.parts[2].heights == std::vector<double>{0.5, 0, 0});
  // Of 25 * 32 operations: 30, 40 and 5.
  CHECK(areas.parts[0].name == "int 3.8 %");
  CHECK(areas.parts[1].name == "float 5.0 %");
  CHECK(areas.parts[2].name == "ld/st 0.6 %");
  CHECK_THAT(areas.title, Contains("work") && Contains("GTX 580"));
  CHECK_THAT(areas.subtitle, Contains("25 cycles") && Contains("mean of 10 cycles"));
  CHECK(areas.second_x_per_x == Approx(1 / 1544.0));
}

TEST_CASE("Time in which an SM has nothing to do is part of the picture") {
  gpu::Result result;
  add_launch(result, "kernel", 40, {{32, 0, 0}});
  const report::Areas areas = report::activity_areas(test::gtx580(), "work", result, 10);
  CHECK(areas.ends == std::vector<double>{10, 20, 30, 40});
  CHECK(areas.parts[0].heights == std::vector<double>{3.2, 0, 0, 0});
}

TEST_CASE("Launches follow each other on one axis, each with its own peak") {
  gpu::Result result;
  add_launch(result, "graph", 15, {{10, 0, 0}, {5, 0, 0}});
  add_launch(result, "kernel", 10, {{0, 0, 20}});
  result.graphs.push_back({"graph", "graph"});
  const report::Areas areas = report::activity_areas(config::load_gpu("gtx480-rgpu"), "work", result, 10);
  CHECK(areas.ends == std::vector<double>{10, 15, 25});
  CHECK(areas.parts[0].heights == std::vector<double>{1, 1, 0});
  CHECK(areas.parts[2].heights == std::vector<double>{0, 0, 2});
  REQUIRE(areas.stretches.size() == 2);
  CHECK(areas.stretches[0].name == "graph");
  CHECK(areas.stretches[0].end == 15);
  CHECK(areas.stretches[0].limit == 48);
  CHECK(areas.stretches[1].end == 25);
  CHECK(areas.stretches[1].limit == 32);
  CHECK(areas.parts[2].name == "ld/st 1.9 %");  // 20 of 15 * 48 + 10 * 32
}

TEST_CASE("More intervals than the picture has columns are put together, and it says so") {
  gpu::Result result;
  std::vector<gpu::Activity> series(10'000);
  for (std::size_t i = 0; i < series.size(); ++i) series[i].integer = i % 2 == 0 ? 4 : 0;
  add_launch(result, "kernel", 20'000, std::move(series));
  const report::Areas areas = report::activity_areas(test::gtx580(), "work", result, 2);
  CHECK(areas.ends.size() <= 820);
  CHECK(areas.ends.size() > 410);
  CHECK(areas.ends.back() == 20'000);
  double operations = 0, from = 0;
  for (std::size_t i = 0; i < areas.ends.size(); ++i) {
    operations += areas.parts[0].heights[i] * (areas.ends[i] - from);
    from = areas.ends[i];
  }
  CHECK(operations == Approx(20'000));
  CHECK_THAT(areas.subtitle, Contains("mean of 26 cycles"));  // 10,000 / 820 is above 12: 13 intervals of 2
}

}  // namespace lockstep::activity_test
