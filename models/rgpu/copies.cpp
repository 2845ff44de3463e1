// How many copies of a graph fit on the fabric.

#include <fmt/format.h>

#include <algorithm>

#include "models/rgpu/mapper.hpp"

namespace lockstep::rgpu {
namespace {

dataflow::Graph replicated(const dataflow::Graph& graph, std::uint32_t copies) {
  dataflow::Graph many = graph;
  many.copies = copies;
  const auto length = static_cast<std::uint32_t>(graph.nodes.size());
  for (std::uint32_t copy = 1; copy < copies; ++copy) {
    for (dataflow::Node node : graph.nodes) {
      node.name += fmt::format("[{}]", copy);
      for (dataflow::Operand& operand : node.operands) {
        if (operand.kind == dataflow::Operand::Kind::edge) operand.source += copy * length;
      }
      many.nodes.push_back(std::move(node));
    }
    for (dataflow::Result result : graph.results) {
      result.node += copy * length;
      many.results.push_back(result);
    }
  }
  return many;
}

}  // namespace

std::uint32_t copies_that_fit(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options) {
  std::uint32_t cores = 0, memory = 0, special = 0;
  for (const dataflow::Node& node : graph.nodes) {
    const dataflow::UnitClass unit = dataflow::facts(node.op).unit;
    ++(unit == dataflow::UnitClass::load_store ? memory : cores);
    special += unit == dataflow::UnitClass::special;
  }
  // What the counts of units allow; from there down, since copies that fit hardly ever fail at the lanes.
  std::uint32_t most = ~std::uint32_t{0};
  if (cores) most = std::min(most, spec.cores / cores);
  if (memory) most = std::min(most, spec.load_store_units / memory);
  if (special) most = std::min(most, spec.special_function_units / special);
  if (graph.nodes.empty()) return 0;
  for (std::uint32_t copies = most; copies > 0; --copies) {
    if (map(replicated(graph, copies), spec, options).mapping) return copies;
  }
  return 0;
}

}  // namespace lockstep::rgpu
