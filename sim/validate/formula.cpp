#include "sim/validate/formula.hpp"

#include <fmt/format.h>

#include <optional>

#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"

namespace lockstep::validate {

namespace {

using experiment::Column;

/// A scope without names.
class NoNames final : public workload::Scope {
 public:
  workload::Number value_of(std::string_view) const override { throw workload::UnknownName{}; }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override { return {}; }
};

std::optional<double> real(const workload::Number& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&number)) return *real;
  return std::nullopt;
}

/// The number that an argument's text is, for example "8 KiB"; nothing when it is a choice or a file.
std::optional<double> number_of(const std::string& text) {
  try {
    return real(workload::Expression(text).evaluate(NoNames()));
  } catch (const workload::ExpressionError&) {
    return std::nullopt;
  }
}

std::optional<double> column_number(const NamedRun& run, const Column& column) {
  static const experiment::Gain none;
  return column.number({*run.run, *run.result, none});
}

/// Names of an expression.
class RunScope final : public workload::Scope {
 public:
  explicit RunScope(const std::vector<NamedRun>& runs) : runs_(runs) {}

  workload::Number value_of(std::string_view name) const override {
    const Column* without_value = nullptr;
    for (const NamedRun& run : runs_) {
      const std::string_view own = name_in(run, name);
      if (own.empty()) continue;
      const Column* column = experiment::find_column(own);
      const bool is_parameter = column != nullptr && column->group == Column::Group::parameter;
      if (column != nullptr && !is_parameter) {
        if (const auto number = column_number(run, *column)) return *number;
        without_value = column;
      }
      for (const auto& [argument, text] : run.result->arguments)
        if (argument == own)
          if (const auto number = number_of(text)) return *number;
      if (is_parameter)
        if (const auto number = column_number(run, *column)) return *number;
    }
    const Column* column = experiment::find_column(name);
    if (column != nullptr && column->group == Column::Group::parameter)
      if (const auto number = column_number(runs_.front(), *column)) return *number;
    if (without_value != nullptr) throw workload::NoValue{without_value->absent};
    throw workload::UnknownName{};
  }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const NamedRun& run : runs_) {
      const std::string prefix = run.name.empty() ? "" : run.name + ".";
      for (const Column& column : experiment::columns()) all.push_back(prefix + column.name);
      for (const auto& [argument, text] : run.result->arguments) all.push_back(prefix + argument);
    }
    return all;
  }

 private:
  /// What follows the run's name and a dot, all of it when the run has no name; "" when it is not of this run.
  static std::string_view name_in(const NamedRun& run, std::string_view name) {
    if (run.name.empty()) return name;
    if (!name.starts_with(run.name) || name.size() <= run.name.size() || name[run.name.size()] != '.') return {};
    return name.substr(run.name.size() + 1);
  }

  const std::vector<NamedRun>& runs_;
};

}  // namespace

double value_of(const Formula& formula, const std::vector<NamedRun>& runs) {
  try {
    if (const auto number = real(formula.expression.evaluate(RunScope(runs)))) return *number;
    throw InputError(formula.where, "the value is not a number");
  } catch (const workload::ExpressionError& error) {
    throw InputError(formula.where, fmt::format("'{}', character {}: {}", formula.expression.text(),
                                                error.position() + 1, error.what()));
  }
}

}  // namespace lockstep::validate
