#pragma once
// Measurement suites: published numbers with their source, and how the simulator obtains the same quantity. The format is
// described in configs/measurements/README.md.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/settings.hpp"
#include "sim/workload/expression/expression.hpp"

namespace lockstep::validate {

using experiment::Setting;   ///< Of a GPU parameter, "gpu", "workload", "args.NAME", "probe.NAME" or "occupancy.NAME".
using experiment::Settings;  ///< Later ones go before earlier ones of the same path.

/// An expression with its place.
struct Formula {
  workload::Expression expression{"0"};
  SourceLocation where;
};

/// One number of a printed table, or one combination of a statement: the settings that tell it from the others.
struct Cell {
  std::string row, column;  ///< Labels; "" where the table has no such axis.
  Settings settings;
  double measured = 0;  ///< Of a number.
  SourceLocation where;
};

enum class Reduction { none, minimum, maximum, mean };

/// What the numbers of a table are above or below: speed-ups are gains above 1 and losses below it.
struct Direction {
  double from = 1;
  double noise_pct = 0;  ///< A measured number that is this near to `from` names no direction.
};

/// A table of numbers, or a statement that is checked for every cell.
struct Table {
  std::string name, text, unit;
  SourceLocation where;
  Settings settings;
  /// What has to be run for one cell; the name is the prefix of its values, "" for a single one.
  std::vector<std::pair<std::string, Settings>> runs;
  Formula value;  ///< Of a statement: 0 where it does not hold.
  bool is_statement = false;
  std::vector<Cell> cells;
  std::vector<std::string> calibrates;  ///< Parameters of GPUs that were set from these numbers.
  std::optional<Direction> direction;
  std::vector<Settings> over;  ///< Every combination of what each cell is taken over; one empty set without.
  Reduction reduction = Reduction::none;

  /// "latency gtx580 4": unique in a suite.
  std::string cell_name(const Cell& cell) const;
};

/// A deviation that is known and explained.
struct AcceptedDeviation {
  std::string point, reason;
  double within_pct = 0;  ///< A larger error is not accepted. Of a statement: not used.
  SourceLocation where;
};

struct Limits {
  double mean_pct = 3, max_pct = 10;
  double direction_pct = 0;  ///< Least share of the numbers with a measured direction that are on its side.
};

struct Suite {
  std::string name, file;
  std::string title, source, place, grade, method;
  std::vector<std::string> defects;
  std::size_t left_out = 0;  ///< Rows of its file of measurements that are not compared; `defects` say which and why.
  Limits limits;
  std::string deviates;  ///< Why the limits do not hold, where they are known not to; then they must not.
  std::vector<Table> tables;
  std::map<std::string, AcceptedDeviation> accepted;  ///< By point.

  bool is_arithmetic() const { return grade == "B"; }  ///< Nothing is timed.
  std::size_t numbers() const;                         ///< Cells of tables of numbers.
  std::size_t statements() const;                      ///< Cells of statements.
};

/// Names of all suites in configs/measurements, sorted.
std::vector<std::string> suite_names();
/// Reads a suite by name or path, and its deviations accepted in accepted-deviations.yaml next to it. All errors of a file are
/// reported together.
Suite load_suite(const std::string& name_or_path);
/// The suites named, or all; the errors of all files are reported together, and so is an accepted deviation of a suite
/// that does not exist.
std::vector<Suite> load_suites(const std::vector<std::string>& names);

}  // namespace lockstep::validate
