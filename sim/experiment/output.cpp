#include "sim/experiment/output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/check.hpp"
#include "sim/experiment/column.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::experiment {

namespace {

/// A swept value as JSON: a number or truth value where it was written as one.
void add_value(stats::JsonWriter& json, const config::Value& value) {
  if (!value.quoted) {
    if (value.text == "true" || value.text == "false") {
      json.value(value.text == "true");
      return;
    }
    try {
      json.value(value.as_number());
      return;
    } catch (const InputError&) {
    }
  }
  json.value(value.text);
}

void add_check(stats::JsonWriter& json, const CheckOutcome& check) {
  json.begin_object().field("says", check.says).field("source", check.source).key("holds");
  check.holds ? json.value(*check.holds) : json.null();
  json.field("verdict", verdict(check));
  if (!check.deviates.empty()) json.field("deviates", check.deviates);
  json.field("cases", std::uint64_t{check.combinations}).field("at", check.at);
  if (!check.message.empty()) json.field("message", check.message);
  json.key("values").begin_array();
  for (const CheckOutcome::Shown& value : check.values) {
    json.begin_object(true).field("name", value.name).field("simulated", value.simulated);
    json.field("published", value.published).end_object();
  }
  json.end_array().end_object();
}

/// The best reference, and the cycles of all.
void add_references(stats::JsonWriter& json, const PointResult& result) {
  const ReferenceResult& best = *best_reference(result);
  json.key("reference").begin_object().field("name", best.name).field("gpu", best.gpu);
  json.field("cycles", best.cycles).field("time_ms", best.time_ms).key("variants").begin_array();
  for (const ReferenceResult& one : result.references) {
    json.begin_object(true).field("name", one.name).field("gpu", one.gpu).field("cycles", one.cycles);
    json.field("time_ms", one.time_ms).field("warp_instructions", one.warp_instructions).end_object();
  }
  json.end_array().key("derived").begin_object();
  for (std::size_t i = 0; i < best.derived.size(); ++i)
    json.field(stats::derived_statistics()[i].name, best.derived[i]);
  json.end_object().end_object();
}

constexpr std::string_view derived_prefix = "derived.", hash_prefix = "hash.";

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  result += '"';
  return result;
}

}  // namespace

void add_fields(stats::JsonWriter& json, const PointResult& result, const Gain& gain) {
  json.field("gpu", result.gpu).field("workload", result.workload).field("status", name_of(result.status));
  if (!result.message.empty()) json.field("message", result.message);
  if (!result.has_numbers()) return;
  json.field("output_checked", result.checked);
  json.field("cycles", result.cycles).field("time_ms", result.time_ms);
  json.field("warp_instructions", result.warp_instructions).field("wall_s", result.wall_s);
  json.key("launches").begin_array();
  for (const gpu::LaunchResult& launch : result.launches) {
    json.begin_object(true).field("kernel", launch.kernel).field("cycles", std::uint64_t{launch.cycles});
    json.field("warp_instructions", launch.warp_instructions);
    json.field("blocks_per_sm", launch.occupancy.blocks).field("warps_per_sm", launch.occupancy.warps);
    json.field("occupancy_limit", launch.occupancy.limit).end_object();
  }
  json.end_array();
  if (!result.references.empty()) add_references(json, result);
  if (!result.hashes.empty()) json.key("hashes").begin_array();
  for (const SettledHash& hash : result.hashes) {
    json.begin_object(true).field("path", hash.path).field("hash", hash.spec);
    for (const HashColumn& column : hash_columns())
      json.field(column.name.substr(hash_prefix.size()), column.value(hash));
    json.end_object();
  }
  if (!result.hashes.empty()) json.end_array();
  json.key("notes").begin_array();
  for (const std::string& note : result.notes) json.value(note);
  json.end_array();
  json.key("stats").begin_object();
  for (std::size_t i = 0; i < result.statistics.size(); ++i) {
    json.field(stats::statistics()[i].name, result.statistics[i]);
  }
  json.end_object();
  json.key("derived").begin_object();
  for (std::size_t i = 0; i < result.derived.size(); ++i) {
    json.field(stats::derived_statistics()[i].name, result.derived[i]);
  }
  for (const GainColumn& named : gain_columns())
    if (gain.*named.value) json.field(named.name.substr(derived_prefix.size()), *(gain.*named.value));
  json.end_object();
}

std::string results_json(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.run/1").field("experiment", experiment.name);
  json.field("title", experiment.title).key("points").begin_array();
  const std::vector<Gain> gained = gains(experiment, points, outcome.results);
  for (std::size_t i = 0; i < points.size(); ++i) {
    json.begin_object().key("point").begin_object(true);
    for (const auto& [path, value] : points[i].swept) {
      json.key(path);
      add_value(json, value);
    }
    json.end_object();
    add_fields(json, outcome.results[i], gained[i]);
    json.end_object();
  }
  json.end_array();
  if (!experiment.checks.empty()) {
    json.key("checks").begin_array();
    for (const CheckOutcome& check : evaluate_checks(experiment, points, outcome.results)) add_check(json, check);
    json.end_array();
  }
  return json.end_object().take();
}

std::string results_csv(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome) {
  std::vector<std::string> fields;
  for (const Axis& axis : experiment.axes) {
    if (axis.path != "gpu" && axis.path != "workload") fields.push_back(axis.path);
  }
  for (const char* name : {"gpu", "workload", "status", "cycles", "time_ms", "warp_instructions"})
    fields.emplace_back(name);
  for (const stats::Statistic& statistic : stats::statistics()) fields.push_back(statistic.name);
  for (const stats::Derived& derived : stats::derived_statistics()) fields.push_back("derived." + derived.name);
  for (const GainColumn& named : gain_columns()) fields.push_back(named.name);
  const bool hashed =
      std::any_of(points.begin(), points.end(), [](const Point& point) { return !point.hashes.empty(); });
  if (hashed) fields.emplace_back("hash");
  if (hashed)
    for (const HashColumn& column : hash_columns()) fields.push_back(column.name);
  const bool compared =
      std::any_of(points.begin(), points.end(), [](const Point& point) { return !point.references.empty(); });
  if (compared)
    for (const ReferenceColumn& column : reference_columns()) fields.push_back(column.name);
  const std::vector<Gain> gained = gains(experiment, points, outcome.results);
  std::string csv = fmt::format("{}\n", fmt::join(fields, ","));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointResult& result = outcome.results[i];
    std::vector<std::string> line;
    for (const auto& [path, value] : points[i].swept) {
      if (path != "gpu" && path != "workload") line.push_back(csv_field(value.text));
    }
    line.push_back(csv_field(result.gpu));
    line.push_back(csv_field(result.workload));
    line.emplace_back(name_of(result.status));
    if (result.has_numbers()) {
      line.push_back(fmt::format("{}", result.cycles));
      line.push_back(fmt::format("{}", result.time_ms));
      line.push_back(fmt::format("{}", result.warp_instructions));
      for (const std::uint64_t count : result.statistics) line.push_back(fmt::format("{}", count));
      for (const auto& number : result.derived) line.push_back(number ? fmt::format("{}", *number) : "");
      for (const GainColumn& named : gain_columns()) {
        const std::optional<double>& number = gained[i].*named.value;
        line.push_back(number ? fmt::format("{}", *number) : "");
      }
    }
    if (result.has_numbers() && hashed) {
      line.push_back(csv_field(cell({"hash", "", "", {}, false}, points[i], result, gained[i])));
      for (const HashColumn& column : hash_columns()) {
        const auto found = number(column.name, points[i], result, gained[i]);
        line.push_back(found ? fmt::format("{}", *found) : "");
      }
    }
    if (const ReferenceResult* best = best_reference(result)) {
      line.resize(fields.size() - reference_columns().size());
      for (const ReferenceColumn& column : reference_columns())
        line.push_back(column.label != nullptr ? csv_field(column.label(*best))
                                               : fmt::format("{}", column.number(*best).value_or(0)));
    }
    line.resize(fields.size());
    csv += fmt::format("{}\n", fmt::join(line, ","));
  }
  return csv;
}

std::string results_table(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome) {
  stats::Table table;
  const std::vector<Gain> gained = gains(experiment, points, outcome.results);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<std::string> row;
    for (const Column& column : experiment.columns)
      row.push_back(cell(column, points[i], outcome.results[i], gained[i]));
    rows.push_back(std::move(row));
  }
  for (std::size_t c = 0; c < experiment.columns.size(); ++c) {
    const bool numbers = std::all_of(rows.begin(), rows.end(), [c](const std::vector<std::string>& row) {
      return row[c].find_first_not_of("0123456789.,-") == std::string::npos;
    });
    const Column& column = experiment.columns[c];
    table.column(column.header, numbers ? stats::Table::Align::right : stats::Table::Align::left, column.unit);
  }
  for (auto& row : rows) table.row(std::move(row));
  return table.text();
}

}  // namespace lockstep::experiment
