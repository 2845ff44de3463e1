#pragma once
// Where the nodes of a graph are, and which lanes their values travel on.

#include <cstdint>
#include <string>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "models/rgpu/spec.hpp"

namespace lockstep::rgpu {

/// A value's way from its source to all its receivers: lane `lane`, from slot `first` over `slots` slots of the ring.
struct Route {
  std::uint32_t source = 0;
  std::uint32_t lane = 0, first = 0, slots = 0;
};

struct Mapping {
  /// Per node: the core (= its slot), or the load-store unit.
  std::vector<std::uint32_t> place;
  /// One per node that has receivers other than itself; a core writes back to its own FIFO without a lane.
  std::vector<Route> routes;
  std::uint32_t lanes = 0;        ///< Used.
  std::uint32_t lower_bound = 0;  ///< No mapping of this graph has fewer lanes than this.
  std::uint32_t cores = 0, load_store_units = 0;
  std::uint32_t span = 0;  ///< Length of the shortest piece of the ring with all units and values, in slots.
  std::uint64_t search_steps = 0;
};

/// Slot where a node reads, and where it writes.
std::uint32_t read_slot(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping, std::uint32_t node);
std::uint32_t write_slot(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping, std::uint32_t node);

/// Configuration registers of a mapping: one per core and load-store unit in use, one per constant operand, and one per
/// segment of a lane that is driven.
std::uint32_t configuration_words(const dataflow::Graph& graph, const Mapping& mapping);

/// Throws Bug unless the mapping is right: distinct places, units that can execute their nodes, routes that reach every
/// receiver, no two values on one segment.
void verify(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping);

}  // namespace lockstep::rgpu
