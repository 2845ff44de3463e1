#pragma once
// Which microbenchmarks determine which parameters, in the order in which they do.

#include <string_view>
#include <vector>

#include "sim/measurements/measurements.hpp"

namespace lockstep::calibrate {

using measurements::Measurement;
using measurements::Measurements;

/// A parameter, and where its value is looked for.
struct Range {
  std::string_view path;
  double least = 0, most = 0;
};

/// Measurements of one workload: "operation=shl,shr mode=latency" are those that have one of the values at each name.
struct Selection {
  std::string_view workload, settings;

  bool has(const Measurement& row) const;
};

/// Parameters that the same points see. Several parameters are found together.
struct Step {
  std::vector<Range> parameters;
  std::vector<Selection> points;

  bool sees(const Measurement& row) const;
};

/// In order: what a step's points depend on besides its own parameters, earlier steps determine.
const std::vector<Step>& steps();

}  // namespace lockstep::calibrate
