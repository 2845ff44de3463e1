#pragma once
// What was executed over time (gpu::Options::activity_interval), for people and machines.

#include <string>

#include "sim/gpu/simulation.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::stats {

/// The most operations that an SM executes in a cycle.
struct OperationPeak {
  double operations = 0;
  std::string reason;
};
/// Of a launch: all lanes of all that the schedulers can issue or, when the kernel runs a graph, all units of the R-GPU
/// fabric (with which the activity of such a kernel in standard mode is compared, too).
OperationPeak operation_peak(const gpu::GpuSpec& spec, const gpu::Result& result, std::size_t launch);

/// Adds the field "activity" to an open object: an entry per launch, whose arrays have a number per `interval` cycles.
void add_activity(JsonWriter& json, const gpu::GpuSpec& spec, const gpu::Result& result, Cycle interval);
/// A line per launch and interval.
std::string activity_table(const gpu::Result& result, Cycle interval);

}  // namespace lockstep::stats
