#include "sim/experiment/running/settle_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>

#include "models/hash/kernel_hashes.hpp"
#include "models/hash/linear.hpp"
#include "models/hash_search/collect.hpp"
#include "models/hash_search/search.hpp"
#include "sim/config/parameter.hpp"

namespace lockstep::experiment {

namespace {

using hash::KernelAccesses;

/// `arguments` of the run with those of training in their place, as far as the workload has them.
workload::ArgumentOverrides training_arguments(const workload::Workload& workload,
                                               workload::ArgumentOverrides arguments, const HashSearch& search) {
  for (const workload::ArgumentInfo& argument : workload.arguments()) {
    for (const auto& [name, value] : search.train) {
      if (name != argument.name) continue;
      std::erase_if(arguments, [&argument](const auto& given) { return given.first == argument.name; });
      arguments.emplace_back(argument.name, value);
    }
  }
  return arguments;
}

hash::SearchRequest request_for(const HashUse& use, const gpu::GpuSpec& gpu, const std::string& kernel) {
  hash::SearchRequest request;
  request.unit = use.path.ends_with("lock_hash") ? hash::Unit::lock : hash::Unit::bank;
  request.words = gpu.sm.occupancy.scratchpad_bytes / 4;
  request.bank_hash = hash::KernelHashes(gpu.sm.scratchpad.bank_hash).spec_of(kernel);
  request.lock_hash = hash::KernelHashes(gpu.sm.scratchpad.lock_hash).spec_of(kernel);
  if (use.search) {
    request.family = use.search->family;
    request.method = use.search->method;
    request.steps = use.search->steps;
  }
  return request;
}

std::optional<std::uint32_t> gates_of(const std::string& spec, std::uint32_t targets, std::uint64_t words) {
  if (!std::has_single_bit(targets)) return std::nullopt;
  const auto linear = hash::linear_hash(spec, targets, static_cast<std::uint32_t>(std::bit_width(words - 1)));
  return linear ? std::optional(linear->xor_gates()) : std::nullopt;
}

workload::ArgumentOverrides without(workload::ArgumentOverrides arguments, std::string_view name) {
  std::erase_if(arguments, [&name](const auto& given) { return given.first == name; });
  return arguments;
}

bool in_software(const HashUse& use) {
  return use.path.starts_with(argument_prefix);
}

/// Arguments of the executions that a hash is found for: the run's own, and those of training.
struct Looked {
  workload::ArgumentOverrides own, trained;
};
Looked looked_at(const Run& run, const HashUse& use, const workload::Workload& workload) {
  Looked at;
  at.own = in_software(use) ? without(run.arguments, workload::software_hash_argument) : run.arguments;
  at.trained = use.search ? training_arguments(workload, at.own, *use.search) : at.own;
  return at;
}

/// What the kernels of a run access, collected once for each service and arguments that are asked for.
class RunAccesses {
 public:
  RunAccesses(const Run& run, Executions& executions) : run_(run), executions_(executions) {}

  const std::vector<KernelAccesses>& of(const gpu::GpuSpec& gpu, const workload::ArgumentOverrides& arguments) {
    const hash::ServiceRules rules(gpu.sm.scratchpad);
    for (const Collected& one : collected_)
      if (one.rules == rules && one.arguments == arguments) return one.accesses;
    const Task task = executions_.task(run_, arguments);
    std::unique_ptr<trace::Source> source;
    if (const auto execution = executions_.execution(task)) {
      source = execution->trace->open();
    } else {
      source = executions_.machine(task);
    }
    collected_.push_back({rules, arguments, hash::collect_accesses(*source, rules, gpu.target)});
    return collected_.back().accesses;
  }

 private:
  struct Collected {
    hash::ServiceRules rules;
    workload::ArgumentOverrides arguments;
    std::vector<KernelAccesses> accesses;
  };
  const Run& run_;
  Executions& executions_;
  std::deque<Collected> collected_;
};

/// Kernels that the hash is for: those without an atomic that takes a lock have nothing to hash locks for.
std::vector<const KernelAccesses*> concerned(const std::vector<KernelAccesses>& kernels, bool locks) {
  std::vector<const KernelAccesses*> found;
  for (const KernelAccesses& kernel : kernels)
    if (locks ? kernel.set.lock_access_count() > 0 : !kernel.set.empty()) found.push_back(&kernel);
  return found;
}

/// `same`: the accesses of training are those of the point.
SettledHash settle(const HashUse& use, const gpu::GpuSpec& gpu, const std::vector<KernelAccesses>& train,
                   const std::vector<KernelAccesses>& test, bool same) {
  SettledHash settled;
  settled.path = use.path;
  settled.spec = use.spec;
  const bool locks = use.path.ends_with("lock_hash");
  std::uint64_t bound_of_training = 0, cost_of_training = 0;
  if (use.search) {
    std::vector<std::string> of_kernel;
    const auto kernels = concerned(train, locks);
    for (const KernelAccesses* kernel : kernels) {
      const hash::SearchResult found = hash::search(kernel->set, request_for(use, gpu, kernel->kernel));
      of_kernel.push_back(kernels.size() == 1 ? found.hash : fmt::format("{}={}", kernel->kernel, found.hash));
      bound_of_training += found.lower_bound;
      cost_of_training += found.after;
    }
    settled.spec = of_kernel.empty() ? "mod" : fmt::format("{}", fmt::join(of_kernel, " "));
  }
  const hash::KernelHashes specs(settled.spec);
  const scratchpad::Spec& scratchpad = gpu.sm.scratchpad;
  for (const KernelAccesses* kernel : concerned(test, locks)) {
    const hash::SearchRequest request = request_for(use, gpu, kernel->kernel);
    const std::string& spec = specs.spec_of(kernel->kernel);
    const hash::HashCost cost = hash::cost_of(kernel->set, request, spec);
    settled.cost += cost.cost;
    settled.without_conflicts += cost.without_conflicts;
    settled.least += cost.least;
    const auto gates = locks ? gates_of(spec, scratchpad.locks, request.words)
                             : gates_of(spec, scratchpad.banks, request.words * 4 / scratchpad.bank_bytes);
    if (gates) settled.xor_gates = std::max(settled.xor_gates.value_or(0), *gates);
  }
  settled.lower_bound = use.search && same ? bound_of_training : settled.least;
  settled.optimal = use.search && same ? cost_of_training == bound_of_training : settled.cost == settled.least;
  return settled;
}

/// The GPU that a hash in software is made for: it moves 4-byte words, whatever the width of a bank, and there is no other
/// hash.
gpu::GpuSpec with_word_banks(gpu::GpuSpec gpu) {
  gpu.sm.scratchpad.bank_bytes = 4;
  gpu.sm.scratchpad.bank_hash = "mod";
  return gpu;
}

}  // namespace

std::vector<Task> tasks_of_hashes(const Run& run, Executions& executions) {
  std::vector<Task> tasks;
  const auto add = [&](const workload::ArgumentOverrides& arguments) {
    Task task = executions.task(run, arguments);
    if (std::none_of(tasks.begin(), tasks.end(), [&](const Task& other) { return other.key == task.key; }))
      tasks.push_back(std::move(task));
  };
  for (const HashUse& use : run.hashes) {
    if (!in_software(use) && arguments_wait_for_hash(run)) continue;  // Not known yet.
    const Looked at = looked_at(run, use, executions.workload(run.workload));
    add(at.trained);
    add(at.own);
  }
  return tasks;
}

bool arguments_wait_for_hash(const Run& run) {
  return std::any_of(run.hashes.begin(), run.hashes.end(), [](const HashUse& use) { return in_software(use); });
}

std::vector<SettledHash> settle_hashes(Run& run, Executions& executions) {
  std::vector<SettledHash> all;
  if (run.hashes.empty()) return all;
  const Run asked = run;
  RunAccesses accesses(asked, executions);
  for (const HashUse& use : asked.hashes) {
    const gpu::GpuSpec gpu = in_software(use) ? with_word_banks(run.gpu) : run.gpu;
    const Looked at = looked_at(run, use, executions.workload(run.workload));
    all.push_back(settle(use, gpu, accesses.of(gpu, at.trained), accesses.of(gpu, at.own), at.trained == at.own));
    if (in_software(use)) {
      if (without(at.own, workload::software_hash_banks_argument) != at.own)
        throw InputError(fmt::format("a named hash in {} is for the banks of the GPU; leave args.{} out", use.path,
                                     workload::software_hash_banks_argument));
      run.arguments = at.own;
      run.arguments.emplace_back(workload::software_hash_argument, all.back().spec);
      run.arguments.emplace_back(workload::software_hash_banks_argument, fmt::format("{}", gpu.sm.scratchpad.banks));
    } else {
      config::find_gpu_parameter(use.path)->set(run.gpu, all.back().spec);
    }
  }
  return all;
}

}  // namespace lockstep::experiment
