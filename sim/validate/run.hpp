#pragma once
// One thing that has to be run for a measurement: a workload, a probe, an occupancy, or nothing but a GPU's parameters; and
// the values that it yields.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/validate/suite.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::validate {

/// A run as its settings describe it. Equal runs have equal keys.
struct Run {
  std::string gpu;                          ///< As named.
  std::vector<config::Override> overrides;  ///< Of the GPU.
  std::string workload;                     ///< As named; "" for none.
  workload::ArgumentOverrides arguments;
  std::map<std::string, config::Value> probe, occupancy;  ///< By the name behind the dot.
  SourceLocation where;

  std::string key() const;
  std::string trace_key() const;  ///< Of workload and arguments; "" without a workload.
};

/// Later settings go before earlier ones of the same path. InputError when they describe no run.
Run run_of(const Settings& settings, const SourceLocation& where);

/// Values by name.
using Values = std::map<std::string, double>;

/// Every parameter that is a number, by its path.
void add_parameters(Values& values, const gpu::GpuSpec& spec);
/// What a replay yields: cycles, clock intervals, residency, statistics; and the trace's numeric arguments.
void add_replay(Values& values, const gpu::GpuSpec& spec, const trace::Header& header, const gpu::Result& result);
/// Runs a probe or computes an occupancy.
void add_probe(Values& values, const Run& run, const gpu::GpuSpec& spec);
void add_occupancy(Values& values, const Run& run, const gpu::GpuSpec& spec);

}  // namespace lockstep::validate
