#pragma once
// What a table column can show.

#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/gain.hpp"
#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

/// Names that every experiment has: "cycles", "time_ms", ..., statistics, "derived.NAME".
std::vector<std::string> column_names();
/// Unit of a column, "" for swept paths and plain numbers.
std::string column_unit(const std::string& name);

/// What a column shows, as a number; none for texts and points that were not measured.
std::optional<double> number(const std::string& column, const Point& point, const PointResult& result,
                             const Gain& gain);

/// A table cell; "-" when there is no value.
std::string cell(const Column& column, const Point& point, const PointResult& result, const Gain& gain);

}  // namespace lockstep::experiment
