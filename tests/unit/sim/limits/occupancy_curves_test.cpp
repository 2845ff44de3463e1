// Resident warps over what a thread block needs, on a GTX 580: 48 warps, 8 thread blocks, 32,768 registers in units of 64 for
// a warp, 48 KiB of scratchpad memory.

#include <catch2/catch.hpp>

#include "sim/limits/occupancy.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using limits::OccupancyCurve;

namespace {

const OccupancyCurve::Step& at(const OccupancyCurve& curve, std::uint64_t need) {
  for (const OccupancyCurve::Step& step : curve.steps)
    if (step.need == need) return step;
  FAIL("no step at " << need);
  return curve.steps.front();
}

}  // namespace

TEST_CASE("Curves of occupancy have a step for every need, and the launch's own") {
  program::Kernel kernel;
  kernel.name = "k";
  trace::Launch launch;
  launch.block = {256, 1, 1};
  launch.grid = {64, 1, 1};
  launch.registers_per_thread = 20;
  launch.dynamic_shared_bytes = 4096;
  const auto curves = limits::occupancy_curves(gtx580().sm.occupancy, kernel, launch);
  REQUIRE(curves.size() == 3);

  const OccupancyCurve& threads = curves[0];
  CHECK(threads.own == 256);
  CHECK(at(threads, 32).warps == 8);  // Eight blocks of a warp.
  CHECK(at(threads, 32).limit == "blocks");
  CHECK(at(threads, 256).warps == 48);
  CHECK(at(threads, 1024).warps == 32);  // A second block of 32 warps does not fit into 48.

  const OccupancyCurve& registers = curves[1];
  CHECK(registers.own == 20);
  CHECK(at(registers, 20).warps == 48);
  CHECK(at(registers, 32).warps == 32);  // 256 threads of 32 registers: four blocks.
  CHECK(at(registers, 32).limit == "registers");

  const OccupancyCurve& scratchpad = curves[2];
  CHECK(scratchpad.own == 4096);
  CHECK(at(scratchpad, 16384).warps == 24);  // Three blocks of 16 KiB.
  CHECK(at(scratchpad, 16384).limit == "scratchpad");
  CHECK(at(scratchpad, 49152).warps == 8);
}
