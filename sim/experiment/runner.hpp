#pragma once
// Runs the points of an experiment that are not in its results yet.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/trace/kept_trace.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/result.hpp"
#include "sim/experiment/running/sweep.hpp"

namespace lockstep::experiment {

struct RunOptions {
  std::string folder;              ///< Created if need be; holds results.db.
  unsigned jobs = 1;               ///< Runs at a time; what is left over speeds up single runs. Never changes a result.
  std::uint64_t memory_bytes = 0;  ///< Of the process, for several runs at a time; 0: no bound. Never changes a result.
  /// All points of the experiment, where those to run are a shard of them: pictures have the names that they have among all,
  /// and gains and checks are left to whoever merges the shards.
  const std::vector<Point>* shard_of = nullptr;
  std::string cache;                                        ///< Folder of a RunCache; "": none.
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;       ///< What it may hold.
  bool resume = false;                                      ///< Refuse to compute stored points again.
  trace::TraceLimits traces;                                ///< Never change a result.
  std::function<void(const Progress&)> progress;            ///< Called from time to time, by one thread at a time.
  std::function<void(std::size_t points)> stored;           ///< Told how many of the points are done and stored.
  std::function<void(const std::string& message)> message;  ///< What was taken over, for the user.
};

struct RunOutcome {
  std::vector<PointResult> results;  ///< One per point, in the order of the points.
  std::size_t taken_over = 0;        ///< Of those: found in results.db.
  std::size_t cached_runs = 0;       ///< Of the points and what they are compared with, that others had computed.
  std::uint64_t warp_instructions = 0;
  std::uint64_t executions = 0;  ///< Of workloads.
  double wall_s = 0;             ///< Of the points that ran.
  /// Files with what the workloads of the points leave as pictures, in the order of the points.
  std::vector<std::string> pictures;
};

/// Stores every point as it finishes, and the pictures of its workload in the subfolder `pictures`. Points with wrong input are results of status `refused`; a resource that fails
/// or a bug ends the run.
RunOutcome run(const Experiment& experiment, const std::vector<Point>& points, const RunOptions& options);

}  // namespace lockstep::experiment
