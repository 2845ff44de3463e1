#pragma once
// What workloads measured on a GPU, as tools/capture/measure writes it.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/error.hpp"

namespace lockstep::measurements {

/// One run of a workload.
struct Measurement {
  std::string workload;
  std::vector<std::pair<std::string, std::string>> settings;  ///< Arguments of the workload that were set.
  std::optional<double> clock;  ///< Cycles that the first warp timed itself; none when it timed nothing.
  SourceLocation where;
  std::vector<std::string> cells = {};  ///< One per column of the file.

  /// Null when it was left at its default.
  const std::string* setting(std::string_view name) const;
  /// "micro-chase footprint=8192 cache=ca".
  std::string label() const;
};

struct Measurements {
  std::string file;
  std::vector<std::pair<std::string, std::string>> conditions;  ///< `# KEY: TEXT` lines: GPU, driver, clocks.
  std::vector<Measurement> rows;
  std::vector<std::string> columns = {};

  /// The text of a condition, or "".
  std::string condition(std::string_view key) const;
  /// Of one of `columns`; none where the cell is empty or 0. InputError, with the place of the cell, when it is no number.
  std::optional<double> number(const Measurement& row, std::string_view column) const;
};

/// Reads a CSV file with the columns workload, settings and clock_first_thread; the others are kept as
/// text. All errors are reported together.
Measurements load_measurements(const std::string& path);

}  // namespace lockstep::measurements
