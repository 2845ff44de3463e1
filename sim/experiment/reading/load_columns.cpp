// Reading the table of an experiment file.

#include "sim/experiment/reading/load_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/config/tree_reader.hpp"
#include "sim/experiment/settings.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;

class ColumnReader : config::TreeReader {
 public:
  ColumnReader(const std::vector<Axis>& axes, config::ErrorList& errors) : TreeReader(errors), axes_(axes) {}

  std::vector<TableColumn> read(const Value& table) {
    if (table.kind != Value::Kind::list) {
      note(table.where, "'table' is a list of columns");
      return {};
    }
    for (const Value& item : table.items) part([&] { read_column(item); });
    name_rows();
    return std::move(columns_);
  }

 private:
  void read_column(const Value& item) {
    const bool described = item.kind == Value::Kind::map;
    if (described) check_keys(item, {"column", "header", "decimals", "percent"});
    const Value& name = described ? needed(item, "column", "what the column shows") : item;
    TableColumn& column = columns_.emplace_back(named_column(name, axes_));
    if (!described) return;
    if (const Value* header = item.find("header")) column.header = header->as_string();
    if (const Value* percent = item.find("percent")) column.percent = percent->as_bool();
    if (column.percent) column.unit = std::string(1, '%');
    if (const Value* decimals = item.find("decimals")) {
      const std::int64_t count = decimals->as_integer();
      if (count < 0 || count > 9) spoil(decimals->where, fmt::format("decimals is {}, but must be 0 to 9", count));
      column.decimals = static_cast<int>(count);
    }
  }

  void name_rows() {
    const auto shows = [&](const Axis& axis) {
      return std::any_of(columns_.begin(), columns_.end(),
                         [&](const TableColumn& shown) { return shown.column.name == axis.path; });
    };
    if (std::any_of(axes_.begin(), axes_.end(), shows)) return;
    std::vector<TableColumn> names;
    for (const Axis& axis : axes_)
      if (!axis.repeated && axis.values.size() > 1) names.emplace_back(axis_column(axis.path));
    columns_.insert(columns_.begin(), names.begin(), names.end());
  }

  const std::vector<Axis>& axes_;
  std::vector<TableColumn> columns_;
};

}  // namespace

std::vector<TableColumn> read_columns(const Value& table, const std::vector<Axis>& axes, config::ErrorList& errors) {
  return ColumnReader(axes, errors).read(table);
}

std::vector<TableColumn> usual_columns(const std::vector<Axis>& axes, const Compared& compared) {
  std::vector<TableColumn> columns;
  for (const Axis& axis : axes)
    if (!axis.repeated) columns.emplace_back(axis_column(axis.path));
  std::vector<const char*> names = {"cycles", "time_ms"};
  if (compared.reference) names.push_back("reference.cycles");
  if (compared.baseline || compared.reference) names.push_back("derived.speedup");
  for (const char* name : names) columns.emplace_back(column(name));
  return columns;
}

}  // namespace lockstep::experiment
