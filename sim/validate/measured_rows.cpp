#include "sim/validate/measured_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/did_you_mean.hpp"
#include "sim/workload/descriptor.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::validate {

using measurements::Measurement;

namespace {

/// Whether two texts are the same value of an argument: "1 MiB" and "1048576" are.
bool is_same(const std::string& one, const std::string& other) {
  if (one == other) return true;
  try {
    return workload::constant_of(one) == workload::constant_of(other);
  } catch (const InputError&) {
    return false;  // A name.
  }
}

/// A setting as it stands in a YAML file.
Setting argument_setting(const std::string& name, const std::string& text, const SourceLocation& where) {
  config::Value value;
  value.kind = config::Value::Kind::scalar;
  value.text = text;
  value.where = where;
  return {name, value};
}

}  // namespace

std::string RowSelection::text() const {
  std::string whole = workload;
  for (const auto& [name, values] : arguments) whole += fmt::format(" {}={}", name, fmt::join(values, ","));
  return whole;
}

MeasuredRows::MeasuredRows(measurements::Measurements measurements)
    : measurements_(std::move(measurements)), is_left_out_(measurements_.rows.size()) {}

const MeasuredRows::Defaults& MeasuredRows::defaults_of(const std::string& workload) {
  auto known = std::find_if(defaults_.begin(), defaults_.end(), [&](const auto& one) { return one.first == workload; });
  if (known == defaults_.end()) {
    Defaults defaults;
    for (const workload::ArgumentInfo& argument : workload::Workload::load(workload).arguments())
      defaults.emplace_back(argument.name, argument.default_text);
    known = defaults_.insert(defaults_.end(), {workload, std::move(defaults)});
  }
  return known->second;
}

const std::string& MeasuredRows::default_of(const RowSelection& selection, const std::string& name) {
  const Defaults& defaults = defaults_of(selection.workload);
  for (const auto& [argument, text] : defaults)
    if (argument == name) return text;
  std::vector<std::string> names;
  for (const auto& [argument, text] : defaults) names.push_back(argument);
  throw InputError(selection.where,
                   fmt::format("{} has no argument '{}'{}", selection.workload, name, did_you_mean(name, names)));
}

MeasuredRows::Use& MeasuredRows::use_of(const std::string& workload, const std::string& column) {
  const auto found = std::find_if(uses_.begin(), uses_.end(),
                                  [&](const Use& use) { return use.workload == workload && use.column == column; });
  if (found != uses_.end()) return *found;
  return uses_.emplace_back(Use{workload, column, std::vector<bool>(measurements_.rows.size())});
}

std::vector<std::string> MeasuredRows::workloads() const {
  std::vector<std::string> names;
  for (const Measurement& row : measurements_.rows)
    if (std::find(names.begin(), names.end(), row.workload) == names.end()) names.push_back(row.workload);
  return names;
}

void MeasuredRows::require_workload(const RowSelection& selection) const {
  const std::vector<std::string> names = workloads();
  if (std::find(names.begin(), names.end(), selection.workload) != names.end()) return;
  throw InputError(selection.where, fmt::format("{} has no row of the workload '{}'{}", measurements_.file,
                                                selection.workload, did_you_mean(selection.workload, names)));
}

void MeasuredRows::for_each(const RowSelection& selection, std::vector<bool>& is_taken,
                            const std::function<void(const Measurement&)>& use) {
  require_workload(selection);
  std::vector<const std::string*> defaults;
  for (const auto& [name, values] : selection.arguments) defaults.push_back(&default_of(selection, name));
  const auto has = [&](const Measurement& row) {
    if (row.workload != selection.workload) return false;
    for (std::size_t i = 0; i < defaults.size(); ++i) {
      const auto& [name, values] = selection.arguments[i];
      const std::string* given = row.setting(name);
      const std::string& value = given == nullptr ? *defaults[i] : *given;
      if (std::none_of(values.begin(), values.end(), [&](const std::string& one) { return is_same(one, value); }))
        return false;
    }
    return true;
  };
  bool any = false;
  for (std::size_t i = 0; i < measurements_.rows.size(); ++i) {
    const Measurement& row = measurements_.rows[i];
    if (is_taken[i] || is_left_out_[i] || !has(row)) continue;
    is_taken[i] = any = true;
    use(row);
  }
  if (!any)
    throw InputError(selection.where,
                     fmt::format("no row of {} is left for '{}'", measurements_.file, selection.text()));
}

std::vector<Cell> MeasuredRows::take(const RowSelection& selection, const std::string& column) {
  std::vector<Cell> cells;
  for_each(selection, use_of(selection.workload, column).is_taken, [&](const Measurement& row) {
    const std::optional<double> number = measurements_.number(row, column);
    if (!number)
      throw InputError(row.where,
                       fmt::format("'{}' has no number in '{}': leave it out, with the reason", row.label(), column));
    Cell cell;
    for (const auto& setting : row.settings) {
      const std::string& name = setting.first;
      cell.settings.push_back(argument_setting("args." + name, setting.second, row.where));
      const auto fixed = std::find_if(selection.arguments.begin(), selection.arguments.end(),
                                      [&](const auto& one) { return one.first == name && one.second.size() == 1; });
      if (fixed == selection.arguments.end())
        cell.row += fmt::format("{}{}={}", cell.row.empty() ? "" : " ", name, setting.second);
    }
    while (std::any_of(cells.begin(), cells.end(), [&](const Cell& other) { return other.row == cell.row; }))
      cell.row += cell.row.empty() ? "again" : " again";
    cell.settings.push_back(argument_setting("workload", row.workload, row.where));
    cell.measured = *number;
    cell.where = row.where;
    cells.push_back(std::move(cell));
  });
  return cells;
}

std::size_t MeasuredRows::leave_out(const RowSelection& selection) {
  std::size_t rows = 0;
  std::vector<bool> taken(measurements_.rows.size());
  for_each(selection, taken, [&](const Measurement&) { ++rows; });
  for (std::size_t i = 0; i < taken.size(); ++i) is_left_out_[i] = is_left_out_[i] || taken[i];
  return rows;
}

void MeasuredRows::check_all_taken(config::ErrorList& errors) const {
  for (const Use& use : uses_)
    for (std::size_t i = 0; i < measurements_.rows.size(); ++i) {
      const Measurement& row = measurements_.rows[i];
      if (row.workload != use.workload || use.is_taken[i] || is_left_out_[i]) continue;
      errors.add(row.where, fmt::format("no table compares '{}' of '{}'; compare it, or name it under 'left_out' with "
                                        "the reason",
                                        use.column, row.label()));
    }
}

}  // namespace lockstep::validate
