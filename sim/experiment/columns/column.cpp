#include "sim/experiment/columns/column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "isa/did_you_mean.hpp"
#include "sim/config/parameter.hpp"
#include "sim/experiment/columns/declarations.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/point.hpp"
#include "sim/experiment/result.hpp"
#include "sim/stats/csv.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::experiment {

Row row_of(const Point& point, const PointResult& result, const Gain& gain) {
  return {point, result, gain, &point};
}

Row row_of(const Point& point, const PointResult& result) {
  static const Gain none;
  return row_of(point, result, none);
}

Shown Column::at(const Row& row) const {
  if (!of_run && !row.result.has_numbers()) return {};
  return shown(row);
}

std::optional<double> Column::number(const Row& row) const {
  if (as_number) return as_number(row);
  const Shown value = at(row);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::string Column::csv(const Row& row) const {
  const Shown value = at(row);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *count);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* label = std::get_if<std::string>(&value)) return stats::csv_field(*label);
  return "";
}

std::string TableColumn::cell(const Row& row) const {
  const Shown value = column.at(row);
  if (std::holds_alternative<std::monostate>(value)) return "-";
  if (const auto* label = std::get_if<std::string>(&value)) return *label;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) {
    if (!decimals && !percent) return stats::grouped(*count);
    return text(static_cast<double>(*count), true);
  }
  return text(std::get<double>(value), false);
}

std::string TableColumn::text(double number, bool whole) const {
  if (whole && !decimals && !percent) return stats::grouped(static_cast<std::uint64_t>(std::llround(number)));
  return fmt::format("{:.{}f}", percent ? 100 * number : number, decimals.value_or(percent ? 1 : 3));
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = declared_columns();
  return all;
}

const Column* find_column(std::string_view name) {
  static const auto by_name = [] {
    std::map<std::string_view, const Column*> index;
    for (const Column& one : columns()) index.emplace(one.name, &one);
    return index;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Column& column(std::string_view name) {
  const Column* found = find_column(name);
  if (found == nullptr) throw Bug(fmt::format("there is no column {}", name));
  return *found;
}

Column axis_column(const std::string& path) {
  Column axis;
  axis.name = path;
  axis.unit = unit_of(path);
  axis.group = Column::Group::axis;
  axis.of_run = true;
  axis.shown = [path](const Row& row) -> Shown {
    const config::Value* value = row.point == nullptr ? nullptr : row.point->at(path);
    if (value == nullptr) return {};
    return value->text;
  };
  axis.as_number = [path](const Row& row) -> std::optional<double> {
    const config::Value* value = row.point == nullptr ? nullptr : row.point->at(path);
    if (value == nullptr) return std::nullopt;
    try {
      return value->as_number();
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  return axis;
}

Column named_column(const config::Value& name, const std::vector<Axis>& axes) {
  const std::string wanted = name.as_string();
  if (std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.path == wanted; }))
    return axis_column(wanted);
  if (const Column* found = find_column(wanted)) return *found;
  std::vector<std::string> known;
  for (const Column& one : columns()) known.push_back(one.name);
  for (const Axis& axis : axes) known.push_back(axis.path);
  throw InputError(name.where, fmt::format("'{}' is neither swept nor a statistic{}", wanted,
                                           did_you_mean(wanted, known, "; `lockstep list stats` shows all")));
}

std::string unit_of(std::string_view name) {
  const Column* found = find_column(name);
  return found == nullptr ? "" : found->unit;
}

}  // namespace lockstep::experiment
