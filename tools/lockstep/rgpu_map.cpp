// lockstep rgpu map

#include <fmt/format.h>

#include <algorithm>

#include "models/rgpu/mapper.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/rgpu_graphs.hpp"

namespace lockstep::cli {

namespace {

using dataflow::Graph;
using stats::Table;

std::string operation_of(const dataflow::Node& node) {
  const char* const name = dataflow::facts(node.op).name;
  return node.op != dataflow::Opcode::reduce ? name : fmt::format("{}.{}", name, dataflow::facts(node.reduction).name);
}

/// "core 3", "load-store unit 5".
std::string place_of(const Graph& graph, const rgpu::Mapping& mapping, std::uint32_t node) {
  const bool memory = dataflow::is_memory(graph.nodes[node].op);
  return fmt::format("{} {}", memory ? "load-store unit" : "core", mapping.place[node]);
}

/// Lanes are lettered, as in figure 7.2 of Van den Braak.
std::string lane_name(std::uint32_t lane) {
  return lane < 26 ? std::string(1, static_cast<char>('A' + lane)) : fmt::format("{}", lane);
}

/// Names of the nodes that a value goes to over a lane.
std::string receivers_of(const Graph& graph, const std::vector<dataflow::Receiver>& receivers, std::uint32_t source) {
  std::vector<std::string> names;
  for (const dataflow::Receiver& receiver : receivers) {
    const std::string& name = graph.nodes[receiver.node].name;
    if (receiver.node == source || (!names.empty() && names.back() == name)) continue;
    names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string mapping_text(const Graph& graph, const gpu::GpuSpec& spec, const rgpu::MapOutcome& outcome) {
  const rgpu::Mapping& mapping = *outcome.mapping;
  const rgpu::Spec& fabric = spec.sm.rgpu;
  std::string text = fmt::format("{} on {}: {} {} data lane{}", graph.name, spec.name,
                                 graph.copies > 1 ? fmt::format("{} copies,", graph.copies) : "one copy,",
                                 mapping.lanes, mapping.lanes == 1 ? "" : "s");
  text += outcome.optimal ? " (no mapping is better)\n"
                          : fmt::format(" (no mapping has fewer than {})\n", mapping.lower_bound);
  text += fmt::format("{} of {} cores, {} of {} load-store units, {} slots from the first to the last\n", mapping.cores,
                      fabric.cores, mapping.load_store_units, fabric.load_store_units, mapping.span);
  text += fmt::format("{} configuration registers\n\n", rgpu::configuration_words(graph, mapping));

  Table nodes;
  nodes.column("node", Table::Align::left);
  nodes.column("operation", Table::Align::left);
  nodes.column("place", Table::Align::left);
  nodes.column("reads", Table::Align::right, "slot");
  nodes.column("writes", Table::Align::right, "slot");
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    nodes.row({graph.nodes[i].name, operation_of(graph.nodes[i]), place_of(graph, mapping, i),
               std::to_string(rgpu::read_slot(graph, fabric, mapping, i)),
               dataflow::gives_result(graph.nodes[i].op) ? std::to_string(rgpu::write_slot(graph, fabric, mapping, i))
                                                         : "-"});
  }
  text += nodes.text();
  if (mapping.routes.empty()) return text;
  Table routes;
  routes.column("results of", Table::Align::left);
  routes.column("lane", Table::Align::left);
  routes.column("from", Table::Align::right, "slot");
  routes.column("over", Table::Align::right, "slots");
  routes.column("to", Table::Align::left);
  const auto receivers = dataflow::receivers(graph);
  for (const rgpu::Route& route : mapping.routes) {
    routes.row({graph.nodes[route.source].name, lane_name(route.lane), std::to_string(route.first),
                std::to_string(route.slots), receivers_of(graph, receivers[route.source], route.source)});
  }
  return text + "\n" + routes.text();
}

std::string mapping_json(const Graph& graph, const rgpu::Spec& fabric, const rgpu::MapOutcome& outcome) {
  stats::JsonWriter json;
  const bool fits = outcome.mapping.has_value();
  json.begin_object().field("schema", "lockstep.rgpu-map/1").field("graph", graph.name).field("fits", fits);
  const auto number = [&](const char* name, std::uint64_t value) {
    json.key(name);
    fits ? json.value(value) : json.null();
  };
  const rgpu::Mapping none;
  const rgpu::Mapping& mapping = fits ? *outcome.mapping : none;
  number("lanes", mapping.lanes);
  number("lanes_lower_bound", mapping.lower_bound);
  json.field("optimal", outcome.optimal);
  number("cores", mapping.cores);
  number("load_store_units", mapping.load_store_units);
  number("span", mapping.span);
  json.field("copies", graph.copies);
  number("configuration_words", fits ? rgpu::configuration_words(graph, mapping) : 0);
  json.key("nodes").begin_array();
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    json.begin_object(true).field("name", graph.nodes[i].name).field("op", operation_of(graph.nodes[i]));
    if (fits) {
      json.field("place", place_of(graph, mapping, i)).field("slot", rgpu::read_slot(graph, fabric, mapping, i));
    } else {
      json.key("place").null().key("slot").null();
    }
    json.end_object();
  }
  json.end_array().key("routes").begin_array();
  for (const rgpu::Route& route : mapping.routes) {
    json.begin_object(true).field("source", graph.nodes[route.source].name).field("lane", route.lane);
    json.field("first", route.first).field("slots", route.slots).end_object();
  }
  json.end_array().key("shortages").begin_array();
  for (const rgpu::Shortage& shortage : outcome.shortages) {
    json.begin_object(true).field("resource", shortage.resource).field("needed", shortage.needed);
    json.field("available", shortage.available).field("proved", shortage.proved).field("text", shortage.text);
    json.end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace

int execute(const RgpuMapArguments& arguments, const Invocation&) {
  const auto [parameters, workload_arguments] = divide_overrides(arguments);
  const gpu::GpuSpec spec = load_rgpu(arguments.gpu, parameters);
  const auto large = arguments.split ? workload::LargeGraphs::split : workload::LargeGraphs::keep;
  const auto task =
      workload::Workload::load(find_graph(arguments.graph)).build(workload_arguments, &spec.sm.rgpu, large);
  const std::shared_ptr<const Graph> graph = graph_of(*task, arguments.number);
  const std::size_t all = different_graphs(*task).size();
  if (all > 1 && !arguments.quiet) {
    note(fmt::format("note: this is graph {} of {}; --graph N shows another", arguments.number, all));
  }
  rgpu::MapOptions options;
  options.goal = arguments.goal == "slots" ? rgpu::Goal::slots : rgpu::Goal::lanes;
  const rgpu::MapOutcome outcome = rgpu::map(*graph, spec.sm.rgpu, options);
  const bool fits = outcome.mapping.has_value();
  if (arguments.json) {
    print(mapping_json(*graph, spec.sm.rgpu, outcome));
  } else if (fits) {
    print(mapping_text(*graph, spec, outcome));
  } else {
    std::string text = fmt::format("{} does not fit on {}:\n", graph->name, spec.name);
    for (const rgpu::Shortage& shortage : outcome.shortages) {
      text += fmt::format("{}: {} needed, {} available{}: {}\n", shortage.resource, shortage.needed, shortage.available,
                          shortage.proved ? "" : " (the search ended at its limit)", shortage.text);
    }
    print(text);
  }
  return fits ? exit_done : exit_mismatch;
}

}  // namespace lockstep::cli
