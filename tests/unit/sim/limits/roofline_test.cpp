// The instruction roofline: numbers by hand, after Ding and Williams (PMBS 2019).

#include "sim/limits/roofline.hpp"

#include <catch2/catch.hpp>

#include "sim/config/parameter.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using limits::Level;

namespace {

/// A run of a millisecond with these counts.
experiment::PointResult result_of(std::uint64_t instructions, std::uint64_t passes, std::uint64_t dram_bytes) {
  gpu::Result result;
  result.warp_instructions = instructions;
  result.counters.sm.scratchpad_load_passes = passes;
  result.counters.memory.dram.read_bytes = dram_bytes;
  experiment::PointResult point = experiment::summarize(gtx580(), "by hand", result, 0);
  point.time_ms = 1;
  return point;
}

}  // namespace

TEST_CASE("The roof of a V100 is that of Ding and Williams") {
  // 80 SMs of four schedulers at 1.53 GHz: 489.6 G warp instructions per second, and one 32-lane access of the shared memory
  // per SM and cycle.
  gpu::GpuSpec spec = config::load_gpu("v100");
  spec.clock_mhz = 1530;
  const limits::Roof roof = limits::roof_of(spec);
  CHECK(roof.instructions == Approx(80 * 4 * 1.53));
  CHECK(roof.transactions[static_cast<std::size_t>(Level::scratchpad)] <= 80 * 1.53 + 0.01);
  // HBM2 of 900 GB/s in sectors of 32 bytes: 28 G per second.
  CHECK(roof.transactions[static_cast<std::size_t>(Level::dram)] == Approx(28.1).epsilon(0.02));
}

TEST_CASE("A run stands under the nearest of its roofs") {
  limits::RooflinePoint point = limits::roofline_point("p", gtx580(), result_of(1'000'000, 500'000, 32'000'000));
  CHECK(point.instructions == Approx(1.0));
  CHECK(point.intensity[static_cast<std::size_t>(Level::scratchpad)] == Approx(2.0));
  CHECK(point.intensity[static_cast<std::size_t>(Level::dram)] == Approx(1.0));
  CHECK_FALSE(point.intensity[static_cast<std::size_t>(Level::l2)]);

  point.roof.instructions = 100;
  point.roof.transactions = {10, 0, 0, 4};
  CHECK(point.roof.at(Level::scratchpad, 2) == Approx(20));
  CHECK(point.nearest() == Level::dram);
  CHECK(point.share() == Approx(0.25));
  point.roof.instructions = 2;
  CHECK_FALSE(point.nearest());
  CHECK(point.share() == Approx(0.5));
}

TEST_CASE("The picture of a roofline has a chart for each roof, and every point in it") {
  limits::RooflinePoint a =
      limits::roofline_point("first <point>", gtx580(), result_of(1'000'000, 500'000, 32'000'000));
  limits::RooflinePoint b = a;
  b.label = "second";
  b.roof.instructions *= 2;
  const std::string one = limits::roofline_svg({a, a}), two = limits::roofline_svg({a, b});
  const auto charts = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = svg.find("Instruction roofline of", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(charts(one) == 1);
  CHECK(charts(two) == 2);
  CHECK(two.find("first &lt;point&gt;") != std::string::npos);
  CHECK(limits::roofline_svg({}).find("There are no values") != std::string::npos);
}
