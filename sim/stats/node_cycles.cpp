#include "sim/stats/node_cycles.hpp"

#include <fmt/format.h>

#include "sim/stats/table.hpp"

namespace lockstep::stats {

void add_node_cycles(JsonWriter& json, const gpu::Result& result) {
  json.key("node_cycles").begin_array();
  for (const gpu::MappedGraph& graph : result.graphs) {
    json.begin_object().field("kernel", graph.kernel).field("graph", graph.graph).key("nodes").begin_array();
    for (const gpu::MappedGraph::Node& node : graph.node_cycles) {
      json.begin_object().field("name", node.name).field("op", node.operation);
      const auto declare = [&](std::uint64_t rgpu::NodeCycles::*member, const char* key, const char*, const char*) {
        json.field(key, node.cycles.*member);
      };
      rgpu::NodeCycles::describe(declare);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::string node_cycles_table(const gpu::Result& result) {
  std::string text;
  for (const gpu::MappedGraph& graph : result.graphs) {
    Table table;
    table.column("node", Table::Align::left);
    table.column("operation", Table::Align::left);
    table.column("firings", Table::Align::right);
    for (const char* what : {"fires", "lacks operand", "receiver full", "memory", "lock", "has ended"})
      table.column(what, Table::Align::right, "%");
    for (const auto& [name, operation, cycles] : graph.node_cycles) {
      const std::uint64_t all = cycles.fired + cycles.waits_operand + cycles.waits_receiver + cycles.waits_memory +
                                cycles.waits_lock + cycles.ended;
      const auto share = [all](std::uint64_t part) {
        return all == 0 ? "-" : fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(all));
      };
      table.row({name, operation, grouped(cycles.fired), share(cycles.fired), share(cycles.waits_operand),
                 share(cycles.waits_receiver), share(cycles.waits_memory), share(cycles.waits_lock),
                 share(cycles.ended)});
    }
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", graph.graph, table.text());
  }
  return text;
}

}  // namespace lockstep::stats
