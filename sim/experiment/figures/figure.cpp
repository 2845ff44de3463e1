#include "sim/experiment/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/experiment.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::experiment {

namespace {

template <typename Names, typename T>
std::string_view name_in(const Names& names, T wanted) {
  for (const auto& [name, value] : names)
    if (value == wanted) return name;
  throw Bug("a figure has a property without a name");
}

bool has_value(const Experiment& experiment, const std::string& path, const std::string& text) {
  return std::any_of(experiment.axes.begin(), experiment.axes.end(), [&](const Axis& axis) {
    return axis.path == path && std::any_of(axis.values.begin(), axis.values.end(),
                                            [&](const config::Value& value) { return value.text == text; });
  });
}

/// None when no value of a path is left.
std::optional<std::string> where_yaml(const Experiment& experiment, const CheckValue::Where& where) {
  std::vector<std::string> entries;
  for (const auto& [path, texts] : where) {
    std::vector<std::string> left;
    for (const std::string& text : texts)
      if (has_value(experiment, path, text)) left.push_back(stats::json_string(text));
    if (left.empty()) return std::nullopt;
    entries.push_back(fmt::format("{}: [{}]", path, fmt::join(left, ", ")));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string names_yaml(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string value_yaml(const FigureValue& value) {
  std::string yaml = fmt::format("{{{}: {}, header: {}", name_in(figure_picks, value.pick), value.shown.column.name,
                                 stats::json_string(value.shown.header));
  if (value.shown.percent) yaml += ", percent: true";
  return yaml + "}";
}

}  // namespace

std::string figure_yaml(const Experiment& experiment, const Figure& figure) {
  const auto where = where_yaml(experiment, figure.where);
  if (!where) return "";
  std::vector<std::string> values, published;
  for (const FigureValue& value : figure.y) values.push_back(value_yaml(value));
  std::string yaml = fmt::format("{{title: {}, y: [{}]", stats::json_string(figure.title), fmt::join(values, ", "));
  if (figure.x) yaml += fmt::format(", x: {}", figure.x->name);
  if (figure.series) yaml += fmt::format(", series: {}", names_yaml(*figure.series));
  if (figure.facets) yaml += fmt::format(", facet: {}", names_yaml(*figure.facets));
  if (figure.kind != Figure::Kind::automatic) yaml += fmt::format(", kind: {}", name_in(figure_kinds, figure.kind));
  std::vector<std::string> scales;
  if (figure.x_scale != Figure::Scale::automatic)
    scales.push_back(fmt::format("x: {}", name_in(figure_scales, figure.x_scale)));
  if (figure.y_scale != Figure::Scale::automatic)
    scales.push_back(fmt::format("y: {}", name_in(figure_scales, figure.y_scale)));
  if (!scales.empty()) yaml += fmt::format(", scale: {{{}}}", fmt::join(scales, ", "));
  if (!figure.where.empty()) yaml += ", where: " + *where;
  for (const Figure::Published& one : figure.published)
    if (const auto at = where_yaml(experiment, one.at))
      published.push_back(fmt::format("{{at: {}, value: {}}}", *at, one.value));
  if (!published.empty()) yaml += fmt::format(", published: [{}]", fmt::join(published, ", "));
  return yaml + "}";
}

}  // namespace lockstep::experiment
