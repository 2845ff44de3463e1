#pragma once
// What the commands below `rgpu` have in common.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/exec/launch.hpp"
#include "sim/config/parameter.hpp"

namespace lockstep::cli {

/// A GPU with an R-GPU fabric; InputError when it has none.
gpu::GpuSpec load_rgpu(const std::string& name_or_path, const std::vector<config::Override>& overrides);
/// A file, or a name in configs/rgpu; a workload of the same name comes after it.
std::string find_graph(const std::string& name_or_path);

/// The graphs that the launches of a task run, each structure once, in order. InputError when there is none.
std::vector<std::shared_ptr<const dataflow::Graph>> different_graphs(const exec::Task& task);
/// One of them, counted from 1; InputError when there are fewer.
std::shared_ptr<const dataflow::Graph> graph_of(const exec::Task& task, std::uint32_t number);

}  // namespace lockstep::cli
