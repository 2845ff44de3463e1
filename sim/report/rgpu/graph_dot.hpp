#pragma once
// A dataflow graph as a drawing for Graphviz, like Figures 7.5a and 7.6a of Van den Braak.

#include <string>
#include <string_view>
#include <vector>

#include "isa/dataflow/instance.hpp"

namespace lockstep::report {

/// Fill of a node's box, and of text on it: integer dark green, floating point light green (Figure 7.6), special
/// functions orange, loads blue, stores violet.
struct NodeColours {
  std::string_view fill, text;
};
NodeColours node_colours(const dataflow::Node& node);

/// A constant as its operand reads it.
std::string value_text(const dataflow::Node& node, std::uint32_t operand, std::uint32_t value);

/// The DOT text of the first copy of a graph with the numbers of one thread block: a box per node with a cell per operand,
/// and an edge per value that an operand gets, with its initial values. `buffers`: names of those that addresses count from.
std::string graph_dot(const dataflow::Graph& graph, const dataflow::Instance& instance,
                      const std::vector<std::string>& buffers = {});

}  // namespace lockstep::report
