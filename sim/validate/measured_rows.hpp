#pragma once
// The rows of a file of measurements, dealt out to the tables of a suite.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/error_list.hpp"
#include "sim/measurements/measurements.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

/// Rows of one workload that have one of the values at each argument; an argument that a row leaves out has its default.
struct RowSelection {
  std::string workload;
  std::vector<std::pair<std::string, std::vector<std::string>>> arguments;
  SourceLocation where;

  /// "micro-chase cache=ca footprint=4096,8192".
  std::string text() const;
};

/// A number, a row's in one column, goes to the first selection that has it.
class MeasuredRows {
 public:
  explicit MeasuredRows(measurements::Measurements measurements);

  /// Those that have rows, each once, in the order of the file.
  std::vector<std::string> workloads() const;
  /// The numbers of a column that are still there in the rows of a selection, as cells. The label is what a row sets and
  /// the selection does not determine; what was measured twice is "again". InputError when nothing is left for it, or a
  /// row has no number there.
  std::vector<Cell> take(const RowSelection& selection, const std::string& column);
  /// How many rows a selection has: from now on they are not compared. InputError when there is none.
  std::size_t leave_out(const RowSelection& selection);

  /// Notes every number that is still there, in a column of which other numbers of the same workload were taken.
  void check_all_taken(config::ErrorList& errors) const;

 private:
  /// What became of the rows of one workload in one column.
  struct Use {
    std::string workload, column;
    std::vector<bool> is_taken;  ///< By row of the file.
  };

  /// InputError when the file has no row of the workload.
  void require_workload(const RowSelection& selection) const;
  Use& use_of(const std::string& workload, const std::string& column);
  void for_each(const RowSelection& selection, std::vector<bool>& is_taken,
                const std::function<void(const measurements::Measurement&)>& use);
  using Defaults = std::vector<std::pair<std::string, std::string>>;

  const Defaults& defaults_of(const std::string& workload);
  /// The default of a workload's argument. InputError when it has no such argument.
  const std::string& default_of(const RowSelection& selection, const std::string& name);

  measurements::Measurements measurements_;
  std::vector<Use> uses_;
  std::vector<bool> is_left_out_;                           ///< By row.
  std::vector<std::pair<std::string, Defaults>> defaults_;  ///< By workload.
};

}  // namespace lockstep::validate
