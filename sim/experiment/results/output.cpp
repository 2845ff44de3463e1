#include "sim/experiment/results/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/repetitions.hpp"
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

using Group = Column::Group;

constexpr std::string_view derived_prefix = "derived.", hash_prefix = "hash.",
                           reference_derived_prefix = "reference.derived.";

std::vector<const Column*> columns_of(std::initializer_list<Group> groups) {
  std::vector<const Column*> found;
  for (const Group group : groups)
    for (const Column& one : columns())
      if (one.group == group) found.push_back(&one);
  return found;
}

void add_shown(stats::JsonWriter& json, const Shown& shown) {
  if (const auto* count = std::get_if<std::uint64_t>(&shown)) {
    json.value(*count);
  } else if (const auto* number = std::get_if<double>(&shown)) {
    json.value(*number);
  } else if (const auto* label = std::get_if<std::string>(&shown)) {
    json.value(*label);
  } else {
    json.null();
  }
}

/// A field for every column of a group, named without `prefix`.
void add_group(stats::JsonWriter& json, Group group, std::string_view prefix, const Row& row) {
  for (const Column* one : columns_of({group})) {
    json.key(one->name.substr(prefix.size()));
    add_shown(json, one->at(row));
  }
}

/// The best reference, and the cycles of all.
void add_references(stats::JsonWriter& json, const Row& row) {
  const ReferenceResult& best = *best_reference(row.result);
  json.key("reference").begin_object().field("name", best.name).field("gpu", best.gpu);
  json.field("cycles", best.cycles).field("time_ms", best.time_ms).key("variants").begin_array();
  for (const ReferenceResult& one : row.result.references) {
    json.begin_object(true).field("name", one.name).field("gpu", one.gpu).field("cycles", one.cycles);
    json.field("time_ms", one.time_ms).field("warp_instructions", one.warp_instructions).end_object();
  }
  json.end_array().key("derived").begin_object();
  add_group(json, Group::reference_derived, reference_derived_prefix, row);
  json.end_object().end_object();
}

/// The mean and the standard deviation of the table's columns, and of time and cycles, where points repeat each other.
void add_repetitions(stats::JsonWriter& json, const Experiment& experiment, const std::vector<Point>& points,
                     const RunOutcome& outcome, const std::vector<Gain>& gained) {
  std::vector<Column> shown{column("cycles"), column("time_ms")};
  for (const TableColumn& one : experiment.columns) {
    const auto same = [&](const Column& known) { return known.name == one.column.name; };
    if (one.column.group != Group::axis && std::none_of(shown.begin(), shown.end(), same)) shown.push_back(one.column);
  }
  json.key("repetitions").begin_array();
  for (const std::vector<std::size_t>& place : places(experiment, points)) {
    std::vector<Row> rows;
    for (const std::size_t i : place) rows.push_back(row_of(points[i], outcome.results[i], gained[i]));
    json.begin_object().key("point").begin_object(true);
    for (const Axis& axis : experiment.axes) {
      const config::Value* value = points[place.front()].at(axis.path);
      if (axis.repeated || value == nullptr) continue;
      json.key(axis.path);
      add_value(json, *value);
    }
    json.end_object().field("points", std::uint64_t{place.size()}).key("columns").begin_object();
    for (const Column& one : shown) {
      const std::optional<Spread> numbers = spread(one, rows);
      if (!numbers) continue;
      json.key(one.name).begin_object(true).field("mean", numbers->mean);
      json.field("standard_deviation", numbers->deviation).field("points", std::uint64_t{numbers->count}).end_object();
    }
    json.end_object().end_object();
  }
  json.end_array();
}

}  // namespace

void add_fields(stats::JsonWriter& json, const Row& given) {
  const PointResult& result = given.result;
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
  if (!result.references.empty()) add_references(json, given);
  Row row = given;
  if (!result.hashes.empty()) json.key("hashes").begin_array();
  for (row.hash = 0; row.hash < result.hashes.size(); ++row.hash) {
    const SettledHash& hash = result.hashes[row.hash];
    json.begin_object(true).field("path", hash.path).field("hash", hash.spec);
    add_group(json, Group::hash, hash_prefix, row);
    json.end_object();
  }
  if (!result.hashes.empty()) json.end_array();
  json.key("notes").begin_array();
  for (const std::string& note : result.notes) json.value(note);
  json.end_array();
  json.key("stats").begin_object();
  add_group(json, Group::statistic, "", given);
  json.end_object();
  json.key("derived").begin_object();
  add_group(json, Group::derived, derived_prefix, given);
  for (const Column* gain : columns_of({Group::gain}))
    if (const auto number = gain->number(given)) json.field(gain->name.substr(derived_prefix.size()), *number);
  json.end_object();
}

void add_fields(stats::JsonWriter& json, const PointResult& result) {
  static const Point none;
  add_fields(json, row_of(none, result));
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
    add_fields(json, row_of(points[i], outcome.results[i], gained[i]));
    json.end_object();
  }
  json.end_array();
  if (repeats(experiment)) add_repetitions(json, experiment, points, outcome, gained);
  if (!outcome.pictures.empty()) {
    json.key("pictures").begin_array();
    for (const std::string& picture : outcome.pictures) json.value(picture);
    json.end_array();
  }
  if (!experiment.checks.empty()) {
    json.key("checks").begin_array();
    for (const CheckOutcome& check : evaluate_checks(experiment, points, outcome.results)) add_check(json, check);
    json.end_array();
  }
  return json.end_object().take();
}

std::string results_csv(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome) {
  std::vector<Column> fields;
  for (const Axis& axis : experiment.axes)
    if (axis.path != "gpu" && axis.path != "workload") fields.push_back(axis_column(axis.path));
  for (const char* name : {"gpu", "workload", "status", "cycles", "time_ms", "warp_instructions"})
    fields.push_back(column(name));
  const auto add = [&fields](std::initializer_list<Group> groups) {
    for (const Column* one : columns_of(groups)) fields.push_back(*one);
  };
  add({Group::statistic, Group::derived, Group::gain});
  if (std::any_of(points.begin(), points.end(), [](const Point& point) { return !point.hashes.empty(); })) {
    fields.push_back(column("hash"));
    add({Group::hash});
  }
  if (std::any_of(points.begin(), points.end(), [](const Point& point) { return !point.references.empty(); }))
    add({Group::reference});
  const std::vector<Gain> gained = gains(experiment, points, outcome.results);
  std::vector<std::string> line;
  for (const Column& field : fields) line.push_back(field.name);
  std::string csv = fmt::format("{}\n", fmt::join(line, ","));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Row row = row_of(points[i], outcome.results[i], gained[i]);
    line.clear();
    for (const Column& field : fields) line.push_back(field.csv(row));
    csv += fmt::format("{}\n", fmt::join(line, ","));
  }
  return csv;
}

std::string results_table(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome) {
  stats::Table table;
  const std::vector<Gain> gained = gains(experiment, points, outcome.results);
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<std::size_t>& place : places(experiment, points)) {
    std::vector<Row> shown;
    for (const std::size_t i : place) shown.push_back(row_of(points[i], outcome.results[i], gained[i]));
    std::vector<std::string> row;
    for (const TableColumn& column : experiment.columns) row.push_back(cell(column, shown));
    rows.push_back(std::move(row));
  }
  for (std::size_t c = 0; c < experiment.columns.size(); ++c) {
    const bool numbers = std::all_of(rows.begin(), rows.end(), [c](const std::vector<std::string>& row) {
      return row[c].find_first_not_of("0123456789.,- \u00b1") == std::string::npos;
    });
    const TableColumn& column = experiment.columns[c];
    table.column(column.header, numbers ? stats::Table::Align::right : stats::Table::Align::left, column.unit);
  }
  for (auto& row : rows) table.row(std::move(row));
  return table.text();
}

}  // namespace lockstep::experiment
