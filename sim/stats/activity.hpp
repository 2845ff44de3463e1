#pragma once
// What was executed over time (gpu::Options::activity_interval), for people and machines.

#include <string>

#include "sim/gpu/simulation.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::stats {

/// Adds the field "activity" to an open object: an entry per launch, whose arrays have a number per `interval` cycles.
void add_activity(JsonWriter& json, const gpu::Result& result, Cycle interval);
/// A line per launch and interval.
std::string activity_table(const gpu::Result& result, Cycle interval);

}  // namespace lockstep::stats
