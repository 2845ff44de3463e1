#pragma once
// What the points of a workload are compared with: runs of other workloads, of which the fastest counts.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/parameter.hpp"

namespace lockstep::experiment {

struct Point;
struct PointResult;

/// One run, or one for each combination of its settings, as an experiment file specifies it.
struct Reference {
  std::string path, name;              ///< Of the workload.
  std::vector<std::string> arguments;  ///< That the workload has, by name.
  std::optional<std::size_t> gpu;      ///< Of Experiment::reference_gpus; left out: the point's own.
  /// Paths with one value or several; the last path changes fastest.
  std::vector<std::pair<std::string, std::vector<config::Value>>> settings;

  /// Every combination of the values.
  std::vector<std::vector<config::Override>> combinations() const;
};

/// "rgpu-stencil-tiled args.block_x=64": workload and settings of a reference's run.
std::string reference_name(const Point& reference);

/// What one run of a reference came to.
struct ReferenceResult {
  std::string name, gpu;
  std::uint64_t cycles = 0, warp_instructions = 0;
  double time_ms = 0;
  std::vector<std::optional<double>> derived;  ///< In the order of stats::derived_statistics().
};

/// The run that takes the least time, the first of equal ones; null without references.
const ReferenceResult* best_reference(const PointResult& result);

/// What a column shows of the best reference.
struct ReferenceColumn {
  std::string name, unit, text;
  std::optional<double> (*number)(const ReferenceResult&);  ///< Null for a text.
  const std::string& (*label)(const ReferenceResult&);      ///< Null for a number.
};
/// "reference.name", "reference.cycles", ...; and "reference.derived.NAME" shows any derived statistic.
const std::vector<ReferenceColumn>& reference_columns();
const ReferenceColumn* find_reference_column(std::string_view name);
inline constexpr std::string_view reference_derived_prefix = "reference.derived.";

}  // namespace lockstep::experiment
