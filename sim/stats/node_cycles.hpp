#pragma once
// What each node of a graph did (gpu::Options::per_node), for people and machines.

#include <string>

#include "sim/gpu/simulation.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::stats {

/// Adds the field "node_cycles" to an open object: an entry per graph with one per node, in unit cycles.
void add_node_cycles(JsonWriter& json, const gpu::Result& result);
/// A line per node: its firings, and the shares of its unit's cycles.
std::string node_cycles_table(const gpu::Result& result);

}  // namespace lockstep::stats
