// Reading measurement suites.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "sim/config/parameter.hpp"
#include "sim/validate/accepted.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

namespace {

using config::Value;

const std::string folder = "configs/measurements";

/// Paths that are neither a GPU parameter nor an argument of a workload.
const std::vector<std::string> own_paths = {"gpu",
                                            "workload",
                                            "probe.op",
                                            "probe.pattern",
                                            "probe.warps",
                                            "occupancy.threads",
                                            "occupancy.registers",
                                            "occupancy.scratchpad_bytes"};

std::vector<Value> items_of(const Value& value) {
  return value.kind == Value::Kind::list ? value.items : std::vector<Value>{value};
}

bool is_empty(const Value* value) {
  return value == nullptr || value->kind == Value::Kind::null;
}

using experiment::Axis;  ///< What the rows or the columns of a table stand for: "gpu", "case" or a path.

/// Reads one file; collects its mistakes.
class Reader {
 public:
  Reader(Suite& suite, Diagnostics& diagnostics) : suite_(suite), diagnostics_(diagnostics) {}

  void read() {
    const Value root = config::load_yaml(suite_.file);
    if (root.kind != Value::Kind::map)
      throw InputError(SourceLocation{suite_.file, 1, 1}, "a measurement suite is a map of title, source, tables, ...");
    config::check_keys(
        root,
        {"title", "source", "place", "grade", "method", "defects", "limits", "set", "cases", "tables", "statements"},
        diagnostics_);
    suite_.title = text_of(root, "title");
    suite_.source = text_of(root, "source");
    suite_.place = text_of(root, "place");
    suite_.method = text_of(root, "method");
    suite_.grade = text_of(root, "grade");
    if (const Value* grade = root.find("grade"); grade != nullptr && std::string("ABCD").find(suite_.grade) > 3)
      diagnostics_.add(grade->where,
                       "grade is A (exact), B (resources), C (with conditions) or D (digitised or ratio)");
    if (const Value* defects = root.find("defects"); !is_empty(defects))
      for (const Value& item : items_of(*defects)) collect([&] { suite_.defects.push_back(item.as_string()); });
    read_limits(root);
    settings_ = settings_of(root.find("set"));
    cases_ = cases_of(root, {});
    for (const char* key : {"tables", "statements"}) {
      const Value* tables = root.find(key);
      if (is_empty(tables)) continue;
      if (tables->kind != Value::Kind::list) {
        diagnostics_.add(tables->where, fmt::format("'{}' is a list", key));
        continue;
      }
      for (const Value& item : tables->items) collect([&] { read_table(item, key == std::string("statements")); });
    }
    if (suite_.tables.empty()) diagnostics_.add(root.where, "there are neither 'tables' nor 'statements'");
    check_names();
  }

 private:
  using Cases = std::map<std::string, Settings>;

  template <class Read>
  void collect(Read read) {
    try {
      read();
    } catch (const InputError& error) {
      diagnostics_.add(error);
    }
  }

  std::string text_of(const Value& map, std::string_view key, bool needed = true) {
    const Value* value = map.find(key);
    std::string text;
    if (!is_empty(value)) {
      collect([&] { text = value->as_string(); });
    } else if (needed) {
      diagnostics_.add(map.where, fmt::format("there is no '{}'", key));
    }
    return text;
  }

  void read_limits(const Value& root) {
    const Value* limits = root.find("limits");
    if (is_empty(limits)) return;
    config::check_keys(*limits, {"mean", "max"}, diagnostics_);
    const auto read = [&](const char* key, double& limit) {
      const Value* value = limits->find(key);
      if (value == nullptr) return;
      collect([&] { limit = value->as_number(); });
      if (!(limit >= 0)) diagnostics_.add(value->where, "a limit is a percentage from 0");
    };
    read("mean", suite_.limits.mean_pct);
    read("max", suite_.limits.max_pct);
  }

  void check_path(const std::string& path, const SourceLocation& where) {
    if (path.starts_with("args.") || config::find_gpu_parameter(path) != nullptr) return;
    if (std::find(own_paths.begin(), own_paths.end(), path) != own_paths.end()) return;
    std::vector<std::string> known = own_paths;
    for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
    const std::string near = nearest_name(path, known);
    throw InputError(where,
                     fmt::format("'{}' is not a GPU parameter, args.NAME, {}{}", path, fmt::join(own_paths, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }

  Settings settings_of(const Value* map) {
    Settings settings;
    if (is_empty(map)) return settings;
    if (map->kind != Value::Kind::map) {
      diagnostics_.add(map->where, "a map from paths to values is needed");
      return settings;
    }
    for (const auto& [key, value] : map->entries) {
      collect([&, &key = key, &value = value] {
        check_path(key.text, key.where);
        if (value.kind != Value::Kind::scalar)
          throw InputError(value.where, fmt::format("{} needs a single value", key.text));
        settings.push_back({key.text, value});
      });
    }
    return settings;
  }

  /// The suite's cases and, before them, the table's own.
  Cases cases_of(const Value& map, Cases cases) {
    const Value* value = map.find("cases");
    if (is_empty(value)) return cases;
    for (const auto& [key, settings] : value->entries) cases[key.text] = settings_of(&settings);
    return cases;
  }

  /// A list of values for each of several paths: every combination, the last path fastest.
  std::vector<Settings> combinations_of(const Value* map) {
    std::vector<Axis> axes;
    if (!is_empty(map)) {
      if (map->kind != Value::Kind::map) throw InputError(map->where, "a map from paths to lists of values is needed");
      for (const auto& [key, list] : map->entries) {
        check_path(key.text, key.where);
        axes.push_back({key.text, items_of(list)});
      }
    }
    return experiment::combinations(axes);
  }

  /// The settings that a label of an axis stands for.
  Settings settings_of_label(const Axis& axis, const Value& label, const Cases& cases) {
    if (axis.path != "case") return {{axis.path, label}};
    const auto found = cases.find(label.text);
    if (found != cases.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, settings] : cases) names.push_back(name);
    const std::string near = nearest_name(label.text, names);
    throw InputError(label.where, fmt::format("'{}' is not a case{}", label.text,
                                              near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }

  void check_axis(const std::string& path, const SourceLocation& where) {
    if (path != "case") check_path(path, where);
  }

  Formula formula_of(const Value& map, const std::string& key) {
    const Value* value = map.find(key);
    if (is_empty(value)) throw InputError(map.where, fmt::format("there is no '{}'", key));
    Formula formula{workload::Expression("0"), value->where};
    try {
      formula.expression = workload::Expression(value->as_string());
    } catch (const workload::ExpressionError& error) {
      throw InputError(value->where,
                       fmt::format("'{}', character {}: {}", value->text, error.position() + 1, error.what()));
    }
    return formula;
  }

  void read_table(const Value& item, bool is_statement) {
    if (item.kind != Value::Kind::map) throw InputError(item.where, "a table is a map of name, published, ...");
    std::vector<std::string> keys = {"name", "text", "set", "runs", "cases", "over"};
    for (const char* key : {"unit", "value", "rows", "columns", "published", "reduce"})
      if (!is_statement) keys.push_back(key);
    if (is_statement) keys.push_back("check");
    config::check_keys(item, keys, diagnostics_);
    Table table;
    table.where = item.where;
    table.is_statement = is_statement;
    table.name = text_of(item, "name");
    table.text = text_of(item, "text", is_statement);
    table.unit = text_of(item, "unit", false);
    table.value = formula_of(item, is_statement ? "check" : "value");
    table.settings = settings_;
    for (Setting& setting : settings_of(item.find("set"))) table.settings.push_back(std::move(setting));
    read_runs(table, item.find("runs"));
    const Cases cases = cases_of(item, cases_);
    if (is_statement) {
      read_statement(table, item);
    } else {
      table.over = combinations_of(item.find("over"));
      read_reduction(table, item);
      read_published(table, item, cases);
    }
    suite_.tables.push_back(std::move(table));
  }

  void read_runs(Table& table, const Value* runs) {
    if (is_empty(runs)) {
      table.runs.emplace_back("", Settings{});
      return;
    }
    if (runs->kind != Value::Kind::map || runs->entries.empty())
      throw InputError(runs->where, "'runs' is a map from names to maps of paths and values");
    for (const auto& [key, value] : runs->entries) table.runs.emplace_back(key.text, settings_of(&value));
  }

  void read_statement(Table& table, const Value& item) {
    table.over = {{}};
    const Value* over = item.find("over");
    for (Settings& settings : combinations_of(over)) {
      Cell cell;
      cell.where = item.where;
      std::vector<std::string> labels;
      for (const Setting& setting : settings) labels.push_back(setting.value.text);
      cell.column = fmt::format("{}", fmt::join(labels, " "));
      cell.settings = std::move(settings);
      table.cells.push_back(std::move(cell));
    }
  }

  void read_reduction(Table& table, const Value& item) {
    const Value* reduce = item.find("reduce");
    const bool several = item.find("over") != nullptr;
    if (several != (reduce != nullptr))
      throw InputError(item.where, "'over' and 'reduce' need each other: what of several runs is the printed value");
    if (reduce == nullptr) return;
    const std::map<std::string, Reduction> known = {
        {"min", Reduction::minimum}, {"max", Reduction::maximum}, {"mean", Reduction::mean}};
    const auto found = known.find(reduce->as_string());
    if (found == known.end()) throw InputError(reduce->where, "'reduce' is min, max or mean");
    table.reduction = found->second;
  }

  void read_published(Table& table, const Value& item, const Cases& cases) {
    const Value* published = item.find("published");
    if (is_empty(published)) throw InputError(item.where, "there is no 'published'");
    Axis rows, columns;
    if (const Value* value = item.find("rows"); !is_empty(value)) {
      rows.path = value->as_string();
      check_axis(rows.path, value->where);
    }
    if (const Value* value = item.find("columns"); !is_empty(value)) {
      if (value->kind != Value::Kind::map || value->entries.size() != 1)
        throw InputError(value->where, "'columns' is a map of one path (or 'case') and its list of values");
      columns.path = value->entries[0].first.text;
      check_axis(columns.path, value->entries[0].first.where);
      columns.values = items_of(value->entries[0].second);
    }
    if (rows.path.empty()) {
      add_row(table, columns, cases, "", {}, *published);
      return;
    }
    if (published->kind != Value::Kind::map)
      throw InputError(published->where, fmt::format("with rows, 'published' is a map from {} to values", rows.path));
    for (const auto& [key, row] : published->entries)
      collect([&, &key = key, &row = row] {
        add_row(table, columns, cases, key.text, settings_of_label(rows, key, cases), row);
      });
  }

  void add_row(Table& table, const Axis& columns, const Cases& cases, const std::string& label,
               const Settings& settings, const Value& row) {
    if (columns.path.empty()) {
      add_cell(table, label, "", settings, row);
      return;
    }
    if (row.kind != Value::Kind::list || row.items.size() != columns.values.size())
      throw InputError(row.where, fmt::format("{} values are needed, one per column", columns.values.size()));
    for (std::size_t i = 0; i < row.items.size(); ++i) {
      Settings both = settings;
      for (Setting& setting : settings_of_label(columns, columns.values[i], cases)) both.push_back(std::move(setting));
      add_cell(table, label, columns.values[i].text, std::move(both), row.items[i]);
    }
  }

  void add_cell(Table& table, const std::string& row, const std::string& column, Settings settings,
                const Value& value) {
    if (value.kind == Value::Kind::null) return;  // not published
    Cell cell{row, column, std::move(settings), value.as_number(), value.where};
    if (!(std::abs(cell.measured) > 0))
      throw InputError(value.where, "a published value of 0 has no percentage error; make it a statement");
    table.cells.push_back(std::move(cell));
  }

  void check_names() {
    std::set<std::string> names;
    for (const Table& table : suite_.tables)
      for (const Cell& cell : table.cells)
        if (!names.insert(table.cell_name(cell)).second)
          diagnostics_.add(cell.where, fmt::format("two points are named '{}'", table.cell_name(cell)));
  }

  Suite& suite_;
  Diagnostics& diagnostics_;
  Settings settings_;
  Cases cases_;
};

void read_suite(Suite& suite, Diagnostics& diagnostics) {
  try {
    Reader(suite, diagnostics).read();
    read_accepted(suite, diagnostics);
  } catch (const InputError& error) {
    diagnostics.add(error);
  }
}

/// The suite's name and file, nothing else yet.
Suite located(const std::string& name_or_path) {
  Suite suite;
  suite.file = config::find_named_file(folder, name_or_path);
  suite.name = std::filesystem::path(suite.file).stem().string();
  return suite;
}

}  // namespace

std::string Table::cell_name(const Cell& cell) const {
  std::string whole = name;
  for (const std::string& label : {cell.row, cell.column})
    if (!label.empty()) whole += " " + label;
  return whole;
}

std::size_t Suite::numbers() const {
  std::size_t count = 0;
  for (const Table& table : tables) count += table.is_statement ? 0 : table.cells.size();
  return count;
}

std::size_t Suite::statements() const {
  std::size_t count = 0;
  for (const Table& table : tables) count += table.is_statement ? table.cells.size() : 0;
  return count;
}

std::vector<std::string> suite_names() {
  std::vector<std::string> names = config::list_named_files(folder);
  std::erase(names, accepted_name);
  return names;
}

Suite load_suite(const std::string& name_or_path) {
  return load_suites({name_or_path}).front();
}

std::vector<Suite> load_suites(const std::vector<std::string>& names) {
  Diagnostics diagnostics;
  std::vector<Suite> suites;
  for (const std::string& name : names.empty() ? suite_names() : names) {
    suites.push_back(located(name));
    read_suite(suites.back(), diagnostics);
  }
  check_accepted_suites(suites, diagnostics);
  diagnostics.throw_if_any();
  return suites;
}

}  // namespace lockstep::validate
