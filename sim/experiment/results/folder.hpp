#pragma once
// A results folder, read back.

#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

/// An experiment with what of it has been run: a result per point, of status `missing` where there is none.
struct StoredResults {
  Experiment experiment;
  std::vector<Point> points;
  std::vector<PointResult> results;
};

/// From effective.yaml and results.db of a folder; InputError when it is no results folder.
StoredResults read_results(const std::string& folder);

}  // namespace lockstep::experiment
