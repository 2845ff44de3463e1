#pragma once
// Strongly connected components: nodes that can all reach each other along edges.

#include <cstdint>
#include <vector>

#include "isa/dataflow/graph.hpp"

namespace lockstep::dataflow {

/// Nodes that each edge of the graph leads to.
using Successors = std::vector<std::vector<std::uint32_t>>;
Successors successors(const Graph& graph);

/// The components in an order in which no edge leads back; the nodes of each in increasing order.
std::vector<std::vector<std::uint32_t>> strongly_connected(const Successors& successors);

/// A cycle along the edges of `successors`, as its nodes in order, each once; empty when there is none.
std::vector<std::uint32_t> find_cycle(const Successors& successors);

}  // namespace lockstep::dataflow
