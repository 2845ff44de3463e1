// Reading measurement suites.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "isa/did_you_mean.hpp"
#include "sim/config/parameter.hpp"
#include "sim/config/tree_reader.hpp"
#include "sim/validate/accepted.hpp"
#include "sim/validate/measured_rows.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

namespace {

using config::Value;

const config::NamedFolder folder{"configs/measurements", true};

/// Paths that are neither a GPU parameter nor an argument of a workload.
const std::vector<std::string> own_paths = {"gpu",
                                            "workload",
                                            "probe.op",
                                            "probe.pattern",
                                            "probe.warps",
                                            "occupancy.threads",
                                            "occupancy.registers",
                                            "occupancy.scratchpad_bytes"};

using experiment::Axis;  ///< What the rows or the columns of a table stand for: "gpu", "case" or a path.

/// Reads one file.
class SuiteReader : config::TreeReader {
 public:
  SuiteReader(Suite& suite, config::ErrorList& errors) : TreeReader(errors), suite_(suite) {}

  void read() {
    part([&] {
      read_file();
      read_accepted(suite_, errors());
    });
  }

 private:
  using Cases = std::map<std::string, Settings>;

  void read_file() {
    const Value root = config::load_yaml(suite_.file);
    if (root.kind != Value::Kind::map)
      spoil(SourceLocation{suite_.file, 1, 1}, "a measurement suite is a map of title, source, tables, ...");
    check_keys(root, {"title", "source", "place", "grade", "method", "defects", "limits", "deviates", "calibrates",
                      "set", "cases", "measurements", "left_out", "tables", "statements"});
    suite_.title = text_of(root, "title");
    suite_.source = text_of(root, "source");
    suite_.place = text_of(root, "place");
    suite_.method = text_of(root, "method");
    suite_.grade = text_of(root, "grade");
    if (const Value* grade = root.find("grade"); grade != nullptr && std::string("ABCD").find(suite_.grade) > 3)
      note(grade->where, "grade is A (exact), B (resources), C (with conditions) or D (digitised or ratio)");
    if (const Value* defects = root.find("defects"); !is_empty(defects))
      for (const Value& item : items_of(*defects)) part([&] { suite_.defects.push_back(item.as_string()); });
    read_limits(root);
    suite_.deviates = text_or(root, "deviates", "");
    settings_ = settings_of(root.find("set"));
    calibrates_ = calibrates_of(root);
    cases_ = cases_of(root, {});
    read_measurements(root);
    read_left_out(root);
    for (const char* key : {"tables", "statements"}) {
      const Value* tables = root.find(key);
      if (is_empty(tables)) continue;
      if (tables->kind != Value::Kind::list) {
        note(tables->where, fmt::format("'{}' is a list", key));
        continue;
      }
      for (const Value& item : tables->items) part([&] { read_table(item, key == std::string("statements")); });
    }
    if (rows_) rows_->check_all_taken(errors());
    if (suite_.tables.empty()) note(root.where, "there are neither 'tables' nor 'statements'");
    check_names();
  }

  std::string text_of(const Value& map, std::string_view key, bool is_needed = true) {
    if (is_needed && is_empty(map.find(key))) note(map.where, fmt::format("there is no '{}'", key));
    return text_or(map, key, "");
  }

  void read_limits(const Value& root) {
    const Value* limits = root.find("limits");
    if (is_empty(limits)) return;
    check_keys(*limits, {"mean", "max", "direction"});
    const auto read = [&](const char* key, double& limit) {
      const Value* value = limits->find(key);
      if (value == nullptr) return;
      part([&] { limit = value->as_number(); });
      if (!(limit >= 0)) note(value->where, "a limit is a percentage from 0");
    };
    read("mean", suite_.limits.mean_pct);
    read("max", suite_.limits.max_pct);
    read("direction", suite_.limits.direction_pct);
  }

  /// The parameters that were set from what follows.
  std::vector<std::string> calibrates_of(const Value& map) {
    std::vector<std::string> paths;
    const Value* value = map.find("calibrates");
    if (is_empty(value)) return paths;
    for (const Value& item : items_of(*value)) {
      part([&] {
        const std::string path = item.as_string();
        if (config::find_gpu_parameter(path) == nullptr) {
          std::vector<std::string> known;
          for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
          spoil(item.where, fmt::format("'{}' is not a GPU parameter{}", path, did_you_mean(path, known)));
        }
        paths.push_back(path);
      });
    }
    return paths;
  }

  /// Parameters are set from microbenchmarks and probes, never from anything else.
  void check_calibrates(const Table& table) {
    for (const Cell& cell : table.cells) {
      for (const auto& [name, run] : table.runs) {
        std::string workload;
        bool is_probe = false;
        for (const Settings* settings : {&table.settings, &cell.settings, &run})
          for (const Setting& setting : *settings) {
            if (setting.path == "workload") workload = setting.value.text;
            is_probe = is_probe || setting.path == "probe.op";
          }
        if (workload.empty() ? is_probe : workload.starts_with("micro-")) continue;
        spoil(cell.where,
              fmt::format("'calibrates' goes with workloads micro-NAME and with probes; {}",
                          workload.empty() ? "here is neither" : fmt::format("the workload here is '{}'", workload)));
      }
    }
  }

  void check_path(const std::string& path, const SourceLocation& where) {
    if (path.starts_with("args.") || config::find_gpu_parameter(path) != nullptr) return;
    if (std::find(own_paths.begin(), own_paths.end(), path) != own_paths.end()) return;
    std::vector<std::string> known = own_paths;
    for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
    spoil(where, fmt::format("'{}' is not a GPU parameter, args.NAME, {}{}", path, fmt::join(own_paths, ", "),
                             did_you_mean(path, known)));
  }

  Settings settings_of(const Value* map) {
    Settings settings;
    if (is_empty(map)) return settings;
    if (map->kind != Value::Kind::map) {
      note(map->where, "a map from paths to values is needed");
      return settings;
    }
    for (const auto& [key, value] : map->entries) {
      part([&, &key = key, &value = value] {
        check_path(key.text, key.where);
        if (value.kind != Value::Kind::scalar) spoil(value.where, fmt::format("{} needs a single value", key.text));
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
      if (map->kind != Value::Kind::map) spoil(map->where, "a map from paths to lists of values is needed");
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
    spoil(label.where, fmt::format("'{}' is not a case{}", label.text, did_you_mean(label.text, names)));
  }

  void check_axis(const std::string& path, const SourceLocation& where) {
    if (path != "case") check_path(path, where);
  }

  Formula formula_of(const Value& map, const std::string& key) {
    const Value& value = needed(map, key);
    Formula formula{workload::Expression("0"), value.where};
    try {
      formula.expression = workload::Expression(value.as_string());
    } catch (const workload::ExpressionError& error) {
      spoil(value.where, fmt::format("'{}', character {}: {}", value.text, error.position() + 1, error.what()));
    }
    return formula;
  }

  void read_table(const Value& item, bool is_statement) {
    if (item.kind != Value::Kind::map) spoil(item.where, "a table is a map of name, published, ...");
    std::vector<std::string> keys = {"name", "text", "set", "runs", "cases", "over"};
    for (const char* key :
         {"unit", "value", "rows", "columns", "published", "measured", "reduce", "calibrates", "direction"})
      if (!is_statement) keys.push_back(key);
    if (is_statement) keys.push_back("check");
    check_keys(item, keys);
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
      read_direction(table, item);
      if (const Value* measured = item.find("measured"); !is_empty(measured))
        read_measured(table, item, *measured);
      else
        read_published(table, item, cases);
      table.calibrates = calibrates_;
      for (std::string& path : calibrates_of(item)) table.calibrates.push_back(std::move(path));
      if (!table.calibrates.empty()) part([&] { check_calibrates(table); });
    }
    suite_.tables.push_back(std::move(table));
  }

  void read_runs(Table& table, const Value* runs) {
    if (is_empty(runs)) {
      table.runs.emplace_back("", Settings{});
      return;
    }
    if (runs->kind != Value::Kind::map || runs->entries.empty())
      spoil(runs->where, "'runs' is a map from names to maps of paths and values");
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
      spoil(item.where, "'over' and 'reduce' need each other: what of several runs is the printed value");
    if (reduce == nullptr) return;
    const std::map<std::string, Reduction> known = {
        {"min", Reduction::minimum}, {"max", Reduction::maximum}, {"mean", Reduction::mean}};
    const auto found = known.find(reduce->as_string());
    if (found == known.end()) spoil(reduce->where, "'reduce' is min, max or mean");
    table.reduction = found->second;
  }

  void read_direction(Table& table, const Value& item) {
    const Value* direction = item.find("direction");
    if (is_empty(direction)) return;
    check_keys(*direction, {"from", "noise"});
    table.direction = Direction{needed(*direction, "from").as_number(), needed(*direction, "noise").as_number()};
    if (!(table.direction->noise_pct >= 0)) note(direction->where, "the noise is a percentage from 0");
  }

  /// The file beside the suite whose rows its tables share.
  void read_measurements(const Value& root) {
    const Value* file = root.find("measurements");
    if (is_empty(file)) return;
    const auto path = std::filesystem::path(suite_.file).parent_path() / file->as_string();
    named_at(file->where, [&] { rows_.emplace(measurements::load_measurements(path.string())); });
  }

  MeasuredRows& rows(const SourceLocation& where) {
    if (!rows_) spoil(where, "the suite names no file of 'measurements' that could be read");
    return *rows_;
  }

  RowSelection selection_of(const Value& map) {
    RowSelection selection{needed(map, "workload").as_string(), {}, map.where};
    if (const Value* arguments = map.find("args"); !is_empty(arguments))
      for (const auto& [name, values] : as_map(*arguments, "args").entries) {
        selection.arguments.push_back({name.text, {}});
        for (const Value& value : items_of(values)) selection.arguments.back().second.push_back(value.as_string());
      }
    return selection;
  }

  void read_measured(Table& table, const Value& item, const Value& measured) {
    for (const char* key : {"published", "rows", "columns", "cases"})
      if (item.find(key) != nullptr) spoil(item.where, fmt::format("a table is 'measured' or has '{}', not both", key));
    check_keys(measured, {"column", "workload", "args"});
    MeasuredRows& all = rows(measured.where);
    const std::string column = needed(measured, "column").as_string();
    if (measured.find("workload") != nullptr || measured.find("args") != nullptr) {
      table.cells = all.take(selection_of(measured), column);
      return;
    }
    for (const std::string& workload : all.workloads())
      for (Cell& cell : all.take({workload, {}, measured.where}, column)) {
        cell.row = workload + (cell.row.empty() ? "" : " ") + cell.row;
        table.cells.push_back(std::move(cell));
      }
  }

  void read_left_out(const Value& root) {
    const Value* left_out = root.find("left_out");
    if (!is_empty(left_out))
      for (const Value& item : items_of(*left_out))
        part([&] {
          check_keys(item, {"workload", "args", "reason"});
          const RowSelection selection = selection_of(item);
          const std::size_t count = rows(item.where).leave_out(selection);
          suite_.left_out += count;
          suite_.defects.push_back(fmt::format("{} rows are left out ({}): {}", count, selection.text(),
                                               needed(item, "reason").as_string()));
        });
  }

  void read_published(Table& table, const Value& item, const Cases& cases) {
    const Value* published = item.find("published");
    if (is_empty(published)) spoil(item.where, "there is no 'published'");
    Axis rows, columns;
    if (const Value* value = item.find("rows"); !is_empty(value)) {
      rows.path = value->as_string();
      check_axis(rows.path, value->where);
    }
    if (const Value* value = item.find("columns"); !is_empty(value)) {
      if (value->kind != Value::Kind::map || value->entries.size() != 1)
        spoil(value->where, "'columns' is a map of one path (or 'case') and its list of values");
      columns.path = value->entries[0].first.text;
      check_axis(columns.path, value->entries[0].first.where);
      columns.values = items_of(value->entries[0].second);
    }
    if (rows.path.empty()) {
      add_row(table, columns, cases, "", {}, *published);
      return;
    }
    if (published->kind != Value::Kind::map)
      spoil(published->where, fmt::format("with rows, 'published' is a map from {} to values", rows.path));
    for (const auto& [key, row] : published->entries)
      part([&, &key = key, &row = row] {
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
      spoil(row.where, fmt::format("{} values are needed, one per column", columns.values.size()));
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
      spoil(value.where, "a published value of 0 has no percentage error; make it a statement");
    table.cells.push_back(std::move(cell));
  }

  void check_names() {
    std::set<std::string> names;
    for (const Table& table : suite_.tables)
      for (const Cell& cell : table.cells)
        if (!names.insert(table.cell_name(cell)).second)
          note(cell.where, fmt::format("two points are named '{}'", table.cell_name(cell)));
  }

  Suite& suite_;
  Settings settings_;
  std::vector<std::string> calibrates_;
  Cases cases_;
  std::optional<MeasuredRows> rows_;
};

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
  config::ErrorList errors;
  std::vector<Suite> suites;
  for (const std::string& name : names.empty() ? suite_names() : names) {
    suites.push_back(located(name));
    SuiteReader(suites.back(), errors).read();
  }
  check_accepted_suites(suites, errors);
  errors.throw_if_any();
  return suites;
}

}  // namespace lockstep::validate
