#pragma once
// What results.db holds of an experiment as a whole: its points in order, its axes and columns, and what is known only when
// all points are: gains and checks.

#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/result.hpp"
#include "sim/experiment/results/database.hpp"

namespace lockstep::experiment {

/// At the start of a run: the points that it is to have, axes and columns. Gains and checks of an earlier run go.
void store_plan(Database& database, const Experiment& experiment, const std::vector<Point>& points);

/// At the end of a run: gains and checks.
void store_conclusions(Database& database, const Experiment& experiment, const std::vector<Point>& points,
                       const std::vector<PointResult>& results);

}  // namespace lockstep::experiment
