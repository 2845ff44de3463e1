// Exported tables as CSV and JSON.

#include <fmt/format.h>

#include "sim/experiment/results/exported_table.hpp"
#include "sim/stats/csv.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::experiment {

namespace {

using Cell = ExportedTable::Cell;

std::string csv_cell(const Cell& cell) {
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "true" : "false";
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&cell)) return stats::csv_field(*text);
  return "";
}

void add_cell(stats::JsonWriter& json, const Cell& cell) {
  if (const auto* flag = std::get_if<bool>(&cell)) {
    json.value(*flag);
  } else if (const auto* count = std::get_if<std::uint64_t>(&cell)) {
    json.value(*count);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    json.value(*number);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    json.value(*text);
  } else {
    json.null();
  }
}

}  // namespace

std::string exported_csv(const ExportedTable& table) {
  std::vector<std::string> line;
  for (const ExportedTable::Field& field : table.fields) line.push_back(stats::csv_field(field.name));
  std::string csv = fmt::format("{}\n", fmt::join(line, ","));
  for (const std::vector<Cell>& row : table.rows) {
    line.clear();
    for (const Cell& cell : row) line.push_back(csv_cell(cell));
    csv += fmt::format("{}\n", fmt::join(line, ","));
  }
  return csv;
}

std::string exported_json(const ExportedTable& table, const std::string& experiment) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.export/1").field("experiment", experiment).field("table", table.name);
  json.key("columns").begin_array();
  for (const ExportedTable::Field& field : table.fields) {
    json.begin_object(true).field("name", field.name).field("unit", field.unit).field("text", field.text).end_object();
  }
  json.end_array().key("rows").begin_array();
  for (const std::vector<Cell>& row : table.rows) {
    json.begin_object(true);
    for (std::size_t i = 0; i < row.size(); ++i) {
      json.key(table.fields[i].name);
      add_cell(json, row[i]);
    }
    json.end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace lockstep::experiment
