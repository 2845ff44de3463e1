#pragma once

#include <vector>

#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::test {

/// When a warp's instructions issue, but for the exit, in cycles from the first issue of all: on one SM whose schedulers have a slot
/// in every cycle, and whose scratchpad makes a pass in each.
inline std::vector<Cycle> issues(gpu::GpuSpec spec, FakeTrace& fake, std::uint32_t warp = 0) {
  spec.sm.scheduler_interval = 1;
  spec.sm.scratchpad.pass_interval = 1;
  std::vector<gpu::Issue> all;
  gpu::Options options;
  options.issues = &all;
  gpu::simulate(spec, fake, options);
  std::vector<Cycle> cycles;
  for (const gpu::Issue& issue : all)
    if (issue.warp == warp && issue.operation != machine::Operation::exit)
      cycles.push_back(issue.cycle - all.front().cycle);
  return cycles;
}

}  // namespace lockstep::test
