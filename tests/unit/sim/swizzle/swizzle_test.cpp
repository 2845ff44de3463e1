// A whole search for a layout: what a tiled transpose of 64 x 64 words comes to, by hand.

#include "sim/swizzle/swizzle.hpp"

#include <catch2/catch.hpp>

#include "sim/config/parameter.hpp"
#include "sim/workload/workload.hpp"

using namespace lockstep;

namespace {

swizzle::Result of_transpose(const std::string& variant, double least_gain) {
  swizzle::Options options;
  options.least_gain = least_gain;
  return swizzle::swizzle(workload::Workload::load("transpose"),
                          {{"variant", variant}, {"width", "64"}, {"height", "64"}}, config::load_gpu("gtx580"),
                          options);
}

}  // namespace

TEST_CASE("A tile whose columns lie in one bank gets a layout without conflicts") {
  const swizzle::Result result = of_transpose("tiled", 0.005);
  // 4 thread blocks of 8 warps read 4 columns each: 31 further passes.
  CHECK(result.conflicts_before() == 4 * 8 * 4 * 31);
  CHECK(result.conflicts_after() == 0);
  CHECK(result.changed);
  CHECK(result.checked);
  CHECK(result.speedup() > 1.005);
  REQUIRE(result.files.size() == 1);
  CHECK(result.files[0].text.find("transpose_tiled") != std::string::npos);
}

TEST_CASE("What gains less than it has to stays as it is, and says what it would gain") {
  const swizzle::Result result = of_transpose("tiled", 10);
  CHECK_FALSE(result.changed);
  CHECK(result.left_gain > 0);
  CHECK(result.conflicts_after() == result.conflicts_before());
  CHECK(result.files.empty());
}

TEST_CASE("Where there are no conflicts nothing is tried") {
  const swizzle::Result result = of_transpose("padded", 0.005);
  CHECK_FALSE(result.changed);
  CHECK(result.trials.empty());
}
