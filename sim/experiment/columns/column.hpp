#pragma once
// What a point shows: every quantity that tables, CSV, JSON, checks, report and measurement suites name, declared once.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/config/value.hpp"

namespace lockstep::experiment {

struct Axis;
struct Gain;
struct Point;
struct PointResult;
struct Run;

/// A run with what came of it; one row of a table.
struct Row {
  const Run& run;
  const PointResult& result;
  const Gain& gain;
  const Point* point = nullptr;  ///< When the run is one: columns of axes show its values.
  std::size_t hash = 0;          ///< Which of the named hashes the columns of hashes show.
};
Row row_of(const Point& point, const PointResult& result, const Gain& gain);
Row row_of(const Point& point, const PointResult& result);  ///< Without a gain.

/// What a column shows in a row: nothing, a count, a number or a text.
using Shown = std::variant<std::monostate, std::uint64_t, double, std::string>;

/// A quantity that rows have.
struct Column {
  /// What belongs together, in the order of columns().
  enum class Group : std::uint8_t {
    run,                ///< What was run, and what came of it as a whole.
    statistic,          ///< stats::statistics().
    derived,            ///< stats::derived_statistics(), as "derived.NAME".
    gain,               ///< Over the baseline or the best reference.
    hash,               ///< Of a named hash.
    reference,          ///< Of the best reference.
    reference_derived,  ///< Of its derived statistics, as "reference.derived.NAME".
    clock,              ///< What the kernel times itself.
    residency,          ///< Of thread blocks and warps on an SM.
    probe,              ///< Of an access pattern.
    parameter,          ///< Of the GPU.
    axis                ///< A swept path; not in columns().
  };
  std::string name, unit, text;
  Group group = Group::run;
  std::function<Shown(const Row&)> shown;
  bool of_run = false;   ///< There also when the run came to no numbers.
  bool is_text = false;  ///< Shows texts, never numbers.
  /// Of an axis: the number that its text is.
  std::function<std::optional<double>(const Row&)> as_number = {};
  std::string absent = "it has no value in this run";  ///< Why there may be no value.
  /// Relates a time to that of another run: 1 where they are equal.
  bool is_speedup = false;
  /// Not exported unless it is named: it depends on the machine that ran the point, or repeats another column.
  bool is_left_out = false;
  bool of_hashes = false;  ///< Says nothing of a run without named hashes.

  /// What a row shows; nothing where there is no value.
  Shown at(const Row& row) const;
  /// The same as a number; none for texts.
  std::optional<double> number(const Row& row) const;
  /// As a field of CSV (RFC 4180).
  std::string csv(const Row& row) const;
};

/// Every column that does not belong to one experiment alone.
const std::vector<Column>& columns();
/// Null when there is none of this name.
const Column* find_column(std::string_view name);
/// The same; Bug when there is none.
const Column& column(std::string_view name);
/// The column of a swept path.
Column axis_column(const std::string& path);
/// The column that a file names: of an axis, or one of columns(). InputError, with the nearest name, when there is neither.
Column named_column(const config::Value& name, const std::vector<Axis>& axes);

/// Unit of what a name stands for, "" for plain numbers and unknown names.
std::string unit_of(std::string_view name);

/// A column of an experiment's table: what it shows and how.
struct TableColumn {
  explicit TableColumn(Column shown) : column(std::move(shown)), header(column.name), unit(column.unit) {}
  Column column;
  std::string header;           ///< The column's name when the file gives none.
  std::string unit;             ///< The column's, or "%".
  std::optional<int> decimals;  ///< Of a number; left out: as its kind suggests.
  bool percent = false;

  /// "-" when there is no value.
  std::string cell(const Row& row) const;
  /// A number as this column has it; `whole`: of numbers that are counts.
  std::string text(double number, bool whole) const;
};

}  // namespace lockstep::experiment
