#include "sim/validate/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::validate {

namespace {

using stats::JsonWriter;
using TextTable = stats::Table;

std::string percent_text(double value) {
  return fmt::format("{:.2f}", value);
}

std::string correlation_text(const std::optional<double>& correlation) {
  return correlation ? fmt::format("{:.4f}", *correlation) : "-";
}

std::string remark(const PointOutcome& point, const Limits& limits) {
  if (!point.simulated) return "NOT RUN";
  if (point.is_accepted()) return "accepted";
  if (point.is_statement) return "";
  return std::abs(error_pct(point.comparison())) > limits.max_pct ? "beyond the limit" : "";
}

/// Below a suite's table: what could not be run, and what is accepted; equal reasons once.
std::string explanations(const SuiteOutcome& suite) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  const auto add = [&](const std::string& reason, const std::string& point) {
    for (auto& [known, points] : reasons)
      if (known == reason) return points.push_back(point);
    reasons.push_back({reason, {point}});
  };
  for (const PointOutcome& point : suite.points) {
    if (!point.problem.empty()) add("not run: " + point.problem, point.name);
    if (point.is_accepted())
      add(fmt::format("accepted within {:g} %: {}", point.accepted->within_pct, point.accepted->reason), point.name);
    if (point.accepted != nullptr && point.simulated && !point.is_accepted())
      add("listed as an accepted deviation, but it deviates more, or holds", point.name);
  }
  std::string text;
  for (const auto& [reason, points] : reasons) {
    const std::string which =
        points.size() == 1 ? points.front() : fmt::format("{} and {} more", points.front(), points.size() - 1);
    text += fmt::format("  {}: {}\n", which, reason);
  }
  return text;
}

std::string suite_text(const SuiteOutcome& suite) {
  std::string text = fmt::format("{}: {}\n", suite.suite->name, suite.suite->title);
  TextTable table;
  table.column("point", TextTable::Align::left);
  table.column("measured", TextTable::Align::right);
  table.column("simulated", TextTable::Align::right);
  table.column("unit", TextTable::Align::left);
  table.column("error", TextTable::Align::right, "%");
  table.column("", TextTable::Align::left);
  table.column("", TextTable::Align::left);
  bool has_numbers = false;
  for (const PointOutcome& point : suite.points) {
    if (point.is_statement) continue;
    has_numbers = true;
    table.row({point.name, number_text(point.measured), point.simulated ? number_text(*point.simulated) : "-",
               point.unit, point.simulated ? fmt::format("{:+.2f}", error_pct(point.comparison())) : "-",
               point.is_calibrated ? "calibrated" : "predicted", remark(point, suite.suite->limits)});
  }
  if (has_numbers) text += table.text();
  TextTable statements;
  statements.column("statement", TextTable::Align::left);
  statements.column("holds", TextTable::Align::left);
  for (const PointOutcome& point : suite.points)
    if (point.is_statement)
      statements.row({point.name, !point.simulated      ? "NOT RUN"
                                  : point.holds         ? "yes"
                                  : point.is_accepted() ? "no (accepted)"
                                                        : "NO"});
  if (suite.statements > 0) text += (has_numbers ? "\n" : "") + statements.text();
  if (suite.directions.numbers > 0) text += fmt::format("  {}\n", direction_text(suite.directions));
  if (!suite.suite->deviates.empty()) text += fmt::format("  deviates: {}\n", suite.suite->deviates);
  return text + explanations(suite);
}

void add_accuracy(JsonWriter& json, const Accuracy& accuracy) {
  json.field("mean_abs_pct", accuracy.mean_abs_pct).field("median_abs_pct", accuracy.median_abs_pct);
  json.field("p90_abs_pct", accuracy.p90_abs_pct).field("max_abs_pct", accuracy.max_abs_pct);
  json.field("correlation", accuracy.correlation).field("points_compared", std::uint64_t{accuracy.points});
}

void add_summary(JsonWriter& json, const Summary& outcome) {
  const auto part = [&](const char* name, const Accuracy& accuracy) {
    json.key(name).begin_object(true);
    add_accuracy(json, accuracy);
    json.end_object();
  };
  part("with_accepted", outcome.with_accepted);
  part("calibrated", outcome.calibrated);
  part("predicted", outcome.predicted);
  part("null_model", outcome.null_model);
  const Directions& directions = outcome.directions;
  json.key("directions").begin_object(true).field("numbers", std::uint64_t{directions.numbers});
  json.field("right", std::uint64_t{directions.right}).field("beyond_noise", std::uint64_t{directions.clear_numbers});
  json.field("right_beyond_noise", std::uint64_t{directions.clear_right}).end_object();
  json.field("accepted", std::uint64_t{outcome.accepted}).field("not_run", std::uint64_t{outcome.not_run});
  json.field("statements", std::uint64_t{outcome.statements});
  json.field("statements_failed", std::uint64_t{outcome.statements_failed}).field("holds", outcome.holds);
}

void add_point(JsonWriter& json, const PointOutcome& point) {
  json.begin_object(true).field("name", point.name).field("measured", point.measured);
  json.field("simulated", point.simulated);
  json.field("error_pct", point.simulated ? std::optional<double>(error_pct(point.comparison())) : std::nullopt);
  json.field("unit", point.unit).field("gpu", point.gpu).field("calibrated", point.is_calibrated);
  json.field("accepted", point.is_accepted());
  if (point.is_accepted()) json.field("reason", point.accepted->reason);
  if (!point.problem.empty()) json.field("problem", point.problem);
  json.end_object();
}

void add_statement(JsonWriter& json, const PointOutcome& point, const Table& table) {
  json.begin_object(true).field("name", point.name).field("text", table.text);
  json.key("holds");
  point.simulated ? json.value(point.holds) : json.null();
  json.field("gpu", point.gpu).field("accepted", point.is_accepted());
  if (point.is_accepted()) json.field("reason", point.accepted->reason);
  if (!point.problem.empty()) json.field("problem", point.problem);
  json.end_object();
}

}  // namespace

std::string number_text(double value) {
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string verdict(const SuiteOutcome& suite) {
  if (!suite.holds) return "NO";
  return suite.suite->deviates.empty() ? "yes" : "deviates";
}
std::string verdict(const Validation& validation) {
  return validation.holds ? "yes" : "NO";
}

std::string direction_text(const Directions& directions) {
  return fmt::format("direction right in {} of {} that differ by more than the noise, in {} of all {}",
                     directions.clear_right, directions.clear_numbers, directions.right, directions.numbers);
}

std::string summary_text(const Validation& validation) {
  TextTable table;
  table.column("suite", TextTable::Align::left);
  for (const char* name : {"points", "of them accepted", "not run"}) table.column(name, TextTable::Align::right);
  for (const char* name : {"mean", "median", "p90", "maximum"}) table.column(name, TextTable::Align::right, "%");
  for (const char* name : {"calibrated", "predicted", "null model"})
    table.column(name, TextTable::Align::right, "mean %");
  table.column("correlation", TextTable::Align::right);
  table.column("statements", TextTable::Align::right);
  table.column("holds", TextTable::Align::left);
  const auto row = [&](const std::string& name, const Summary& outcome, const std::string& holds) {
    const Accuracy& accuracy = outcome.with_accepted;
    const auto percent = [&](double value) { return accuracy.points == 0 ? "-" : percent_text(value); };
    const auto mean = [&](const Accuracy& part) { return part.points == 0 ? "-" : percent_text(part.mean_abs_pct); };
    const std::size_t failed = outcome.statements_failed;
    table.row({name, std::to_string(accuracy.points), std::to_string(outcome.accepted), std::to_string(outcome.not_run),
               percent(accuracy.mean_abs_pct), percent(accuracy.median_abs_pct), percent(accuracy.p90_abs_pct),
               percent(accuracy.max_abs_pct), mean(outcome.calibrated), mean(outcome.predicted),
               mean(outcome.null_model), correlation_text(accuracy.correlation),
               outcome.statements == 0 ? "-"
               : failed == 0           ? fmt::format("{}", outcome.statements)
                                       : fmt::format("{}, {} false", outcome.statements, failed),
               holds});
  };
  for (const SuiteOutcome& suite : validation.suites) row(suite.suite->name, suite, verdict(suite));
  row("all that is timed", validation, verdict(validation));
  std::string text = table.text();
  text += fmt::format(
      "Parameters were set from {} numbers; {} are predicted. The null model is the best constant for a GPU's numbers "
      "of a "
      "suite.\n",
      validation.calibrated.points, validation.predicted.points);
  for (const SuiteOutcome& suite : validation.suites)
    if (suite.directions.numbers > 0)
      text += fmt::format("{}: {}.\n", suite.suite->name, direction_text(suite.directions));
  if (validation.accepted > 0) {
    const Accuracy& accuracy = validation.accuracy;
    text += fmt::format(
        "Without the {} accepted deviations: {} points, mean {} %, median {} %, p90 {} %, maximum {} %, correlation "
        "{}\n",
        validation.accepted, accuracy.points, percent_text(accuracy.mean_abs_pct),
        percent_text(accuracy.median_abs_pct), percent_text(accuracy.p90_abs_pct), percent_text(accuracy.max_abs_pct),
        correlation_text(accuracy.correlation));
  }
  return text;
}

std::string to_text(const Validation& validation) {
  std::string text;
  for (const SuiteOutcome& suite : validation.suites) text += suite_text(suite) + "\n";
  return text + summary_text(validation);
}

std::string to_json(const Validation& validation) {
  JsonWriter json;
  json.begin_object().field("schema", "lockstep.validate/1").key("suites").begin_array();
  for (const SuiteOutcome& suite : validation.suites) {
    json.begin_object().field("suite", suite.suite->name).field("title", suite.suite->title);
    json.field("source", suite.suite->source).field("place", suite.suite->place).field("grade", suite.suite->grade);
    json.key("points").begin_array();
    for (const PointOutcome& point : suite.points)
      if (!point.is_statement) add_point(json, point);
    json.end_array().key("checks").begin_array();
    for (const PointOutcome& point : suite.points) {
      if (!point.is_statement) continue;
      const auto table = std::find_if(suite.suite->tables.begin(), suite.suite->tables.end(),
                                      [&](const Table& t) { return t.name == point.table; });
      add_statement(json, point, *table);
    }
    json.end_array();
    add_accuracy(json, suite.accuracy);
    json.key("limits").begin_object(true).field("mean", suite.suite->limits.mean_pct);
    json.field("max", suite.suite->limits.max_pct);
    json.field("direction", suite.suite->limits.direction_pct).end_object();
    if (!suite.suite->deviates.empty()) json.field("deviates", suite.suite->deviates);
    add_summary(json, suite);
    json.end_object();
  }
  json.end_array().key("total").begin_object();
  add_accuracy(json, validation.accuracy);
  add_summary(json, validation);
  return json.end_object().end_object().take();
}

}  // namespace lockstep::validate
