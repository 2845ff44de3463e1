#include "sim/report/figures/published.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::report {

using experiment::CheckValue;

bool matches(const experiment::Point& point, const CheckValue::Where& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& entry) {
    const config::Value* own = point.at(entry.first);
    return own != nullptr && std::find(entry.second.begin(), entry.second.end(), own->text) != entry.second.end();
  });
}

namespace {

/// One name with a value.
class NameScope final : public workload::Scope {
 public:
  NameScope(const std::string& name, double value) : name_(name), value_(value) {}
  workload::Number value_of(std::string_view name) const override {
    if (name != name_) throw workload::UnknownName{};
    return value_;
  }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override { return {name_}; }

 private:
  const std::string& name_;
  double value_;
};

/// What `name` must be for the expression to come to `result`, where it is a multiple of it plus a constant, such as
/// another unit.
std::optional<double> solved(const workload::Expression& expression, const std::string& name, double result) {
  const auto uses = expression.uses();
  if (uses.empty()) return std::nullopt;
  for (const workload::Expression::Use& use : uses)
    if (use.name != name || use.indexed) return std::nullopt;
  const auto at = [&](double value) -> double {
    const workload::Number number = expression.evaluate(NameScope(name, value));
    if (const auto* whole = std::get_if<std::int64_t>(&number)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&number)) return *real;
    return std::nan("");
  };
  try {
    const double constant = at(0), slope = at(1) - constant;
    if (slope == 0 || !(std::abs(at(4) - constant - 4 * slope) <= 1e-9 * std::abs(slope))) return std::nullopt;
    return (result - constant) / slope;
  } catch (const workload::ExpressionError&) {
    return std::nullopt;
  }
}

/// What a check's source prints for one of its picked values: beside it, or beside one computed from it alone.
std::optional<double> published_value(const experiment::Check& check, const CheckValue& picked) {
  if (picked.published) return picked.published;
  for (const CheckValue& other : check.values)
    if (other.published && other.expression)
      if (const auto value = solved(*other.expression, picked.name, *other.published)) return value;
  return std::nullopt;
}

}  // namespace

std::optional<double> published_at(const experiment::Experiment& experiment, const experiment::Figure& figure,
                                   const experiment::FigureValue& value, const std::vector<experiment::Point>& points,
                                   const std::vector<std::size_t>& place) {
  for (const experiment::Figure::Published& own : figure.published)
    if (std::all_of(place.begin(), place.end(), [&](std::size_t point) { return matches(points[point], own.at); }))
      return own.value;
  for (const experiment::Check& check : experiment.checks) {
    if (!check.for_each.empty()) continue;
    for (const CheckValue& stated : check.values) {
      if (stated.pick == CheckValue::Pick::computed || stated.column.name != value.shown.column.name) continue;
      if (stated.pick == CheckValue::Pick::at_minimum || stated.pick == CheckValue::Pick::at_maximum) continue;
      if (stated.pick != value.pick && place.size() > 1) continue;
      std::vector<std::size_t> of_check;
      for (std::size_t i = 0; i < points.size(); ++i)
        if (matches(points[i], stated.where)) of_check.push_back(i);
      if (of_check != place) continue;
      if (const auto number = published_value(check, stated)) return value.shown.percent ? 100 * *number : *number;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::report
