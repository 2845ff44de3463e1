#include "sim/workload/launches/software_hash.hpp"

#include <limits>
#include <set>

#include "isa/did_you_mean.hpp"
#include "isa/input_file.hpp"
#include "isa/ptx/program.hpp"
#include "isa/ptx/shared_layout.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/hash/software.hpp"

namespace lockstep::workload {

namespace {

std::string text_of(const ptx::Module& module, const exec::Task& task) {
  if (const auto known = task.module_texts.find(&module); known != task.module_texts.end()) return known->second;
  return read_whole_file(module.file, most_kernel_bytes);
}

/// Static and dynamic scratchpad memory of one launch.
std::uint64_t scratchpad_bytes(const exec::KernelLaunch& launch) {
  const ptx::Program program = ptx::link(*launch.module, launch.entry);
  return ptx::shared_layout(program).dynamic_offset + launch.dynamic_shared_bytes;
}

void check_names(const hash::KernelHashes& hashes, const exec::Task& task) {
  std::set<std::string> launched;
  for (const exec::KernelLaunch& launch : task.launches) launched.insert(launch.entry);
  const std::vector<std::string> names(launched.begin(), launched.end());
  for (const auto& [kernel, spec] : hashes.all()) {
    if (kernel.empty() || launched.contains(kernel)) continue;
    throw InputError(fmt::format("{}: the workload {} launches no kernel '{}'{} (it launches: {})",
                                 software_hash_argument, task.name, kernel, did_you_mean(kernel, names),
                                 fmt::join(names, ", ")));
  }
}

/// A kernel and the graph that it stands around must find each other's data.
void check_graphs(const exec::Task& task) {
  for (const exec::KernelLaunch& launch : task.launches) {
    if (launch.graph == nullptr) continue;
    for (const auto& graph : launch.graph->parts) {
      for (const dataflow::Node& node : graph->nodes) {
        if (!dataflow::is_memory(node.op) || node.space != dataflow::Space::scratchpad) continue;
        throw InputError(node.where, fmt::format("{} rewrites kernels only; node '{}' would access scratchpad memory "
                                                 "without the hash",
                                                 software_hash_argument, node.name));
      }
    }
  }
}

/// The most scratchpad memory of the launches of each kernel of a module, and of those that share accesses with it.
std::map<std::string, std::uint64_t> most_bytes(const exec::Task& task, const ptx::Module& module) {
  std::map<std::string, std::uint64_t> most;
  for (const exec::KernelLaunch& launch : task.launches) {
    if (launch.module != &module) continue;
    std::uint64_t& bytes = most[launch.entry];
    bytes = std::max(bytes, scratchpad_bytes(launch));
  }
  // Kernels that share accesses share the function.
  std::vector<std::string> kernels;
  for (const auto& [kernel, bytes] : most) kernels.push_back(kernel);
  for (const auto& group : rewrite::kernels_with_common_accesses(module, kernels)) {
    std::uint64_t bytes = 0;
    for (const std::string& kernel : group) bytes = std::max(bytes, most[kernel]);
    for (const std::string& kernel : group) most[kernel] = bytes;
  }
  return most;
}

void rewrite_module(std::shared_ptr<const ptx::Module>& module, const hash::KernelHashes& hashes, std::uint32_t banks,
                    exec::Task& task) {
  std::map<std::string, hash::SoftwareHash> by_kernel;
  std::vector<rewrite::KernelRewrite> kernels;
  for (const auto& [kernel, bytes] : most_bytes(task, *module)) {
    const hash::SoftwareHash& one = by_kernel.try_emplace(kernel, hashes.spec_of(kernel), banks, bytes).first->second;
    kernels.push_back(one.rewrite_of(kernel));
  }
  const std::string text = text_of(*module, task);
  rewrite::RewrittenModule rewritten =
      rewrite::rewrite_scratchpad_addresses(text, *module, kernels, rewrite::Lines::kept);
  if (rewritten.text == text) return;
  auto replacement = std::make_shared<const ptx::Module>(ptx::parse(rewritten.text, module->file));
  for (exec::KernelLaunch& launch : task.launches) {
    if (launch.module != module.get()) continue;
    const auto report = std::find_if(rewritten.kernels.begin(), rewritten.kernels.end(),
                                     [&](const rewrite::KernelReport& r) { return r.kernel == launch.entry; });
    if (report->has_dynamic) {
      const std::uint64_t bytes = report->dynamic_offset + launch.dynamic_shared_bytes;
      const std::uint64_t needed = by_kernel.at(launch.entry).bytes_needed(bytes) - report->dynamic_offset;
      if (needed > std::numeric_limits<std::uint32_t>::max())
        throw InputError(fmt::format("{}: kernel '{}' would need {} bytes of scratchpad memory", software_hash_argument,
                                     launch.entry, needed));
      launch.dynamic_shared_bytes = static_cast<std::uint32_t>(needed);
    }
    launch.module = replacement.get();
  }
  module = std::move(replacement);
  task.module_texts[module.get()] = std::move(rewritten.text);
}

}  // namespace

void apply_software_hash(const Evaluation& evaluation, exec::Task& task) {
  const hash::KernelHashes hashes(evaluation.text_of(software_hash_argument));
  const bool all_same = std::all_of(hashes.all().begin(), hashes.all().end(),
                                    [](const auto& kernel_and_spec) { return kernel_and_spec.second == "mod"; });
  if (all_same) return;
  check_names(hashes, task);
  check_graphs(task);
  const auto banks =
      static_cast<std::uint32_t>(std::get<std::int64_t>(evaluation.value_of(software_hash_banks_argument)));
  for (auto& module : task.modules) rewrite_module(module, hashes, banks, task);
}

}  // namespace lockstep::workload
