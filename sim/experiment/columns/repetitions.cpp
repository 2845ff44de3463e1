#include "sim/experiment/columns/repetitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

std::optional<Spread> spread(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  Spread result;
  result.count = numbers.size();
  const auto count = static_cast<double>(numbers.size());
  for (const double number : numbers) result.mean += number;
  result.mean /= count;
  if (numbers.size() == 1) return result;
  double squares = 0;
  for (const double number : numbers) squares += (number - result.mean) * (number - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

std::optional<Spread> spread(const Column& column, const std::vector<Row>& rows) {
  std::vector<double> numbers;
  for (const Row& row : rows) {
    const Shown shown = column.at(row);
    if (std::holds_alternative<std::string>(shown)) return std::nullopt;
    if (const auto number = column.number(row)) numbers.push_back(*number);
  }
  return spread(numbers);
}

bool repeats(const Experiment& experiment) {
  return std::any_of(experiment.axes.begin(), experiment.axes.end(), [](const Axis& axis) { return axis.repeated; });
}

std::vector<std::vector<std::size_t>> places(const Experiment& experiment, const std::vector<Point>& points) {
  std::set<std::string> repeated;
  for (const Axis& axis : experiment.axes)
    if (axis.repeated) repeated.insert(axis.path);
  std::vector<std::vector<std::size_t>> all;
  std::map<std::vector<std::string>, std::size_t> number_of;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<std::string> place;
    for (const auto& [path, value] : points[i].swept)
      if (!repeated.contains(path)) place.push_back(value.text);
    const auto [known, is_new] = number_of.try_emplace(std::move(place), all.size());
    if (is_new || repeated.empty()) {
      known->second = all.size();
      all.emplace_back();
    }
    all[known->second].push_back(i);
  }
  return all;
}

std::string cell(const TableColumn& column, const std::vector<Row>& rows) {
  std::set<std::string> cells;
  std::set<double> values;
  bool whole = true;
  for (const Row& row : rows) {
    cells.insert(column.cell(row));
    whole = whole && std::holds_alternative<std::uint64_t>(column.column.at(row));
    if (const auto number = column.column.number(row)) values.insert(*number);
  }
  const std::optional<Spread> numbers = spread(column.column, rows);
  if (cells.size() == 1 && (!numbers || values.size() == 1)) return *cells.begin();
  if (!numbers) return fmt::format("{} values", cells.size());
  TableColumn shown = column;
  const double deviation = column.percent ? 100 * numbers->deviation : numbers->deviation;
  // Without stated decimals, as many as show two digits of the deviation.
  if (!column.decimals && !whole && deviation > 0)
    shown.decimals =
        std::clamp(1 - static_cast<int>(std::floor(std::log10(deviation * (1 + 1e-9)))), column.percent ? 1 : 3, 9);
  return fmt::format("{} \u00b1 {}", shown.text(numbers->mean, whole), shown.text(numbers->deviation, whole));
}

}  // namespace lockstep::experiment
