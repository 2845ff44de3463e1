#include "sim/experiment/named_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>

#include "isa/exec/machine.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/hash/linear.hpp"
#include "models/hash_search/collect.hpp"
#include "models/hash_search/search.hpp"
#include "sim/config/parameter.hpp"
#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

namespace {

using hash::KernelAccesses;

/// `arguments` of the point with those of training in their place, as far as the workload has them.
workload::ArgumentOverrides training_arguments(const Point& point, workload::ArgumentOverrides arguments,
                                               const HashSearch& search) {
  for (const workload::ArgumentInfo& argument : workload::Workload::load(point.workload).arguments()) {
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

constexpr std::string_view argument_prefix = "args.";

workload::ArgumentOverrides without(workload::ArgumentOverrides arguments, std::string_view name) {
  std::erase_if(arguments, [&name](const auto& given) { return given.first == name; });
  return arguments;
}

/// What the kernels of a point access, executed once for each GPU and arguments that are asked for.
class PointAccesses {
 public:
  explicit PointAccesses(const Point& point) : point_(point) {}

  const std::vector<KernelAccesses>& of(const gpu::GpuSpec& gpu, const workload::ArgumentOverrides& arguments) {
    const hash::ServiceRules rules(gpu.sm.scratchpad);
    for (const Collected& one : collected_)
      if (one.rules == rules && one.arguments == arguments) return one.accesses;
    exec::Machine machine(workload::Workload::load(point_.workload).build(arguments, &gpu.sm.rgpu));
    collected_.push_back({rules, arguments, hash::collect_accesses(machine, rules, gpu.target)});
    return collected_.back().accesses;
  }

 private:
  struct Collected {
    hash::ServiceRules rules;
    workload::ArgumentOverrides arguments;
    std::vector<KernelAccesses> accesses;
  };
  const Point& point_;
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

std::vector<SettledHash> settle_hashes(Point& point) {
  std::vector<SettledHash> all;
  if (point.hashes.empty()) return all;
  PointAccesses accesses(point);
  const workload::ArgumentOverrides plain = without(point.arguments, workload::software_hash_argument);
  for (const HashUse& use : point.hashes) {
    const bool in_software = use.path.starts_with(argument_prefix);
    const gpu::GpuSpec gpu = in_software ? with_word_banks(point.gpu) : point.gpu;
    const workload::ArgumentOverrides& own = in_software ? plain : point.arguments;
    const workload::ArgumentOverrides trained = use.search ? training_arguments(point, own, *use.search) : own;
    all.push_back(settle(use, gpu, accesses.of(gpu, trained), accesses.of(gpu, own), trained == own));
    if (in_software) {
      if (without(plain, workload::software_hash_banks_argument) != plain)
        throw InputError(fmt::format("a named hash in {} is for the banks of the GPU; leave args.{} out", use.path,
                                     workload::software_hash_banks_argument));
      point.arguments = plain;
      point.arguments.emplace_back(workload::software_hash_argument, all.back().spec);
      point.arguments.emplace_back(workload::software_hash_banks_argument, fmt::format("{}", gpu.sm.scratchpad.banks));
    } else {
      config::find_gpu_parameter(use.path)->set(point.gpu, all.back().spec);
    }
  }
  return all;
}

const std::vector<HashColumn>& hash_columns() {
  static const std::vector<HashColumn> all = {
      {"hash.cost", "passes",
       "Passes over the banks (or retries of lock loops) with the named hash, as the search counts them: warps one by "
       "one",
       [](const SettledHash& h) -> std::optional<double> { return static_cast<double>(h.cost); }},
      {"hash.conflicts", "passes", "Passes (or retries) beyond those of requests without conflicts",
       [](const SettledHash& h) -> std::optional<double> { return static_cast<double>(h.cost - h.without_conflicts); }},
      {"hash.least", "passes", "Passes (or retries) that no mapping of any kind can avoid",
       [](const SettledHash& h) -> std::optional<double> { return static_cast<double>(h.least); }},
      {"hash.lower_bound", "passes", "Passes (or retries) that no hash of the searched family can avoid",
       [](const SettledHash& h) -> std::optional<double> { return static_cast<double>(h.lower_bound); }},
      {"hash.above_least", "", "Cost above what no mapping can avoid, relative to that",
       [](const SettledHash& h) -> std::optional<double> {
         if (h.least == 0) return std::nullopt;
         return static_cast<double>(h.cost - h.least) / static_cast<double>(h.least);
       }},
      {"hash.optimal", "", "1 when the cost meets the lower bound",
       [](const SettledHash& h) -> std::optional<double> { return h.optimal ? 1 : 0; }},
      {"hash.xor_gates", "gates", "Two-input XOR gates of a linear hash, each target bit by itself",
       [](const SettledHash& h) -> std::optional<double> { return h.xor_gates; }},
  };
  return all;
}

}  // namespace lockstep::experiment
