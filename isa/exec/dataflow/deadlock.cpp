// What a graph that cannot continue waits for.

#include <fmt/format.h>

#include "isa/dataflow/components.hpp"
#include "isa/exec/dataflow/network.hpp"

namespace lockstep::dataflow {

/// Adds the nodes that the process waits for.
std::string Network::waits_for(const Process& process, std::vector<std::uint32_t>& nodes) const {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (std::uint32_t i = 0; i < process.input_count; ++i) {
    const Input& input = *process.inputs[i];
    if (&input == process.self || input.ready(process.fired, 1) > 0) continue;
    const bool predicate = process.node->predicated && i + 1 == process.input_count;
    add(fmt::format("{} from '{}': empty", predicate ? "the predicate" : fmt::format("operand {}", i),
                    graph_.nodes[input.source()].name));
    nodes.push_back(input.source());
  }
  if (!text.empty()) return text;
  switch (process.wait) {
    case Process::Wait::lock: {
      const std::uint32_t holder = locks_[process.waits_at / 4] - 1;
      add(fmt::format("the lock of scratchpad address {:#x}, held by a load of node '{}'", process.waits_at / 4 * 4,
                      graph_.nodes[holder].name));
      break;
    }
    case Process::Wait::unwritten:
      add(
          fmt::format("global address {:#x} (byte {} of buffer '{}'): never written by a graph of this thread block or "
                      "an earlier one of the launch (what kernels and earlier launches store, a plain load reads)",
                      process.port->device_base + process.waits_at, process.waits_at,
                      memory_.buffers[instance_.nodes[process.number].base.buffer]->name));
      break;
    case Process::Wait::none: throw Bug(fmt::format("dataflow: node '{}' waits for nothing", process.node->name));
  }
  return text;
}

void Network::report_deadlock() const {
  std::string report = fmt::format("{}: deadlock: no node can fire", graph_name());
  Successors waiting(processes_.size());
  SourceLocation where;
  for (const Process& process : processes_) {
    if (process.done()) continue;
    const std::string what = waits_for(process, waiting[process.number]);
    report += fmt::format("\n  node '{}' has {} of {} firings left and waits for {}", process.node->name,
                          process.iterations - process.fired, process.iterations, what);
    if (where.file.empty() && process.wait != Process::Wait::none) where = process.node->where;
  }
  // A cycle of waiting runs against the edges.
  const std::vector<std::uint32_t> cycle = find_cycle(waiting);
  if (!cycle.empty()) {
    std::string path = graph_.nodes[cycle[0]].name;
    for (std::size_t i = cycle.size(); i-- > 0;) path += " -> " + graph_.nodes[cycle[i]].name;
    report += fmt::format("\n  the cycle {} has too few initial values", path);
    where = graph_.nodes[cycle[0]].where;
  }
  if (where.file.empty()) where.file = graph_.file;
  throw InputError(where, report);
}

}  // namespace lockstep::dataflow
