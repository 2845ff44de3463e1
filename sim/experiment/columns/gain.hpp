#pragma once
// What a point gains over the point that the experiment names as its baseline, or over its references.

#include <optional>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

struct Gain {
  std::optional<double> speedup;            ///< Time of the baseline or of the best reference over the point's own.
  std::optional<double> conflicts_removed;  ///< Share of the baseline's scratchpad bank conflicts that are removed.
};

/// For each point its gain over the one that has the baseline's values and equals it in all other axes, or over its best
/// reference. Without a value when there is neither, either was not measured, or there is nothing to divide by.
std::vector<Gain> gains(const Experiment& experiment, const std::vector<Point>& points,
                        const std::vector<PointResult>& results);

}  // namespace lockstep::experiment
