#include "sim/experiment/results/exported_table.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>

#include "isa/did_you_mean.hpp"
#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/columns/gain.hpp"

namespace lockstep::experiment {

namespace {

using Cell = ExportedTable::Cell;
using Field = ExportedTable::Field;
using Group = Column::Group;

Cell text_cell(std::string text) {
  return text.empty() ? Cell() : Cell(std::move(text));
}

/// A swept value by its type in the file.
Cell axis_cell(const config::Value* value) {
  if (value == nullptr) return {};
  if (value->quoted) return value->text;
  if (value->text == "true" || value->text == "false") return value->text == "true";
  try {
    const std::int64_t whole = value->as_integer();
    if (whole >= 0) return static_cast<std::uint64_t>(whole);
    return static_cast<double>(whole);
  } catch (const InputError&) {
  }
  try {
    return value->as_number();
  } catch (const InputError&) {
    return value->text;
  }
}

Cell cell_of(const Column& column, const Row& row) {
  if (column.group == Group::axis) return axis_cell(row.point == nullptr ? nullptr : row.point->at(column.name));
  return std::visit([](const auto& value) { return Cell(value); }, column.at(row));
}

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?[") != std::string::npos;
}

class Exporter {
 public:
  explicit Exporter(const StoredResults& results)
      : results_(results), gains_(gains(results.experiment, results.points, results.results)) {
    for (const Axis& axis : results.experiment.axes) axes_.push_back(axis_column(axis.path));
  }

  ExportedTable points(const ExportChoice& choice) const {
    std::vector<Column> chosen = choice.columns.empty() ? columns_with_values() : named(choice.columns);
    return choice.long_form ? long_points(chosen) : wide_points(std::move(chosen), choice.columns.empty());
  }

  ExportedTable launches() const {
    return of_points("launches",
                     {{"launch", "", "Number of the launch, from 0"},
                      {"kernel", "", "Name of the kernel"},
                      {"cycles", "cycles", "Cycles of the launch"},
                      {"warp_instructions", "instructions", "Warp instructions of the launch"},
                      {"blocks_per_sm", "blocks", "Thread blocks that fit on an SM"},
                      {"warps_per_sm", "warps", "Their warps"},
                      {"occupancy_limit", "", "What limits them"}},
                     [](const PointResult& result, const auto& add) {
                       for (std::size_t i = 0; i < result.launches.size(); ++i) {
                         const gpu::LaunchResult& one = result.launches[i];
                         add({std::uint64_t{i}, one.kernel, std::uint64_t{one.cycles}, one.warp_instructions,
                              std::uint64_t{one.occupancy.blocks}, std::uint64_t{one.occupancy.warps},
                              text_cell(one.occupancy.limit)});
                       }
                     });
  }

  ExportedTable references() const {
    return of_points("references",
                     {{"reference", "", "Workload and settings of the run"},
                      {"reference_gpu", "", "Its GPU"},
                      {"cycles", "cycles", "Its cycles"},
                      {"time_ms", "ms", "Its time"},
                      {"warp_instructions", "instructions", "Its warp instructions"}},
                     [](const PointResult& result, const auto& add) {
                       for (const ReferenceResult& one : result.references)
                         add({one.name, one.gpu, one.cycles, one.time_ms, one.warp_instructions});
                     });
  }

  ExportedTable hashes() const {
    std::vector<Field> fields = {{"path", "", "What takes the hash"}, {"hash", "", "Its SPEC"}};
    std::vector<const Column*> of_hash;
    for (const Column& one : columns()) {
      if (one.group != Group::hash) continue;
      of_hash.push_back(&one);
      fields.push_back({one.name, one.unit, one.text});
    }
    ExportedTable table = of_points("hashes", std::move(fields), [](const PointResult&, const auto&) {});
    for (std::size_t i = 0; i < results_.points.size(); ++i) {
      Row row = row_at(i);
      for (row.hash = 0; row.hash < row.result.hashes.size(); ++row.hash) {
        std::vector<Cell> cells = place(i);
        cells.emplace_back(row.result.hashes[row.hash].path);
        cells.emplace_back(row.result.hashes[row.hash].spec);
        for (const Column* one : of_hash) cells.push_back(cell_of(*one, row));
        table.rows.push_back(std::move(cells));
      }
    }
    return table;
  }

  ExportedTable checks() const {
    ExportedTable table{"checks",
                        {{"check", "", "Number of the check, from 0"},
                         {"says", "", "What is stated"},
                         {"source", "", "Who states it"},
                         {"verdict", "", "holds, DOES NOT HOLD, deviates, HOLDS NOW, or no answer"},
                         {"holds", "", "Whether it holds"},
                         {"deviates", "", "Why it is known not to hold"},
                         {"cases", "", "Combinations at which it was looked for"},
                         {"at", "", "The first one at which it does not hold, else the last"},
                         {"message", "", "Why there is no answer"}},
                        {}};
    for (const CheckOutcome& one : outcomes()) {
      table.rows.push_back({std::uint64_t{table.rows.size()}, one.says, text_cell(one.source),
                            std::string(verdict(one)), one.holds ? Cell(*one.holds) : Cell(), text_cell(one.deviates),
                            std::uint64_t{one.combinations}, text_cell(one.at), text_cell(one.message)});
    }
    return table;
  }

  ExportedTable check_values() const {
    ExportedTable table{"check-values",
                        {{"check", "", "Number of the check, from 0"},
                         {"name", "", "Of the value in the check's condition"},
                         {"simulated", "", "What the points came to"},
                         {"published", "", "What the source says"}},
                        {}};
    const std::vector<CheckOutcome> all = outcomes();
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const CheckOutcome::Shown& value : all[i].values)
        table.rows.push_back(
            {std::uint64_t{i}, value.name, value.simulated, value.published ? Cell(*value.published) : Cell()});
    }
    return table;
  }

 private:
  /// Told the cells of a row, but the point's place.
  using AddRow = std::function<void(std::vector<Cell>)>;

  std::vector<CheckOutcome> outcomes() const {
    return evaluate_checks(results_.experiment, results_.points, results_.results);
  }

  Row row_at(std::size_t i) const { return row_of(results_.points[i], results_.results[i], gains_[i]); }

  bool is_axis(const std::string& name) const {
    return std::any_of(axes_.begin(), axes_.end(), [&name](const Column& axis) { return axis.name == name; });
  }

  static Field field_of(const Column& column) { return {column.name, column.unit, column.text}; }
  static Field number_field() { return {"point", "", "Number of the point in the experiment, from 0"}; }

  /// What says which point a row is of: its number and its place on the axes.
  std::vector<Cell> place(std::size_t i) const {
    std::vector<Cell> cells{std::uint64_t{i}};
    for (const Column& axis : axes_) cells.push_back(cell_of(axis, row_at(i)));
    return cells;
  }
  std::vector<Field> place_fields() const {
    std::vector<Field> fields{number_field()};
    for (const Column& axis : axes_) fields.push_back(field_of(axis));
    return fields;
  }

  ExportedTable of_points(const char* name, std::vector<Field> fields,
                          const std::function<void(const PointResult&, const AddRow&)>& read) const {
    ExportedTable table{name, place_fields(), {}};
    for (Field& field : fields) table.fields.push_back(std::move(field));
    for (std::size_t i = 0; i < results_.points.size(); ++i) {
      read(results_.results[i], [&](std::vector<Cell> cells) {
        std::vector<Cell> row = place(i);
        for (Cell& cell : cells) row.push_back(std::move(cell));
        table.rows.push_back(std::move(row));
      });
    }
    return table;
  }

  /// Axes, and all that a point has but what depends on the machine that ran it and what only repeats the GPU's file.
  std::vector<Column> columns_with_values() const {
    std::vector<Column> found = axes_;
    for (const Column& one : columns()) {
      if (one.group == Group::parameter || one.is_left_out || is_axis(one.name)) continue;
      for (std::size_t i = 0; i < results_.points.size(); ++i) {
        const Row row = row_at(i);
        if (one.of_hashes && row.result.hashes.empty()) continue;
        if (std::holds_alternative<std::monostate>(one.at(row))) continue;
        found.push_back(one);
        break;
      }
    }
    return found;
  }

  std::vector<Column> named(const std::vector<std::string>& names) const {
    std::vector<Column> chosen;
    const auto add = [&chosen](const Column& one) {
      const auto same = [&one](const Column& other) { return other.name == one.name; };
      if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(one);
    };
    std::vector<std::string> known;
    for (const std::vector<Column>* from : {&axes_, &columns()})
      for (const Column& one : *from)
        if (from == &axes_ || !is_axis(one.name)) known.push_back(one.name);
    Diagnostics diagnostics;
    for (const std::string& name : names) {
      std::size_t found = 0;
      for (const std::string& one : known) {
        const bool fits = is_pattern(name) ? ::fnmatch(name.c_str(), one.c_str(), 0) == 0 : one == name;
        if (!fits) continue;
        ++found;
        add(is_axis(one) ? axis_column(one) : column(one));
      }
      if (found == 0)
        diagnostics.add({"--columns", 0, 0},
                        is_pattern(name) ? fmt::format("no column fits '{}'", name)
                                         : fmt::format("'{}' is neither swept nor a statistic{}", name,
                                                       did_you_mean(name, known, "; `lockstep list stats` shows all")));
    }
    diagnostics.throw_if_any();
    return chosen;
  }

  ExportedTable wide_points(std::vector<Column> chosen, bool numbered) const {
    ExportedTable table{"points", {}, {}};
    if (numbered) table.fields.push_back(number_field());
    for (const Column& one : chosen) table.fields.push_back(field_of(one));
    for (std::size_t i = 0; i < results_.points.size(); ++i) {
      std::vector<Cell> cells;
      if (numbered) cells.emplace_back(std::uint64_t{i});
      for (const Column& one : chosen) cells.push_back(cell_of(one, row_at(i)));
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

  ExportedTable long_points(const std::vector<Column>& chosen) const {
    ExportedTable table{"points", place_fields(), {}};
    table.fields.push_back({"name", "", "Name of the column"});
    table.fields.push_back({"value", "", "What the point has there"});
    table.fields.push_back({"unit", "", "Its unit"});
    for (std::size_t i = 0; i < results_.points.size(); ++i) {
      const std::vector<Cell> start = place(i);
      for (const Column& one : chosen) {
        if (one.group == Group::axis) continue;
        Cell value = cell_of(one, row_at(i));
        if (std::holds_alternative<std::monostate>(value)) continue;
        std::vector<Cell> cells = start;
        cells.emplace_back(one.name);
        cells.push_back(std::move(value));
        cells.push_back(text_cell(one.unit));
        table.rows.push_back(std::move(cells));
      }
    }
    return table;
  }

  const StoredResults& results_;
  std::vector<Gain> gains_;
  std::vector<Column> axes_;
};

}  // namespace

const std::vector<std::pair<std::string, std::string>>& exported_tables() {
  static const std::vector<std::pair<std::string, std::string>> tables = {
      {"points", "the points of the experiment, in its order"},
      {"launches", "the launches of each point"},
      {"references", "the runs that each point is compared with"},
      {"hashes", "what the named hashes of each point came to"},
      {"checks", "what sources state about the points, and whether it holds"},
      {"check-values", "the numbers of those checks"}};
  return tables;
}

ExportedTable exported_table(const StoredResults& results, const ExportChoice& choice) {
  if (choice.table != "points") {
    if (choice.long_form) throw InputError("--long is a form of the table points");
    if (!choice.columns.empty()) throw InputError("--columns chooses those of the table points");
  }
  const Exporter exporter(results);
  if (choice.table == "points") return exporter.points(choice);
  if (choice.table == "launches") return exporter.launches();
  if (choice.table == "references") return exporter.references();
  if (choice.table == "hashes") return exporter.hashes();
  if (choice.table == "checks") return exporter.checks();
  if (choice.table == "check-values") return exporter.check_values();
  std::vector<std::string> names;
  for (const auto& [name, text] : exported_tables()) names.push_back(name);
  throw InputError(
      fmt::format("there is no table '{}'{}", choice.table,
                  did_you_mean(choice.table, names, fmt::format("; there are: {}", fmt::join(names, ", ")))));
}

}  // namespace lockstep::experiment
