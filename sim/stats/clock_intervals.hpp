#pragma once
// What a kernel times itself: the cycles between two reads of the clock register by one warp.

#include <vector>

#include "sim/gpu/simulation.hpp"

namespace lockstep::stats {

/// From one read of the clock register to the same warp's next one.
struct ClockInterval {
  std::uint32_t launch = 0, warp = 0;  ///< warp: within its thread block.
  std::uint64_t thread_block = 0;
  std::uint32_t from = 0, to = 0;  ///< Instructions of the kernel.
  Cycle start = 0, end = 0;        ///< Of the launch.
  bool timed = false;              ///< From a warp's first read to its second, from its third to its fourth, ...
  Cycle cycles() const { return end - start; }
};
/// `reads` as gpu::Options::clock_reads has them; the intervals are in the same order.
std::vector<ClockInterval> clock_intervals(const std::vector<gpu::ClockRead>& reads);

/// All intervals of one launch between the same two instructions.
struct IntervalSummary {
  std::uint32_t launch = 0, from = 0, to = 0;
  std::uint64_t count = 0, warps = 0;  ///< Intervals, and the warps that have one.
  Cycle least = 0, most = 0;
  double mean = 0;
};
/// In order of launch, from and to.
std::vector<IntervalSummary> summarize(const std::vector<ClockInterval>& intervals);

}  // namespace lockstep::stats
