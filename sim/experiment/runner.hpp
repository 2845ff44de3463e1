#pragma once
// Runs the points of an experiment that are not in its results yet.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

/// Where a run stands, for a progress line.
struct Progress {
  std::size_t points = 0, finished = 0;  ///< Of those to run.
  double fraction = 0;                   ///< Of the thread blocks of all points to run; a running point counts in part.
  std::uint64_t warp_instructions = 0;   ///< Replayed so far.
};

struct RunOptions {
  std::string folder;   ///< Created if need be; holds results.db.
  unsigned jobs = 1;    ///< Points at a time; what is left over speeds up single points. Never changes a result.
  bool resume = false;  ///< Refuse to compute stored points again.
  std::function<void(const Progress&)> progress;            ///< Called from time to time, by one thread at a time.
  std::function<void(const std::string& message)> message;  ///< What was taken over, for the user.
};

struct RunOutcome {
  std::vector<PointResult> results;  ///< One per point, in the order of the points.
  std::size_t taken_over = 0;        ///< Of those: found in results.db.
  std::uint64_t warp_instructions = 0;
  double wall_s = 0;  ///< Of the points that ran.
};

/// Stores every point as it finishes. Points with wrong input are results of status `refused`; a resource that fails
/// or a bug ends the run.
RunOutcome run(const Experiment& experiment, const std::vector<Point>& points, const RunOptions& options);

}  // namespace lockstep::experiment
