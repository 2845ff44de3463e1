#pragma once
// Paths with values: what the points of an experiment and the numbers of a measurement suite are made of.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/parameter.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::experiment {

/// A GPU parameter, "args.NAME" of a workload, "probe.NAME" or "occupancy.NAME", with its value.
using Setting = config::Override;
using Settings = std::vector<Setting>;

inline constexpr std::string_view argument_prefix = "args.", probe_prefix = "probe.", occupancy_prefix = "occupancy.";

/// One swept path with its values, in file order. The paths "gpu", "workload" and "variant" stand for the lists of those.
struct Axis {
  std::string path;
  std::vector<config::Value> values;
  /// Points that differ in this alone repeat each other: what people see is their mean and spread.
  bool repeated = false;
};

/// Every combination of the axes' values, the last axis fastest; a single empty one without axes.
std::vector<Settings> combinations(const std::vector<Axis>& axes);

/// Puts a setting behind the others; it replaces an earlier one of its path.
void set(Settings& settings, const Setting& one);

/// Settings by what they are for.
struct DividedSettings {
  std::vector<config::Override> gpu;
  workload::ArgumentOverrides arguments;
  std::map<std::string, config::Value> probe, occupancy;  ///< By the name behind the dot.
};
DividedSettings divided(const Settings& settings);

}  // namespace lockstep::experiment
