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

/// A figure with everything that it shows.
struct Plot {
  std::string title;
  std::string file;                ///< Of its files, without an ending: the title in letters, digits and dashes.
  std::vector<std::string> notes;  ///< What a reader should know of it.
  std::vector<Panel> panels;
};

/// The figures that the experiment declares. Where it declares none: cycles, or time where the points' clocks differ, then
/// the speed-up, where there is something to compare with.
std::vector<Plot> plots(const Results& results);

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
