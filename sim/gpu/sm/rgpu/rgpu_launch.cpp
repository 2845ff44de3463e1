#include "sim/gpu/sm/rgpu/rgpu_launch.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"
#include "models/rgpu/mapper.hpp"

namespace lockstep::gpu {

namespace {

constexpr std::uint32_t barriers = 16;  ///< Of a thread block.

/// Scratchpad operations that this GPU does not have.
void check_scratchpad(const GpuSpec& spec, const dataflow::Graph& graph) {
  const bool lock_bits = spec.target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop;
  const bool native = spec.target.scratchpad_atomics == machine::ScratchpadAtomics::native;
  for (const dataflow::Node& node : graph.nodes) {
    if (node.space != dataflow::Space::scratchpad) continue;
    if (node.op == dataflow::Opcode::reduce && !native)
      throw InputError(node.where,
                       fmt::format("node '{}': {} has no atomic units in its scratchpad: use a load and a store with "
                                   "`lock: true`, and a core between them",
                                   node.name, spec.name));
    if (node.locks && !lock_bits)
      throw InputError(node.where, fmt::format("node '{}': {} has no lock bits in its scratchpad: use a `reduce`",
                                               node.name, spec.name));
  }
}

}  // namespace

KernelGraphs map_graphs(const GpuSpec& spec, const program::Kernel& kernel) {
  KernelGraphs result;
  if (kernel.graphs.empty()) return result;
  if (spec.sm.rgpu.cores == 0)
    throw InputError(
        fmt::format("kernel {} runs a graph, but {} has no R-GPU mode (sm.rgpu.cores is 0); gtx480-rgpu has",
                    kernel.name, spec.name));
  if (kernel.graph_barrier >= barriers)
    throw InputError(fmt::format("kernel {}: its graph runs at barrier {}, but barriers have numbers from 0 to {}",
                                 kernel.name, kernel.graph_barrier, barriers - 1));
  for (const auto& graph : kernel.graphs) {
    check_scratchpad(spec, *graph);
    result.mappings.push_back(rgpu::map_or_throw(*graph, spec.sm.rgpu));
    for (const dataflow::Node& node : graph->nodes)
      result.communicates |=
          node.op == dataflow::Opcode::load && node.cache_operator == dataflow::CacheOperator::wait_for_hit;
  }
  return result;
}

}  // namespace lockstep::gpu
