#pragma once
// A graph and a fabric as the mapper's searches see them: places, and which node reads which. No names, no opcodes.

#include <cstdint>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "models/rgpu/spec.hpp"

namespace lockstep::rgpu {

struct Problem {
  struct Item {
    bool memory = false;  ///< Needs a load-store unit; otherwise a core.
    /// Other nodes, each once, in increasing order. A node that feeds itself is in neither.
    std::vector<std::uint32_t> sources, receivers;

    bool sends() const { return !receivers.empty(); }
  };
  std::vector<Item> items;
  std::uint32_t copies = 1;

  std::uint32_t slots = 0;
  std::vector<std::uint32_t> units_at;  ///< Per slot: load-store units.
  std::uint32_t period = 0;             ///< The fabric turned by this many slots is the same fabric.

  std::uint32_t cores_needed = 0, memory_needed = 0;

  std::uint32_t size() const { return static_cast<std::uint32_t>(items.size()); }
  /// Slot to which an item writes when it reads at `slot`.
  std::uint32_t writes_at(std::uint32_t item, std::uint32_t slot) const {
    return items[item].memory ? slot : slot + 1 == slots ? 0 : slot + 1;
  }
  /// How far a value travels from slot `from` to slot `to`.
  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return to >= from ? to - from : to + slots - from;
  }
};

/// Per item: the slot where it reads.
using Placement = std::vector<std::uint32_t>;

Problem make_problem(const dataflow::Graph& graph, const Spec& spec);
/// The first copy alone on the same fabric.
Problem one_copy(const Problem& problem);

/// Some place for every item, where there are enough.
Placement place_anywhere(const Problem& problem);

/// The piece of the ring that a value occupies.
struct Arc {
  std::uint32_t source = 0, first = 0, slots = 0;
};
/// One per item that sends, in order of items.
std::vector<Arc> arcs(const Problem& problem, const Placement& placement);
/// Values at each slot.
std::vector<std::uint32_t> loads(const Problem& problem, const std::vector<Arc>& arcs);
/// Length of the shortest piece of the ring that has all units in use and all values.
std::uint32_t span(const Problem& problem, const Placement& placement, const std::vector<Arc>& arcs);

}  // namespace lockstep::rgpu
