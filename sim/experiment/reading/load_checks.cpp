// Reading the checks of an experiment file.

#include "sim/experiment/reading/load_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/experiment/reading/axis_reader.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;
using Pick = CheckValue::Pick;

constexpr std::array<std::pair<std::string_view, Pick>, 8> picks{{{"column", Pick::only},
                                                                  {"minimum", Pick::minimum},
                                                                  {"maximum", Pick::maximum},
                                                                  {"mean", Pick::mean},
                                                                  {"geometric_mean", Pick::geometric_mean},
                                                                  {"at_minimum", Pick::at_minimum},
                                                                  {"at_maximum", Pick::at_maximum},
                                                                  {"standard_deviation", Pick::standard_deviation}}};

/// A tree as flow YAML on one line.
std::string flow_yaml(const Value& value) {
  std::vector<std::string> parts;
  switch (value.kind) {
    case Value::Kind::null: return "~";
    case Value::Kind::scalar: return value.quoted ? stats::json_string(value.text) : value.text;
    case Value::Kind::list:
      for (const Value& item : value.items) parts.push_back(flow_yaml(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case Value::Kind::map:
      for (const auto& [key, content] : value.entries)
        parts.push_back(fmt::format("{}: {}", key.text, flow_yaml(content)));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return "";
}

class CheckReader : AxisReader {
 public:
  CheckReader(const std::vector<Axis>& axes, config::ErrorList& errors) : AxisReader(axes, errors) {}

  std::vector<Check> read(const Value& list) {
    std::vector<Check> checks;
    if (list.kind != Value::Kind::list) note(list.where, "'checks' is a list");
    for (const Value& item : list.items) part([&] { checks.push_back(read_check(item)); });
    return checks;
  }

 private:
  Check read_check(const Value& item) {
    if (item.kind != Value::Kind::map) spoil(item.where, "a check is a map of says, source, values, holds");
    check_keys(item, {"says", "source", "for_each", "values", "holds", "deviates"});
    const Value& holds = needed(item, "holds", "the condition");
    workload::Expression expression = parsed(holds);
    Check check{needed(item, "says", "the statement in words").as_string(),
                "",
                {},
                {},
                std::move(expression),
                holds.where,
                "",
                as_yaml(item)};
    if (const Value* why = item.find("deviates")) {
      check.deviates = why->as_string();
      if (check.deviates.empty()) spoil(why->where, "'deviates' says why the check is known not to hold");
    }
    if (const Value* source = item.find("source")) check.source = source->as_string();
    if (const Value* axes = item.find("for_each")) read_for_each(*axes, check.for_each);
    const Value& values = needed(item, "values", "the numbers that the condition names");
    if (values.kind != Value::Kind::map) spoil(values.where, "'values' is a map from names to values");
    for (const auto& [name, value] : values.entries) {
      check.values.push_back(read_value(name.text, value));
      const CheckValue& read = check.values.back();
      if (read.expression)
        check_names(*read.expression, value.where, {check.values.begin(), std::prev(check.values.end())});
    }
    check_names(check.holds, holds.where, check.values);
    return check;
  }

  /// A swept path, a list of them, or a map from them to some of their values.
  void read_for_each(const Value& axes, CheckValue::Where& for_each) {
    if (axes.kind == Value::Kind::map) return read_where(axes, for_each, "for_each");
    for (const Value& axis : items_of(axes)) {
      check_axis(axis);
      for_each.emplace_back(axis.as_string(), std::vector<std::string>{});
    }
  }

  void check_names(const workload::Expression& expression, const SourceLocation& where,
                   const std::vector<CheckValue>& values) {
    std::vector<std::string> names;
    for (const CheckValue& value : values) names.push_back(value.name);
    for (const workload::Expression::Use& use : expression.uses()) {
      if (std::find(names.begin(), names.end(), use.name) != names.end() && !use.indexed) continue;
      note(where,
           fmt::format("\"{}\" names '{}'; the values are: {}", expression.text(), use.name, fmt::join(names, ", ")));
    }
  }

  workload::Expression parsed(const Value& value) {
    try {
      return workload::Expression(value.as_string());
    } catch (const workload::ExpressionError& error) {
      spoil(value.where, fmt::format("\"{}\": {}", value.text, error.what()));
    }
  }

  /// Texts are quoted, whatever is in them; everything else is as it was written.
  static std::string as_yaml(const Value& item) {
    Value copy = item;
    for (auto& [key, value] : copy.entries)
      if (key.text == "says" || key.text == "source" || key.text == "holds" || key.text == "deviates")
        value.quoted = true;
    for (auto& [key, values] : copy.entries)
      for (auto& [name, value] : values.entries)
        for (auto& [part, content] : value.entries)
          if (part.text == "computed") content.quoted = true;
    return flow_yaml(copy);
  }

  CheckValue read_value(const std::string& name, const Value& value) {
    if (value.kind != Value::Kind::map) spoil(value.where, "a value is a map such as {minimum: cycles}");
    check_keys(value, {"column", "minimum", "maximum", "mean", "geometric_mean", "at_minimum", "at_maximum",
                       "standard_deviation", "of", "where", "computed", "published"});
    CheckValue result;
    result.name = name;
    if (const Value* computed = value.find("computed")) {
      if (value.entries.size() > (value.find("published") != nullptr ? 2 : 1))
        spoil(value.where, "a computed value is made of the values before it alone");
      result.pick = Pick::computed;
      result.expression = parsed(*computed);
      if (const Value* published = value.find("published")) result.published = published->as_number();
      return result;
    }
    const Value* column = nullptr;
    for (const auto& [key, pick] : picks) {
      const Value* found = value.find(key);
      if (found == nullptr) continue;
      if (column != nullptr) spoil(found->where, "a value is picked in one way only");
      column = found;
      result.pick = pick;
    }
    if (column == nullptr)
      spoil(value.where,
            "a value needs one of column, minimum, maximum, mean, geometric_mean, at_minimum, "
            "at_maximum, standard_deviation, computed");
    result.column = named_column(*column, axes());
    const bool wants_axis = result.pick == Pick::at_minimum || result.pick == Pick::at_maximum;
    if (wants_axis) {
      const Value& of = needed(value, "of", "the swept path whose value is wanted");
      check_axis(of);
      result.of = of.as_string();
    } else if (const Value* of = value.find("of")) {
      spoil(of->where, "'of' goes with at_minimum and at_maximum");
    }
    if (const Value* where = value.find("where")) read_where(*where, result.where, "where");
    if (const Value* published = value.find("published")) result.published = published->as_number();
    return result;
  }
};

}  // namespace

std::vector<Check> read_checks(const Value& list, const std::vector<Axis>& axes, config::ErrorList& errors) {
  return CheckReader(axes, errors).read(list);
}

}  // namespace lockstep::experiment
