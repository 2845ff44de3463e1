#pragma once
// Clock intervals that microbenchmarks measured on a GPU, as tools/capture/measure writes them.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/error.hpp"

namespace lockstep::calibrate {

/// One run of a workload.
struct Measurement {
  std::string workload;
  std::vector<std::pair<std::string, std::string>> settings;  ///< Arguments of the workload that were set.
  std::optional<double> clock;  ///< Cycles that the first warp timed itself; none when it timed nothing.
  SourceLocation where;

  /// Null when it was left at its default.
  const std::string* setting(std::string_view name) const;
  /// "micro-chase footprint=8192 cache=ca".
  std::string label() const;
};

struct Measurements {
  std::string file;
  std::vector<std::pair<std::string, std::string>> conditions;  ///< `# KEY: TEXT` lines: GPU, driver, clocks.
  std::vector<Measurement> rows;

  /// The text of a condition, or "".
  std::string condition(std::string_view key) const;
};

/// Reads a CSV file with the columns workload, settings and clock_first_thread; others are left alone. All errors are
/// reported together.
Measurements load_measurements(const std::string& path);

}  // namespace lockstep::calibrate
