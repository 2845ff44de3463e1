#include "models/rgpu/shortages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::rgpu {
namespace {

using dataflow::UnitClass;

/// "a, b, c and 4 more".
std::string list_of(const dataflow::Graph& graph, const std::vector<std::uint32_t>& nodes) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) {
    text += (i ? ", " : "") + graph.nodes[nodes[i]].name;
  }
  if (nodes.size() > shown) text += fmt::format(" and {} more", nodes.size() - shown);
  return text;
}

void compare(const dataflow::Graph& graph, const char* resource, const char* who,
             const std::vector<std::uint32_t>& nodes, std::uint32_t available, std::vector<Shortage>& shortages) {
  if (nodes.size() <= available) return;
  std::string text = fmt::format("{} nodes {} ({}), the fabric has {} {}", nodes.size(), who, list_of(graph, nodes),
                                 available, resource);
  if (graph.copies > 1) text += fmt::format("; a copy has {}", nodes.size() / graph.copies);
  shortages.push_back({resource, nodes.size(), available, true, std::move(text)});
}

std::uint32_t fifos(const dataflow::Node& node) {
  return static_cast<std::uint32_t>(std::count_if(node.operands.begin(), node.operands.end(), [](const auto& operand) {
    return operand.kind != dataflow::Operand::Kind::constant;
  }));
}

/// Of a core or load-store unit: Van den Braak, section 7.2.
std::uint32_t fifos_of_unit(bool memory) {
  return memory ? 2 : 3;
}

}  // namespace

std::vector<Shortage> counted_shortages(const dataflow::Graph& graph, const Spec& spec) {
  std::vector<std::uint32_t> cores, memory, special;
  std::vector<Shortage> shortages;
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    const UnitClass unit = dataflow::facts(graph.nodes[node].op).unit;
    (unit == UnitClass::load_store ? memory : cores).push_back(node);
    if (unit == UnitClass::special) special.push_back(node);
  }
  compare(graph, "cores", "need a core", cores, spec.cores, shortages);
  compare(graph, "load-store units", "access memory", memory, spec.load_store_units, shortages);
  compare(graph, "special function units", "are special functions", special, spec.special_function_units, shortages);
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    const bool is_memory = dataflow::facts(graph.nodes[node].op).unit == UnitClass::load_store;
    const std::uint32_t needed = fifos(graph.nodes[node]), available = fifos_of_unit(is_memory);
    if (needed <= available) continue;
    shortages.push_back({"operand FIFOs", needed, available, true,
                         fmt::format("{} has {} operands that come in FIFOs, a {} has {}", graph.nodes[node].name,
                                     needed, is_memory ? "load-store unit" : "core", available)});
  }
  return shortages;
}

Shortage lane_shortage(const dataflow::Graph& graph, const Problem& problem, std::uint32_t available,
                       const Solution& enough, bool proved) {
  const std::vector<std::uint32_t> counts = loads(problem, enough.arcs);
  const auto fullest = static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  std::vector<std::uint32_t> values;
  for (const Arc& arc : enough.arcs) {
    if (problem.distance(arc.first, fullest) < arc.slots) values.push_back(arc.source);
  }
  Shortage shortage{"lanes", 0, available, proved, ""};
  shortage.needed = 1 + *std::max_element(enough.lane_of_arc.begin(), enough.lane_of_arc.end());
  shortage.text = fmt::format("{} lanes suffice; slot {} then has the values of {}", shortage.needed, fullest,
                              list_of(graph, values));
  shortage.text +=
      proved ? fmt::format("; no mapping has {} or fewer", available)
             : fmt::format("; the search for one with {} ended at its step limit, so there may be one", available);
  return shortage;
}

}  // namespace lockstep::rgpu
