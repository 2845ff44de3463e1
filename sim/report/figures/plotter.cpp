// From a declared figure to what is drawn.

#include "sim/report/figures/plotter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/repetitions.hpp"
#include "sim/report/figures/published.hpp"
#include "sim/report/palette.hpp"

namespace lockstep::report {

namespace {

using experiment::Axis;
using experiment::CheckValue;
using experiment::Column;
using experiment::Figure;
using experiment::FigureValue;
using experiment::Status;

constexpr const char* separator = " \u00b7 ";

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == name ? name : fmt::format("{} ({})", name, unit);
}

std::string plural(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Names even where they are digits.
bool is_name(const std::string& path) {
  return path == "gpu" || path == "workload" || path == "variant";
}

std::string text_of(const Column& column, const experiment::Row& row) {
  const experiment::Shown shown = column.at(row);
  if (const auto* text = std::get_if<std::string>(&shown)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&shown)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&shown)) return fmt::format("{:.6g}", *number);
  return "-";
}

/// A number picked from several.
double picked(CheckValue::Pick pick, const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  double sum = 0;
  switch (pick) {
    case CheckValue::Pick::minimum: return *std::min_element(numbers.begin(), numbers.end());
    case CheckValue::Pick::maximum: return *std::max_element(numbers.begin(), numbers.end());
    case CheckValue::Pick::mean:
      for (const double number : numbers) sum += number;
      return sum / count;
    case CheckValue::Pick::geometric_mean:
      for (const double number : numbers) sum += std::log(number);
      return std::exp(sum / count);
    default: return numbers.front();
  }
}

/// Makes the plot of one figure.
class Plotter {
 public:
  Plotter(const Results& all, const std::vector<experiment::Gain>& gained, const Figure& figure)
      : all_(all), gained_(gained), figure_(figure), x_(figure.x) {
    for (std::size_t i = 0; i < all.points.size(); ++i) {
      if (!matches(all.points[i], figure.where)) continue;
      all.results[i].status == Status::done ? chosen_.push_back(i) : void(++left_out_);
    }
    place_of_.resize(all.points.size());
    const auto places = experiment::places(all.experiment, all.points);
    for (std::size_t place = 0; place < places.size(); ++place)
      for (const std::size_t point : places[place]) place_of_[point] = place;
    divide_axes();
  }

  Plot plot() {
    Plot plot{figure_.title, "", notes(), {}};
    const Places places = places_on_x();
    std::map<Key, std::map<Key, std::vector<std::vector<std::size_t>>>> cells;  // facet, series, place: points
    std::set<Key> all_series;
    for (std::size_t number = 0; number < chosen_.size(); ++number) {
      const std::size_t point = chosen_[number];
      const Key series = key_of(series_, point);
      all_series.insert(series);
      auto& row = cells[key_of(facets_, point)][series];
      row.resize(places.labels.size());
      if (places.of[number]) row[*places.of[number]].push_back(point);
    }
    std::size_t crowded = 0;
    for (auto& [facet, of_facet] : cells) {
      Panel panel{heading(facet), model(places)};
      for (std::size_t v = 0; v < figure_.y.size(); ++v) {
        for (const Key& key : all_series) {
          auto& row = of_facet[key];
          row.resize(places.labels.size());
          Series series{series_name(v, key), {}, {}, {}};
          for (const auto& points : row) {
            const bool several = !at_one_place(points) && figure_.y[v].pick == CheckValue::Pick::only;
            if (several) ++crowded;
            series.values.push_back(several ? std::nullopt : value_at(figure_.y[v], points));
            series.deviations.push_back(several ? std::nullopt : deviation_at(figure_.y[v], points));
            series.published.push_back(several || points.empty()
                                           ? std::nullopt
                                           : published_at(all_.experiment, figure_, figure_.y[v], all_.points, points));
          }
          panel.chart.series.push_back(std::move(series));
        }
      }
      panel.chart.title = fmt::format("{}{}{}", figure_.title, panel.heading.empty() ? "" : ", ", panel.heading);
      drop_places(panel.chart);
      plot.panels.push_back(std::move(panel));
    }
    if (repeated_)
      plot.notes.emplace_back(
          "Means over the repetitions; the lines through them reach one standard deviation up and down.");
    if (crowded > 0)
      plot.notes.push_back(
          fmt::format("{} left out, where several points lie at one place.", plural(crowded, "value")));
    return plot;
  }

 private:
  using Key = std::vector<std::size_t>;  // number of the level of each column

  /// The places on the x axis, and which of them each chosen point has; none: it has no value there.
  struct Places {
    std::vector<std::string> labels;
    std::optional<std::vector<double>> numbers;
    std::vector<std::optional<std::size_t>> of;
  };

  experiment::Row row(std::size_t point) const {
    return row_of(all_.points[point], all_.results[point], gained_[point]);
  }

  /// Whether the points differ in nothing but their repetitions.
  bool at_one_place(const std::vector<std::size_t>& points) const {
    return std::all_of(points.begin(), points.end(),
                       [&](std::size_t point) { return place_of_[point] == place_of_[points.front()]; });
  }

  /// The values of an axis that the chosen points have, in its order.
  std::vector<std::string> levels_of_axis(const Axis& axis) const {
    std::set<std::string> there;
    for (const std::size_t point : chosen_)
      if (const config::Value* value = all_.points[point].at(axis.path)) there.insert(value->text);
    std::vector<std::string> levels;
    for (const config::Value& value : axis.values)
      if (there.contains(value.text)) levels.push_back(value.text);
    return levels;
  }

  /// The texts of a column, in the order of its axis, or else of the points.
  const std::vector<std::string>& levels(const Column& column) {
    const auto known = levels_.find(column.name);
    if (known != levels_.end()) return known->second;
    std::vector<std::string>& own = levels_[column.name];
    for (const Axis& axis : all_.experiment.axes)
      if (axis.path == column.name) own = levels_of_axis(axis);
    if (!own.empty()) return own;
    for (const std::size_t point : chosen_) {
      const std::string text = text_of(column, row(point));
      if (std::find(own.begin(), own.end(), text) == own.end()) own.push_back(text);
    }
    return own;
  }

  std::optional<std::size_t> level_of(const Column& column, std::size_t point) {
    const auto& all = levels(column);
    const auto found = std::find(all.begin(), all.end(), text_of(column, row(point)));
    if (found == all.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
  }

  Key key_of(const std::vector<Column>& columns, std::size_t point) {
    Key key;
    for (const Column& column : columns) key.push_back(level_of(column, point).value_or(0));
    return key;
  }

  bool of_numbers(const Column& column) const {
    if (is_name(column.name)) return false;
    return std::all_of(chosen_.begin(), chosen_.end(),
                       [&](std::size_t point) { return column.number(row(point)).has_value(); });
  }

  /// Whether every value is picked from all the points at its place.
  bool picks() const {
    return std::all_of(figure_.y.begin(), figure_.y.end(),
                       [](const FigureValue& value) { return value.pick != CheckValue::Pick::only; });
  }

  /// Gives what the figure does not name to the axes that tell points apart.
  void divide_axes() {
    std::vector<std::string> named;
    for (const auto* columns : {&figure_.series, &figure_.facets})
      if (*columns)
        for (const Column& column : **columns) named.push_back(column.name);
    if (figure_.x) named.push_back(figure_.x->name);
    std::vector<const Axis*> free;
    for (const Axis& axis : all_.experiment.axes)
      if (!axis.repeated && levels_of_axis(axis).size() > 1 &&
          std::find(named.begin(), named.end(), axis.path) == named.end())
        free.push_back(&axis);
    if (!x_) choose_x(free);
    if (figure_.series) series_ = *figure_.series;
    if (figure_.facets) facets_ = *figure_.facets;
    if (picks()) return;
    if (figure_.kind == Figure::Kind::points && x_ && of_numbers(*x_)) {  // Each has a mark, whatever tells it apart.
      if (figure_.series) return;
      for (const Axis* axis : free) series_.push_back(experiment::axis_column(axis->path));
      if (combinations(series_) > series_colours) series_.clear();
      return;
    }
    std::vector<Column>& rest = figure_.series ? facets_ : series_;
    if (figure_.series && figure_.facets) return;
    for (const Axis* axis : free) rest.push_back(experiment::axis_column(axis->path));
    if (figure_.series || figure_.facets) return;
    while (series_.size() > 1 && combinations(series_) > series_colours) {
      facets_.push_back(series_.front());
      series_.erase(series_.begin());
    }
  }

  /// The last axis of numbers, else the longest one: colours are few.
  void choose_x(std::vector<const Axis*>& free) {
    const Axis* best = nullptr;
    bool numbers = false;
    for (const Axis* axis : free) {
      const bool counts = of_numbers(experiment::axis_column(axis->path));
      if (numbers && !counts) continue;
      if (best != nullptr && !counts && levels_of_axis(*best).size() > levels_of_axis(*axis).size()) continue;
      best = axis;
      numbers = counts;
    }
    if (best == nullptr) return;
    x_ = experiment::axis_column(best->path);
    std::erase(free, best);
  }

  std::size_t combinations(const std::vector<Column>& columns) {
    std::size_t count = 1;
    for (const Column& column : columns) count *= levels(column).size();
    return count;
  }

  Places places_on_x() {
    Places places;
    const bool numbers = x_ && of_numbers(*x_);
    const bool each_alone = numbers && figure_.kind == Figure::Kind::points;
    if (numbers) places.numbers.emplace();
    std::map<std::string, std::size_t> known;
    if (x_ && !each_alone)
      for (const std::string& level : levels(*x_)) {
        known.emplace(level, places.labels.size());
        places.labels.push_back(level);
      }
    if (numbers) places.numbers->resize(places.labels.size());
    for (const std::size_t point : chosen_) {
      const std::string label = x_ ? text_of(*x_, row(point)) : all_.results[point].workload;
      auto found = each_alone ? known.end() : known.find(label);
      if (found == known.end()) {
        found = known.insert_or_assign(label, places.labels.size()).first;
        places.labels.push_back(label);
        if (numbers) places.numbers->push_back(0);
      }
      if (numbers) (*places.numbers)[found->second] = *x_->number(row(point));
      places.of.emplace_back(found->second);
    }
    return places;
  }

  /// A panel's chart without its values.
  Chart model(const Places& places) const {
    Chart chart;
    chart.x_labels = places.labels;
    chart.x = places.numbers;
    if (x_) chart.x_title = with_unit(axis_name(all_.experiment, x_->name), x_->unit);
    if (figure_.y.size() == 1) {
      chart.y_title = with_unit(figure_.y.front().shown.header, figure_.y.front().shown.unit);
    } else {
      const std::string& unit = figure_.y.front().shown.unit;
      const bool same = std::all_of(figure_.y.begin(), figure_.y.end(),
                                    [&](const FigureValue& value) { return value.shown.unit == unit; });
      if (same) chart.y_title = unit;
    }
    std::vector<std::string> names;
    for (const Column& column : series_) names.push_back(axis_name(all_.experiment, column.name));
    chart.legend_title = fmt::format("{}", fmt::join(names, separator));
    for (const FigureValue& value : figure_.y)
      if (value.shown.column.is_speedup && !value.shown.percent) chart.reference = 1;
    switch (figure_.kind) {
      case Figure::Kind::automatic: chart.kind = places.numbers ? ChartKind::lines : ChartKind::bars; break;
      case Figure::Kind::lines: chart.kind = ChartKind::lines; break;
      case Figure::Kind::bars: chart.kind = ChartKind::bars; break;
      case Figure::Kind::stacked: chart.kind = ChartKind::stacked; break;
      case Figure::Kind::points: chart.kind = ChartKind::points; break;
    }
    const auto scale = [](Figure::Scale declared) {
      return declared == Figure::Scale::log      ? ChartScale::log
             : declared == Figure::Scale::linear ? ChartScale::linear
                                                 : ChartScale::automatic;
    };
    chart.x_scale = scale(figure_.x_scale);
    chart.y_scale = scale(figure_.y_scale);
    return chart;
  }

  /// A panel has no room for names of the x axis that it has no value at.
  static void drop_places(Chart& chart) {
    if (chart.x) return;
    for (std::size_t i = chart.x_labels.size(); i-- > 0;) {
      const bool used = std::any_of(chart.series.begin(), chart.series.end(), [i](const Series& series) {
        return series.values[i].has_value() || series.published[i].has_value();
      });
      if (used) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      chart.x_labels.erase(chart.x_labels.begin() + at);
      for (Series& series : chart.series) {
        series.values.erase(series.values.begin() + at);
        series.published.erase(series.published.begin() + at);
        series.deviations.erase(series.deviations.begin() + at);
      }
    }
  }

  std::string heading(const Key& facet) {
    if (combinations(facets_) < 2) return "";
    std::string text;
    for (std::size_t i = 0; i < facet.size(); ++i)
      text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", axis_name(all_.experiment, facets_[i].name),
                          levels(facets_[i]).at(facet[i]));
    return text;
  }

  std::string series_name(std::size_t value, const Key& key) {
    std::vector<std::string> names;
    if (figure_.y.size() > 1) names.push_back(figure_.y[value].shown.header);
    for (std::size_t i = 0; i < key.size(); ++i) names.push_back(levels(series_[i]).at(key[i]));
    return fmt::format("{}", fmt::join(names, separator));
  }

  std::optional<double> value_at(const FigureValue& value, const std::vector<std::size_t>& points) const {
    std::map<std::size_t, std::vector<double>> repetitions;  // By place.
    for (const std::size_t point : points)
      if (const auto number = value.shown.column.number(row(point)); number && std::isfinite(*number))
        repetitions[place_of_[point]].push_back(*number);
    if (repetitions.empty()) return std::nullopt;
    std::vector<double> means;
    for (const auto& [place, numbers] : repetitions) means.push_back(experiment::spread(numbers)->mean);
    const double number = picked(value.pick, means);
    if (!std::isfinite(number)) return std::nullopt;
    return value.shown.percent ? 100 * number : number;
  }

  /// The standard deviation over repetitions; nothing of a single number, or where one of several is picked.
  std::optional<double> deviation_at(const FigureValue& value, const std::vector<std::size_t>& points) {
    if (value.pick != CheckValue::Pick::only) return std::nullopt;
    std::vector<experiment::Row> rows;
    for (const std::size_t point : points) rows.push_back(row(point));
    const auto numbers = experiment::spread(value.shown.column, rows);
    if (!numbers || numbers->count < 2 || !std::isfinite(numbers->deviation)) return std::nullopt;
    repeated_ = true;
    return value.shown.percent ? 100 * numbers->deviation : numbers->deviation;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const bool speedup = std::any_of(figure_.y.begin(), figure_.y.end(),
                                     [](const FigureValue& value) { return value.shown.column.is_speedup; });
    if (speedup && !all_.experiment.baseline.empty()) {
      std::vector<std::string> base;
      for (const config::Override& given : all_.experiment.baseline)
        base.push_back(fmt::format("{} = {}", axis_name(all_.experiment, given.path), given.value.text));
      notes.push_back(fmt::format("Time of the point with {} and otherwise the same values, over the point's own time.",
                                  fmt::join(base, ", ")));
    } else if (speedup) {
      notes.emplace_back("Time of the fastest run that the point is compared with, over the point's own time.");
    }
    if (left_out_ > 0) notes.push_back(plural(left_out_, "point") + " without a good result left out.");
    return notes;
  }

  const Results& all_;
  const std::vector<experiment::Gain>& gained_;
  const Figure& figure_;
  std::vector<std::size_t> place_of_;  ///< Of each point: the same number for those that repeat each other.
  std::vector<std::size_t> chosen_;    ///< Points that are shown.
  std::size_t left_out_ = 0;
  bool repeated_ = false;  ///< Some value is a mean over repetitions.
  std::optional<Column> x_;
  std::vector<Column> series_, facets_;
  std::map<std::string, std::vector<std::string>> levels_;
};

}  // namespace

Plot plot(const Results& results, const std::vector<experiment::Gain>& gained, const experiment::Figure& figure) {
  return Plotter(results, gained, figure).plot();
}

}  // namespace lockstep::report
