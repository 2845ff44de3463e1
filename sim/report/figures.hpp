#pragma once
// From the points of an experiment to the charts that show them.

#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/result.hpp"
#include "sim/report/svg_chart.hpp"

namespace lockstep::report {

/// An experiment with what came of it; all must outlive this.
struct Results {
  const experiment::Experiment& experiment;
  const std::vector<experiment::Point>& points;
  const std::vector<experiment::PointResult>& results;  ///< One per point.
};

/// A number per point with its name: what a figure shows.
struct Quantity {
  std::string name, unit;
  std::vector<std::optional<double>> values;  ///< One per point; none where the point is not done.
};

/// Cycles, or time where the points' clocks differ; then the speed-up, where there is a baseline.
std::vector<Quantity> quantities(const Results& results);

/// The charts of one quantity. x is the last axis of numbers, with a line per combination of the other axes, or,
/// without such an axis, the last axis as names, with bars. Axes of a single value do not count. More than eight lines
/// become several charts, one per value of the first axes, all with the same y axis.
struct Panel {
  std::string heading;  ///< "" when there is one panel only.
  Chart chart;
};
std::vector<Panel> panels(const Results& results, const Quantity& quantity);

/// What tells a point from the others, for people: values of the axes that have several.
std::string point_name(const Results& results, std::size_t point);
/// The names of these axes.
std::string point_title(const Results& results);
/// The header that the experiment gives to a path, else the path.
std::string axis_name(const experiment::Experiment& experiment, const std::string& path);

/// Where the issue slots of each point went.
Shares issue_slots(const Results& results);
/// How the warp accesses to the scratchpad are spread over bank conflict degrees.
Shares conflict_degrees(const Results& results);
/// The points that have numbers, by their own number: the rows of the shares.
std::vector<std::size_t> measured_points(const Results& results);

}  // namespace lockstep::report
