#include "models/rgpu/mapping.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace lockstep::rgpu {
namespace {

using dataflow::UnitClass;

UnitClass unit_of(const dataflow::Graph& graph, std::uint32_t node) {
  return dataflow::facts(graph.nodes[node].op).unit;
}

[[noreturn]] void wrong(const dataflow::Graph& graph, const std::string& what) {
  throw Bug(fmt::format("R-GPU mapping of graph {}: {}", graph.name, what));
}

void verify_places(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping) {
  if (mapping.place.size() != graph.nodes.size()) wrong(graph, "not one place for each node");
  std::set<std::pair<bool, std::uint32_t>> taken;
  std::uint32_t special = 0;
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    const UnitClass unit = unit_of(graph, node);
    const bool memory = unit == UnitClass::load_store;
    const std::uint32_t place = mapping.place[node];
    const std::string& name = graph.nodes[node].name;
    if (place >= (memory ? spec.load_store_units : spec.cores)) wrong(graph, name + " is outside of the fabric");
    if (!taken.emplace(memory, place).second) wrong(graph, name + " shares its place");
    special += unit == UnitClass::special;
  }
  if (special > spec.special_function_units) wrong(graph, "more special functions than units for them");
}

}  // namespace

std::uint32_t read_slot(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping, std::uint32_t node) {
  const std::uint32_t place = mapping.place[node];
  if (unit_of(graph, node) != UnitClass::load_store) return place;
  return slot_of_unit(place, spec.load_store_units, spec.cores);
}

std::uint32_t write_slot(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping, std::uint32_t node) {
  const std::uint32_t slot = read_slot(graph, spec, mapping, node);
  return unit_of(graph, node) == UnitClass::load_store ? slot : (slot + 1) % spec.cores;
}

std::uint32_t configuration_words(const dataflow::Graph& graph, const Mapping& mapping) {
  std::uint32_t words = mapping.cores + mapping.load_store_units;
  for (const dataflow::Node& node : graph.nodes) {
    for (const dataflow::Operand& operand : node.operands) words += operand.kind == dataflow::Operand::Kind::constant;
  }
  for (const Route& route : mapping.routes) words += route.slots;  // A multiplexer at each slot.
  return words;
}

void verify(const dataflow::Graph& graph, const Spec& spec, const Mapping& mapping) {
  verify_places(graph, spec, mapping);
  const std::vector<std::vector<dataflow::Receiver>> receivers = dataflow::receivers(graph);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> driver;  // Of lane and slot.
  std::vector<std::uint32_t> routes(graph.nodes.size(), 0), reach(graph.nodes.size(), 0);
  for (const Route& route : mapping.routes) {
    if (route.source >= graph.nodes.size()) wrong(graph, "a route without a source");
    const std::string& name = graph.nodes[route.source].name;
    if (route.first != write_slot(graph, spec, mapping, route.source)) wrong(graph, name + " writes elsewhere");
    if (route.slots == 0 || route.slots > spec.cores) wrong(graph, "the way of " + name + " is longer than the ring");
    if (route.lane >= mapping.lanes) wrong(graph, name + " is on a lane that is not counted");
    ++routes[route.source];
    reach[route.source] = route.slots;
    for (std::uint32_t i = 0; i < route.slots; ++i) {
      const std::uint32_t slot = (route.first + i) % spec.cores;
      const auto [at, free] = driver.emplace(std::make_pair(route.lane, slot), route.source);
      if (!free) {
        wrong(graph,
              fmt::format("{} and {} share slot {} of lane {}", name, graph.nodes[at->second].name, slot, route.lane));
      }
    }
  }
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    const std::uint32_t from = write_slot(graph, spec, mapping, node);
    bool sends = false;
    for (const dataflow::Receiver& receiver : receivers[node]) {
      if (receiver.node == node) continue;
      sends = true;
      const std::uint32_t distance = (read_slot(graph, spec, mapping, receiver.node) + spec.cores - from) % spec.cores;
      if (distance >= reach[node]) {
        wrong(graph, graph.nodes[node].name + " does not reach " + graph.nodes[receiver.node].name);
      }
    }
    if (routes[node] != (sends ? 1 : 0)) wrong(graph, graph.nodes[node].name + " has not the one route that it needs");
  }
  if (mapping.lanes > spec.lanes) wrong(graph, "more lanes than there are");
}

}  // namespace lockstep::rgpu
