#include "sim/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/report/palette.hpp"

namespace lockstep::report {

namespace {

using experiment::Axis;
using experiment::Experiment;
using experiment::PointResult;
using experiment::Status;

constexpr const char* separator = " \u00b7 ";

bool several(const Axis& axis) {
  return axis.values.size() > 1;
}

/// The values of an axis as numbers; none when one of them is a name.
std::optional<std::vector<double>> numbers(const Axis& axis) {
  if (axis.path == "gpu" || axis.path == "workload") return std::nullopt;
  std::vector<double> result;
  for (const config::Value& value : axis.values) {
    try {
      result.push_back(value.as_number());
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  return result;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == name ? name : fmt::format("{} ({})", name, unit);
}

/// How the axes are shared out: one along x, the first ones over panels, the rest over lines.
struct Split {
  std::optional<std::size_t> x;
  bool lines = false;  ///< x is an axis of numbers.
  std::vector<std::size_t> panels, series;
};

Split split_axes(const Experiment& experiment) {
  Split split;
  const auto& axes = experiment.axes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (!several(axes[a])) continue;
    const bool counts = numbers(axes[a]).has_value();
    if (split.lines && !counts) continue;
    // Of axes of names the longest: colours are few.
    if (split.x && !counts && axes[*split.x].values.size() > axes[a].values.size()) continue;
    split.x = a;
    split.lines = counts;
  }
  std::size_t combinations = 1;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (a == split.x || !several(axes[a])) continue;
    split.series.push_back(a);
    combinations *= axes[a].values.size();
  }
  while (combinations > series_colours && split.series.size() > 1) {
    split.panels.push_back(split.series.front());
    combinations /= axes[split.series.front()].values.size();
    split.series.erase(split.series.begin());
  }
  return split;
}

std::size_t combinations(const Experiment& experiment, const std::vector<std::size_t>& axes) {
  std::size_t count = 1;
  for (const std::size_t axis : axes) count *= experiment.axes[axis].values.size();
  return count;
}

/// The choices of the `number`th combination, the last axis fastest.
std::vector<std::size_t> combination(const Experiment& experiment, const std::vector<std::size_t>& axes,
                                     std::size_t number) {
  std::vector<std::size_t> choices(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t count = experiment.axes[axes[i]].values.size();
    choices[i] = number % count;
    number /= count;
  }
  return choices;
}

std::string names_of(const Experiment& experiment, const std::vector<std::size_t>& axes,
                     const std::vector<std::size_t>& choices) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes.size(); ++i) names.push_back(experiment.axes[axes[i]].values[choices[i]].text);
  return fmt::format("{}", fmt::join(names, separator));
}

std::string title_of(const Experiment& experiment, const std::vector<std::size_t>& axes) {
  std::vector<std::string> names;
  for (const std::size_t axis : axes) names.push_back(axis_name(experiment, experiment.axes[axis].path));
  return fmt::format("{}", fmt::join(names, separator));
}

/// The point with these choices; the last axis of an experiment is the fastest.
std::size_t point_index(const Experiment& experiment, const std::vector<std::size_t>& choices) {
  std::size_t index = 0;
  for (std::size_t a = 0; a < experiment.axes.size(); ++a) {
    index = index * experiment.axes[a].values.size() + choices[a];
  }
  return index;
}

}  // namespace

std::string axis_name(const Experiment& experiment, const std::string& path) {
  for (const experiment::TableColumn& column : experiment.columns) {
    if (column.column.name == path) return column.header;
  }
  return path;
}

std::vector<Quantity> quantities(const Results& all) {
  const std::vector<experiment::Gain> gained = experiment::gains(all.experiment, all.points, all.results);
  const auto shown = [&](const char* column, const char* name) {
    const experiment::Column& of = experiment::column(column);
    Quantity quantity{name, of.unit == of.name ? "" : of.unit, {}};
    for (std::size_t i = 0; i < all.results.size(); ++i) {
      const bool done = all.results[i].status == Status::done;
      quantity.values.push_back(done ? of.number(row_of(all.points[i], all.results[i], gained[i])) : std::nullopt);
    }
    return quantity;
  };
  bool same_clock = true;
  std::optional<double> clock;  // in cycles per millisecond
  for (const PointResult& result : all.results) {
    if (result.status != Status::done || result.time_ms == 0) continue;
    const double own = static_cast<double>(result.cycles) / result.time_ms;
    if (clock && std::abs(own - *clock) > 1e-6 * *clock) same_clock = false;
    clock = own;
  }
  std::vector<Quantity> result;
  result.push_back(same_clock ? shown("cycles", "cycles") : shown("time_ms", "time"));
  if (!all.experiment.baseline.empty()) result.push_back(shown("derived.speedup", "speed-up"));
  return result;
}

std::vector<Panel> panels(const Results& all, const Quantity& quantity) {
  const Experiment& experiment = all.experiment;
  const Split split = split_axes(experiment);
  Chart model;
  model.y_title = with_unit(quantity.name, quantity.unit);
  model.legend_title = title_of(experiment, split.series);
  std::size_t places = 1;
  if (split.x) {
    const Axis& axis = experiment.axes[*split.x];
    places = axis.values.size();
    model.x_title = with_unit(axis_name(experiment, axis.path), experiment::unit_of(axis.path));
    for (const config::Value& value : axis.values) model.x_labels.push_back(value.text);
    if (split.lines) model.x = numbers(axis);
  } else {
    model.x_labels.push_back(all.results.front().workload);
  }
  if (quantity.name == "speed-up") model.reference = 1;
  const std::size_t panel_count = combinations(experiment, split.panels);
  if (panel_count > 1) {
    for (const auto& value : quantity.values) {
      if (!value) continue;
      model.y_least = std::min(model.y_least.value_or(*value), *value);
      model.y_largest = std::max(model.y_largest.value_or(*value), *value);
    }
  }
  std::vector<Panel> result;
  std::vector<std::size_t> choices(experiment.axes.size());
  for (std::size_t p = 0; p < panel_count; ++p) {
    const auto panel = combination(experiment, split.panels, p);
    for (std::size_t i = 0; i < panel.size(); ++i) choices[split.panels[i]] = panel[i];
    Panel one{"", model};
    if (panel_count > 1) {
      for (std::size_t i = 0; i < panel.size(); ++i) {
        const Axis& axis = experiment.axes[split.panels[i]];
        one.heading +=
            fmt::format("{}{} = {}", i == 0 ? "" : ", ", axis_name(experiment, axis.path), axis.values[panel[i]].text);
      }
    }
    one.chart.title = fmt::format("{} by {}{}", model.y_title, model.x_title.empty() ? "workload" : model.x_title,
                                  one.heading.empty() ? "" : ", " + one.heading);
    for (std::size_t s = 0; s < combinations(experiment, split.series); ++s) {
      const auto series = combination(experiment, split.series, s);
      for (std::size_t i = 0; i < series.size(); ++i) choices[split.series[i]] = series[i];
      Series line{names_of(experiment, split.series, series), {}};
      for (std::size_t place = 0; place < places; ++place) {
        if (split.x) choices[*split.x] = place;
        line.values.push_back(quantity.values[point_index(experiment, choices)]);
      }
      one.chart.series.push_back(std::move(line));
    }
    result.push_back(std::move(one));
  }
  return result;
}

std::string point_name(const Results& all, std::size_t point) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < all.experiment.axes.size(); ++a) {
    if (several(all.experiment.axes[a])) names.push_back(all.points[point].swept[a].second.text);
  }
  if (names.empty()) return all.results[point].workload;
  return fmt::format("{}", fmt::join(names, separator));
}

std::string point_title(const Results& all) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < all.experiment.axes.size(); ++a) {
    if (several(all.experiment.axes[a])) axes.push_back(a);
  }
  return axes.empty() ? "workload" : title_of(all.experiment, axes);
}

}  // namespace lockstep::report
