// A replay drawn over time: the bars and rows of the SVG by their tooltips.

#include <catch2/catch.hpp>

#include "sim/timeline/picture.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"
#include "tests/unit/sim/timeline/two_additions.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;

namespace {

std::string svg_of(FakeTrace& fake, const gpu::IssueWindow& window, Cycle interval = 0) {
  timeline::Events events;
  events.window = window;
  gpu::Options options;
  options.issue_window = window;
  options.issues = &events.issues;
  options.blocks = &events.blocks;
  options.samples.interval = interval;
  options.samples.take = [&](const gpu::Sample& sample) { events.samples.push_back(sample); };
  if (interval != 0) events.samples.emplace_back();
  const gpu::Result result = gpu::simulate(gtx580(), fake, options);
  return timeline::timeline_svg(fake.header(), gtx580(), result, events);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("timeline: the picture has the kernel, the thread block, and what its warp did") {
  FakeTrace fake = two_dependent_additions();
  const std::string svg = svg_of(fake, {0, 10000, {0}, {}});
  CHECK_THAT(svg, Contains("launch 0: fake, cycles 0 to "));
  CHECK_THAT(svg, Contains("thread block 0 of launch 0, cycles 0 to "));
  for (const char* state : {"launch", "arithmetic result", "issues"})
    CHECK_THAT(svg, Contains(std::string("SM 0 place 0 warp 0: ") + state));
  CHECK_THAT(svg, !Contains("SM 1 ") && !Contains("issue slots used"));  // Neither in the window nor sampled.
}

TEST_CASE("timeline: the picture has a curve for each level that was sampled, with its mean over the window") {
  FakeTrace fake = two_dependent_additions();
  fake.launch().grid = {32, 1, 1};
  const std::string svg = svg_of(fake, {0, 10000, {0, 1}, {}}, 50);
  CHECK(count(svg, ": mean ") == 5);
  CHECK(count(svg, "SM 0 place ") > 0);
  CHECK(count(svg, "SM 1 place ") > 0);
}

TEST_CASE("timeline: of many warps each still has a row, without a name of its own") {
  FakeTrace fake = two_dependent_additions();
  fake.launch().block = {1024, 1, 1};
  fake.launch().grid = {64, 1, 1};
  const std::string svg = svg_of(fake, {0, 10000, {0, 1, 2, 3}, {}});
  for (unsigned warp = 0; warp < 32; ++warp)
    CHECK_THAT(svg, Contains("SM 3 place 0 warp " + std::to_string(warp) + ": issues"));
  CHECK_THAT(svg, !Contains(">warp 0<"));
}

TEST_CASE("timeline: a window in which nothing is issued, or behind the end, says so") {
  FakeTrace fake = two_dependent_additions();
  CHECK_THAT(svg_of(fake, {100000, 100001, {0}, {}}), Contains("ends before the first of these cycles"));
  CHECK_THAT(svg_of(fake, {0, 20, {9}, {}}), Contains("No warp issues anything"));
}
