#pragma once
// From suites to the runs of a sweep.

#include <cstddef>
#include <string>
#include <vector>

#include "sim/experiment/point.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

/// A number or statement of a suite.
struct SuitePoint {
  std::size_t suite = 0;
  const Table* table = nullptr;
  const Cell* cell = nullptr;
  /// Per combination of what it is taken over, per run of the table: into Expansion::runs.
  std::vector<std::vector<std::size_t>> runs;
  std::string gpu;      ///< As named.
  std::string problem;  ///< Why its settings describe no runs.
};

struct SuiteRun {
  experiment::Run run;
  std::string problem;  ///< Why the GPU cannot be read; then it is not run.
};

/// The points of suites, and their runs, each once.
struct Expansion {
  std::vector<SuitePoint> points;
  std::vector<SuiteRun> runs;
};

/// `overrides` go before what the suites set. With `gpus`, only points with a run on one of these, as named.
Expansion expand(const std::vector<Suite>& suites, const std::vector<config::Override>& overrides,
                 const std::vector<std::string>& gpus);

}  // namespace lockstep::validate
