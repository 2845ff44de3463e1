// The figures of an experiment.

#include "sim/report/figures/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/report/figures/plotter.hpp"

namespace lockstep::report {

namespace {

using experiment::Axis;
using experiment::CheckValue;
using experiment::Column;
using experiment::Experiment;
using experiment::Figure;
using experiment::FigureValue;
using experiment::PointResult;
using experiment::Status;

constexpr const char* separator = " \u00b7 ";

/// Whether times of all points count the same clock.
bool same_clock(const Results& all) {
  std::optional<double> clock;  // in cycles per millisecond
  for (const PointResult& result : all.results) {
    if (result.status != Status::done || result.time_ms == 0) continue;
    const double own = static_cast<double>(result.cycles) / result.time_ms;
    if (clock && std::abs(own - *clock) > 1e-6 * *clock) return false;
    clock = own;
  }
  return true;
}

/// What is shown where the experiment declares nothing.
std::vector<Figure> usual_figures(const Results& all) {
  std::vector<Figure> figures;
  const auto add = [&](const char* title, const char* name, const char* header) {
    Figure figure;
    figure.title = title;
    figure.y.push_back({CheckValue::Pick::only, experiment::TableColumn(experiment::column(name))});
    figure.y.back().shown.header = header;
    figures.push_back(std::move(figure));
  };
  same_clock(all) ? add("Cycles", "cycles", "cycles") : add("Time", "time_ms", "time");
  const bool compared =
      std::any_of(all.points.begin(), all.points.end(), [](const auto& point) { return !point.references.empty(); });
  if (compared || !all.experiment.baseline.empty()) add("Speed-up", "derived.speedup", "speed-up");
  return figures;
}

/// A title as the name of a file.
std::string file_name(const std::string& title) {
  constexpr std::size_t longest = 60;
  std::string name;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (letter || capital)
      name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  name.resize(std::min(name.size(), longest));
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "figure" : name;
}

}  // namespace

std::string axis_name(const Experiment& experiment, const std::string& path) {
  for (const experiment::TableColumn& column : experiment.columns) {
    if (column.column.name == path) return column.header;
  }
  return path;
}

std::vector<Plot> plots(const Results& all) {
  const std::vector<experiment::Gain> gained = experiment::gains(all.experiment, all.points, all.results);
  const std::vector<Figure> usual = all.experiment.figures.empty() ? usual_figures(all) : std::vector<Figure>{};
  std::vector<Plot> result;
  std::set<std::string> files;
  for (const Figure& figure : usual.empty() ? all.experiment.figures : usual) {
    Plot one = plot(all, gained, figure);
    const std::string name = file_name(figure.title);
    one.file = name;
    for (int again = 2; !files.insert(one.file).second; ++again) one.file = fmt::format("{}-{}", name, again);
    result.push_back(std::move(one));
  }
  return result;
}

std::string point_name(const Results& all, std::size_t point) {
  std::vector<std::string> names;
  for (const auto& [path, value] : all.points[point].swept)
    for (const Axis& axis : all.experiment.axes)
      if (axis.path == path && axis.values.size() > 1) names.push_back(value.text);
  if (names.empty()) return all.results[point].workload;
  return fmt::format("{}", fmt::join(names, separator));
}

std::string point_title(const Results& all) {
  std::vector<std::string> names;
  for (const Axis& axis : all.experiment.axes)
    if (axis.values.size() > 1) names.push_back(axis_name(all.experiment, axis.path));
  return names.empty() ? "workload" : fmt::format("{}", fmt::join(names, separator));
}

}  // namespace lockstep::report
