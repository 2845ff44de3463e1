#pragma once
// Runs on several threads. Those that need the same execution share it, and are run one after the other as soon as it is
// there, so that few traces are kept at a time.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/experiment/point.hpp"
#include "sim/experiment/result.hpp"
#include "sim/experiment/running/executions.hpp"

namespace lockstep::experiment {

/// Where a sweep stands, for a progress line.
struct Progress {
  std::size_t runs = 0, finished = 0;
  double fraction = 0;                  ///< Of the thread blocks of all runs; a run under way counts in part.
  std::uint64_t warp_instructions = 0;  ///< Replayed so far.
  double seconds = 0;                   ///< Since the sweep began.
  std::optional<double> seconds_left;   ///< Nothing before there is anything to judge by.
};

struct SweepOptions {
  unsigned jobs = 1;               ///< Runs at a time; what is left over speeds up single runs. Never changes a result.
  std::uint64_t memory_bytes = 0;  ///< Of the process, for several runs at a time; 0: no bound. Never changes a result.
  bool fingerprints = true;        ///< Fill PointResult::digest.
  bool bugs_are_results = false;   ///< A bug is a result of its run; otherwise it ends the sweep.
  std::function<void(const Progress&)> progress = {};  ///< Called from time to time, by one thread at a time.
};

/// Called by one thread at a time when a run has ended, in any order.
using Finished = std::function<void(std::size_t run, PointResult result)>;

/// Returns the warp instructions replayed. Wrong input of a run is its result; a resource that fails ends the sweep.
std::uint64_t sweep(const std::vector<const Run*>& runs, Executions& executions, const SweepOptions& options,
                    const Finished& finished);

}  // namespace lockstep::experiment
