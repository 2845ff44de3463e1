#include "tools/lockstep/rgpu_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/config/value.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::cli {

gpu::GpuSpec load_rgpu(const std::string& name_or_path, const std::vector<config::Override>& overrides) {
  gpu::GpuSpec spec = config::load_gpu(name_or_path, overrides);
  if (spec.sm.rgpu.cores > 0) return spec;
  throw InputError(
      fmt::format("the GPU {} has no R-GPU mode: its sm.rgpu.cores is 0 (gtx480-rgpu has one)", spec.name));
}

std::string find_graph(const std::string& name_or_path) {
  return config::find_named_file({workload::graph_folder, workload::workload_folder}, name_or_path);
}

std::vector<std::shared_ptr<const dataflow::Graph>> different_graphs(const exec::Task& task) {
  std::vector<std::shared_ptr<const dataflow::Graph>> graphs;
  for (const exec::KernelLaunch& launch : task.launches) {
    if (launch.graph == nullptr) continue;
    for (const auto& part : launch.graph->parts) {
      const bool known = std::any_of(graphs.begin(), graphs.end(), [&](const auto& graph) {
        return graph == part || dataflow::same_structure(*graph, *part);
      });
      if (!known) graphs.push_back(part);
    }
  }
  if (!graphs.empty()) return graphs;
  throw InputError(fmt::format("{} has no graph; `lockstep trace` and `lockstep replay` run kernels", task.name));
}

std::shared_ptr<const dataflow::Graph> graph_of(const exec::Task& task, std::uint32_t number) {
  const auto graphs = different_graphs(task);
  if (number >= 1 && number <= graphs.size()) return graphs[number - 1];
  throw InputError(fmt::format("--graph {}: {} has {} different graph{}", number, task.name, graphs.size(),
                               graphs.size() == 1 ? "" : "s"));
}

}  // namespace lockstep::cli
