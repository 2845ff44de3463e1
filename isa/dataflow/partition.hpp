#pragma once
// Where to cut a graph that one SM cannot hold. Parts follow each other: a value goes from an earlier part to a later one
// through memory, which costs a store in the one and a load in each of the others, and a core that counts addresses for
// all stores, and one for all loads, of as many values.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::dataflow {

/// What one SM has.
struct PartLimits {
  std::uint32_t cores = 0, load_store_units = 0, special_function_units = 0;
  /// Values in flight of a core that counts addresses: the cycles of an addition, as far as its FIFO holds them.
  std::uint32_t counter_values = 8;
};

/// What is cut, without the rest of a graph.
struct PartitionProblem {
  struct Node {
    bool load_store = false, special = false;  ///< Neither: an ordinary core. A special node is on a core too.
    bool copied = false;                 ///< Every part that takes its values has a copy of it. Is in no component.
    std::uint32_t rate = 0;              ///< Nodes that send equally many values have the same one.
    std::vector<std::uint32_t> sources;  ///< Nodes whose values it takes, without itself.
  };
  std::vector<Node> nodes;
  /// Nodes that must stay together, in an order in which no value goes back.
  std::vector<std::vector<std::uint32_t>> components;
  /// Components that must not come before others, in addition to those implied by edges: (first, then).
  std::vector<std::pair<std::uint32_t, std::uint32_t>> precedence;
  PartLimits limits;
};

/// What a part needs, the way through memory included.
struct PartNeed {
  std::uint32_t cores = 0, load_store_units = 0, special_function_units = 0;
  std::uint32_t loads = 0, stores = 0;  ///< Of these: values that come from earlier parts and go to later ones.
};

struct Partition {
  std::vector<std::vector<std::uint32_t>> parts;  ///< Nodes of each part, copies included, in increasing order.
  std::vector<PartNeed> needs;
  bool fits = false;
};

/// Fewest parts, then fewest loads and stores, as far as a search of bounded length finds them; the best that is there
/// when none fits. The cuts of a given order of the components are the best ones; the order is improved step by step.
Partition partition(const PartitionProblem& problem);

}  // namespace lockstep::dataflow
