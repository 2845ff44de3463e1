#include "sim/experiment/checks/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/config/value.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/columns/repetitions.hpp"
#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

namespace {

using Binding = std::vector<std::pair<std::string, std::string>>;  ///< Axis and value.

const std::string& swept_text(const Point& point, const std::string& axis) {
  static const std::string none;
  const config::Value* value = point.at(axis);
  return value == nullptr ? none : value->text;
}

/// No answer, and why.
struct Unanswered {
  std::string message;
};

class CheckScope final : public workload::Scope {
 public:
  explicit CheckScope(const std::vector<CheckOutcome::Shown>& values) : values_(values) {}
  workload::Number value_of(std::string_view name) const override {
    for (const auto& value : values_)
      if (value.name == name) return value.simulated;
    throw workload::UnknownName{};
  }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& value : values_) names.push_back(value.name);
    return names;
  }

 private:
  const std::vector<CheckOutcome::Shown>& values_;
};

class Evaluator {
 public:
  Evaluator(const Experiment& experiment, const std::vector<Point>& points, const std::vector<PointResult>& results)
      : points_(points),
        results_(results),
        gains_(gains(experiment, points, results)),
        places_(places(experiment, points)) {}

  CheckOutcome evaluate(const Check& check) const {
    CheckOutcome outcome;
    outcome.says = check.says;
    outcome.source = check.source;
    outcome.deviates = check.deviates;
    const std::vector<Binding> bindings = combinations(check);
    if (bindings.empty()) outcome.message = "the run has no such point";
    for (const Binding& binding : bindings) {
      std::vector<CheckOutcome::Shown> values;
      try {
        for (const CheckValue& value : check.values)
          values.push_back({value.name,
                            value.pick == CheckValue::Pick::computed
                                ? computed(*value.expression, check.holds_at, values)
                                : pick(value, binding),
                            value.published});
      } catch (const Unanswered& unanswered) {
        if (outcome.message.empty()) outcome.message = unanswered.message;
        continue;
      }
      ++outcome.combinations;
      const bool holds = computed(check.holds, check.holds_at, values) != 0;
      outcome.holds = holds;
      outcome.values = std::move(values);
      outcome.at = text_of(binding);
      if (!holds) break;
    }
    return outcome;
  }

 private:
  static std::string text_of(const Binding& binding) {
    std::string text;
    for (const auto& [axis, value] : binding) text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
    return text;
  }

  static double computed(const workload::Expression& expression, const SourceLocation& where,
                         const std::vector<CheckOutcome::Shown>& values) {
    try {
      const workload::Number result = expression.evaluate(CheckScope(values));
      if (const auto* whole = std::get_if<std::int64_t>(&result)) return static_cast<double>(*whole);
      if (const auto* real = std::get_if<double>(&result)) return *real;
    } catch (const workload::ExpressionError& error) {
      throw InputError(where, fmt::format("\"{}\": {}", expression.text(), error.what()));
    }
    throw Bug("a check yields an address");
  }

  static bool matches(const Point& point, const CheckValue::Where& where) {
    return std::all_of(where.begin(), where.end(), [&](const auto& entry) {
      const auto& [axis, texts] = entry;
      return texts.empty() || std::find(texts.begin(), texts.end(), swept_text(point, axis)) != texts.end();
    });
  }

  /// Every combination of the values of the for_each axes that the points have.
  std::vector<Binding> combinations(const Check& check) const {
    std::vector<Binding> all;
    std::set<std::string> seen;
    for (const Point& point : points_) {
      if (!matches(point, check.for_each)) continue;
      Binding binding;
      for (const auto& [axis, texts] : check.for_each) binding.emplace_back(axis, swept_text(point, axis));
      if (seen.insert(text_of(binding)).second) all.push_back(std::move(binding));
    }
    return all;
  }

  static bool belongs(const Point& point, const CheckValue& value, const Binding& binding) {
    if (!matches(point, value.where)) return false;
    return std::all_of(binding.begin(), binding.end(), [&](const auto& bound) {
      const bool stated = std::any_of(value.where.begin(), value.where.end(),
                                      [&](const auto& entry) { return entry.first == bound.first; });
      return stated || swept_text(point, bound.first) == bound.second;
    });
  }

  /// The number of a point; Unanswered without one.
  double number_at(const CheckValue& value, std::size_t point) const {
    if (const auto found = value.column.number(row(point))) return *found;
    throw Unanswered{fmt::format("{}: {} has no value at {}", value.name, value.column.name, points_[point].label())};
  }

  double pick(const CheckValue& value, const Binding& binding) const {
    std::vector<Spread> spreads;
    std::vector<double> numbers;  // Their means.
    std::vector<std::size_t> indices;
    for (const std::vector<std::size_t>& place : places_) {
      std::vector<double> repetitions;
      for (const std::size_t i : place)
        if (belongs(points_[i], value, binding)) repetitions.push_back(number_at(value, i));
      const std::optional<Spread> found = spread(repetitions);
      if (!found) continue;
      spreads.push_back(*found);
      numbers.push_back(found->mean);
      indices.push_back(place.front());
    }
    if (numbers.empty()) throw Unanswered{fmt::format("{}: the run has no such point", value.name)};
    using Pick = CheckValue::Pick;
    const auto least = std::min_element(numbers.begin(), numbers.end());
    const auto most = std::max_element(numbers.begin(), numbers.end());
    const auto count = static_cast<double>(numbers.size());
    double sum = 0;
    switch (value.pick) {
      case Pick::only:
      case Pick::standard_deviation:
        if (numbers.size() > 1)
          throw Unanswered{fmt::format("{}: {} points belong to it, not one", value.name, numbers.size())};
        return value.pick == Pick::only ? numbers.front() : spreads.front().deviation;
      case Pick::minimum: return *least;
      case Pick::maximum: return *most;
      case Pick::mean:
        for (const double n : numbers) sum += n;
        return sum / count;
      case Pick::geometric_mean:
        for (const double n : numbers) sum += std::log(n);
        return std::exp(sum / count);
      case Pick::computed: break;
      case Pick::at_minimum: return axis_value(value, indices[static_cast<std::size_t>(least - numbers.begin())]);
      case Pick::at_maximum: return axis_value(value, indices[static_cast<std::size_t>(most - numbers.begin())]);
    }
    throw Bug("a check picks in an unknown way");
  }

  Row row(std::size_t index) const { return row_of(points_[index], results_[index], gains_[index]); }

  double axis_value(const CheckValue& value, std::size_t index) const {
    if (const auto found = axis_column(value.of).number(row(index))) return *found;
    throw Unanswered{
        fmt::format("{}: {} is {}, which is not a number", value.name, value.of, swept_text(points_[index], value.of))};
  }

  const std::vector<Point>& points_;
  const std::vector<PointResult>& results_;
  const std::vector<Gain> gains_;
  const std::vector<std::vector<std::size_t>> places_;  ///< The points, by what repeats each other.
};

std::string shown_number(double number) {
  return number == std::floor(number) && std::fabs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                  : fmt::format("{:.4g}", number);
}

}  // namespace

std::vector<CheckOutcome> evaluate_checks(const Experiment& experiment, const std::vector<Point>& points,
                                          const std::vector<PointResult>& results) {
  std::vector<CheckOutcome> outcomes;
  const Evaluator evaluator(experiment, points, results);
  for (const Check& check : experiment.checks) outcomes.push_back(evaluator.evaluate(check));
  return outcomes;
}

bool failed(const CheckOutcome& outcome) {
  return outcome.holds && *outcome.holds != outcome.deviates.empty();
}

std::string_view verdict(const CheckOutcome& outcome) {
  if (!outcome.holds) return "no answer";
  if (outcome.deviates.empty()) return *outcome.holds ? "holds" : "DOES NOT HOLD";
  return *outcome.holds ? "HOLDS NOW" : "deviates";
}

std::string to_text(const std::vector<CheckOutcome>& outcomes) {
  std::string text;
  for (const CheckOutcome& outcome : outcomes) {
    text += fmt::format("{:<14} {}", verdict(outcome), outcome.says);
    if (!outcome.source.empty()) text += fmt::format(" ({})", outcome.source);
    std::string values;
    for (const CheckOutcome::Shown& value : outcome.values) {
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", value.name, shown_number(value.simulated));
      if (value.published) values += fmt::format(" (published {})", shown_number(*value.published));
    }
    if (!outcome.at.empty()) {
      values += outcome.holds && *outcome.holds
                    ? fmt::format("; in {} cases, the last of them {}", outcome.combinations, outcome.at)
                    : fmt::format("; at {}", outcome.at);
    }
    if (!outcome.holds) values = outcome.message;
    text += fmt::format("\n{:<14} {}\n", "", values);
    if (failed(outcome) && !outcome.deviates.empty()) {
      text += fmt::format("{:<14} it is stated to deviate, and does not: take `deviates` away\n", "");
    } else if (!outcome.deviates.empty()) {
      text += fmt::format("{:<14} known: {}\n", "", outcome.deviates);
    }
  }
  return text;
}

}  // namespace lockstep::experiment
