#pragma once
// The results of an experiment's shards together.

#include <functional>
#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/runner.hpp"

namespace lockstep::experiment {

struct Merged {
  Experiment experiment;
  std::vector<Point> points;
  RunOutcome outcome;                ///< All are taken over; `missing` where no folder has the point.
  std::vector<std::string> missing;  ///< Labels of those.
};

struct MergeOptions {
  std::vector<std::string> folders;  ///< Results folders of one experiment.
  std::string output;                ///< Results folder to write results.db and pictures into; created if need be.
  std::function<void(const std::string& message)> message;  ///< For the user.
};

/// InputError when the folders are not of the same experiment and program, when two have different results for a point, or
/// when a point's digest is not that of the experiment's inputs as they are now. Points that the output has and the folders
/// have not stay when their digests fit. Nothing is written before all of that is known.
Merged merge(const MergeOptions& options);

}  // namespace lockstep::experiment
