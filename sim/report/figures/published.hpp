#pragma once
// What sources print for the places of a figure. Internal to this folder.

#include <optional>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/point.hpp"

namespace lockstep::report {

/// Whether a point has, of each path, one of the values.
bool matches(const experiment::Point& point, const experiment::CheckValue::Where& where);

/// The published number of a place that shows `value` of these points, by number in `points`: the figure's own, or else
/// that of a check that states one for the same quantity of the same points. In the unit of the figure.
std::optional<double> published_at(const experiment::Experiment& experiment, const experiment::Figure& figure,
                                   const experiment::FigureValue& value, const std::vector<experiment::Point>& points,
                                   const std::vector<std::size_t>& place);

}  // namespace lockstep::report
