#include "sim/calibrate/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "sim/config/nested_yaml.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::calibrate {

namespace {

using stats::Table;

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f}", 100 * share) : "-";
}

std::size_t usable(const StepFit& step) {
  return static_cast<std::size_t>(
      std::count_if(step.points.begin(), step.points.end(), [](const Point& point) { return point.problem.empty(); }));
}

double error_of(const Point& point) {
  return (point.after - *point.row->clock) / *point.row->clock;
}

std::string points_text(std::size_t count) {
  return fmt::format("{} point{}", count, count == 1 ? "" : "s");
}

/// "micro-barrier warps=1": what determines a step's parameters.
std::string source_of(const Step& step) {
  std::vector<std::string> texts;
  for (const Selection& selection : step.points)
    texts.push_back(fmt::format("{} {}", selection.workload, selection.settings));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string verdict_of(const StepFit& step, const ParameterFit& fit) {
  std::string text(name_of(fit.verdict));
  if (step.parameters.size() > 1 && is_set(fit.verdict)) text += ", together";
  return text;
}

std::string point_text(const Calibration& calibration) {
  Table table;
  table.column("point", Table::Align::left);
  table.column("measured", Table::Align::right, "cycles");
  table.column("before", Table::Align::right, "cycles");
  table.column("after", Table::Align::right, "cycles");
  table.column("error", Table::Align::right, "%");
  for (const StepFit& step : calibration.steps)
    for (const Point& point : step.points) {
      const std::string measured = fmt::format("{:.0f}", *point.row->clock);
      if (point.problem.empty()) {
        table.row({point.row->label(), measured, fmt::format("{:.0f}", point.before),
                   fmt::format("{:.0f}", point.after), percent(error_of(point))});
      } else {
        table.row({point.row->label(), measured, "-", "-", "-"});
      }
    }
  std::string text = table.text();
  for (const StepFit& step : calibration.steps)
    for (const Point& point : step.points)
      if (!point.problem.empty()) text += fmt::format("{}: left out: {}\n", to_string(point.row->where), point.problem);
  return text;
}

}  // namespace

std::string summary_text(const Calibration& calibration) {
  Table table;
  table.column("parameter", Table::Align::left);
  table.column("before", Table::Align::right);
  table.column("after", Table::Align::right);
  table.column("unit", Table::Align::left);
  table.column("verdict", Table::Align::left);
  table.column("points", Table::Align::right);
  table.column("residual before", Table::Align::right, "%");
  table.column("after", Table::Align::right, "%");
  table.column("rise below", Table::Align::right, "%");
  table.column("above", Table::Align::right, "%");
  std::size_t set = 0, all = 0;
  for (const StepFit& step : calibration.steps)
    for (const ParameterFit& fit : step.parameters) {
      ++all;
      set += is_set(fit.verdict) ? 1 : 0;
      const bool has_points = fit.verdict != Verdict::no_points;
      table.row({fit.parameter->path, config::to_text(fit.before), config::to_text(fit.after), fit.parameter->unit,
                 verdict_of(step, fit), fmt::format("{}", usable(step)),
                 has_points ? percent(step.residual_before) : "-", has_points ? percent(step.residual_after) : "-",
                 has_points ? percent(fit.rise_below) : "-", has_points ? percent(fit.rise_above) : "-"});
    }
  std::string text = table.text() + "\n";
  text += fmt::format(
      "{} of {} parameters are set; all others are left as they were. The residual is the mean of |simulated - "
      "measured| / "
      "measured;\nit rises as shown when the value moves by a tenth, a whole number at least by one.\n",
      set, all);
  if (calibration.unused > 0)
    text += fmt::format("{} measurements determine no parameter here, or have no clock interval\n", calibration.unused);
  if (!calibration.unknown_workloads.empty())
    text += fmt::format("there are no such workloads: {}\n", fmt::join(calibration.unknown_workloads, ", "));
  return text;
}

std::string to_text(const Calibration& calibration) {
  return point_text(calibration) + "\n" + summary_text(calibration);
}

std::string to_json(const Calibration& calibration, const Measurements& measurements) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.calibrate/1").field("measurements", measurements.file);
  json.key("conditions").begin_object();
  for (const auto& [key, text] : measurements.conditions) json.field(key, text);
  json.end_object().key("parameters").begin_array();
  const auto setting = [&json](std::string_view key, const config::Setting& value) {
    json.key(key);
    std::visit([&json](const auto& one) { json.value(one); }, value);
  };
  for (const StepFit& step : calibration.steps)
    for (const ParameterFit& fit : step.parameters) {
      json.begin_object().field("name", fit.parameter->path).field("unit", fit.parameter->unit);
      setting("before", fit.before);
      setting("after", fit.after);
      json.field("verdict", name_of(fit.verdict)).field("together", step.parameters.size() > 1);
      json.field("source", source_of(*step.step));
      const std::optional<double> none;
      const bool has_points = fit.verdict != Verdict::no_points;
      json.field("residual_before_pct", has_points ? 100 * step.residual_before : none);
      json.field("residual_after_pct", has_points ? 100 * step.residual_after : none);
      json.field("rise_below_pct", has_points ? 100 * fit.rise_below : none);
      json.field("rise_above_pct", has_points ? 100 * fit.rise_above : none);
      json.key("points").begin_array();
      for (const Point& point : step.points) {
        json.begin_object(true).field("name", point.row->label()).field("measured", *point.row->clock);
        json.field("before", point.problem.empty() ? point.before : none);
        json.field("after", point.problem.empty() ? point.after : none);
        json.field("problem", point.problem).end_object();
      }
      json.end_array().end_object();
    }
  json.end_array().field("unused", calibration.unused);
  json.key("unknown_workloads").begin_array(true);
  for (const std::string& name : calibration.unknown_workloads) json.value(name);
  return json.end_array().end_object().take();
}

std::string gpu_yaml(const Calibration& calibration, const Measurements& measurements, const std::string& base,
                     const std::vector<config::Override>& given) {
  std::map<std::string, std::string> sources;  // By path: what the file says of the value.
  for (const config::Override& one : given) sources[one.path] = "assumed: \"given to lockstep calibrate\"";
  for (const StepFit& step : calibration.steps)
    for (const ParameterFit& fit : step.parameters)
      if (is_set(fit.verdict))
        sources[fit.parameter->path] = fmt::format(
            "calibrated: {}", config::yaml_text(fmt::format("[M] {}: {}, mean error {} %", source_of(*step.step),
                                                            points_text(usable(step)), percent(step.residual_after))));
  std::vector<std::pair<std::string, std::string>> lines;
  for (const config::Parameter& parameter : config::gpu_parameters()) {
    const auto found = sources.find(parameter.path);
    if (found == sources.end()) continue;
    const config::Setting value = parameter.get(calibration.spec);
    const std::string text =
        std::holds_alternative<std::string>(value) ? config::yaml_text(config::to_text(value)) : config::to_text(value);
    lines.emplace_back(parameter.path, fmt::format("[{}, {}]", text, found->second));
  }
  std::string yaml = "# Written by lockstep calibrate. Sources: those of the file that this one extends, except\n";
  yaml += fmt::format("# [M] the microbenchmarks in {}", std::filesystem::path(measurements.file).filename().string());
  for (const auto& [key, text] : measurements.conditions) yaml += fmt::format(", {} {}", key, text);
  yaml += fmt::format("\nextends: {}\n", config::yaml_text(base));
  if (const std::string name = measurements.condition("GPU"); !name.empty())
    yaml += fmt::format("name: {}\n", config::yaml_text(name));
  return yaml + config::nested_yaml(lines);
}

}  // namespace lockstep::calibrate
