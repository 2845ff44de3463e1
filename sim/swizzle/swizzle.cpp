#include "sim/swizzle/swizzle.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <tuple>

#include "isa/did_you_mean.hpp"
#include "isa/exec/machine.hpp"
#include "isa/trace/kept_trace.hpp"
#include "models/hash_search/objective.hpp"
#include "models/layout_search/layout_search.hpp"
#include "sim/swizzle/kernel_survey.hpp"
#include "sim/swizzle/rewritten_task.hpp"

namespace lockstep::swizzle {

namespace {

using layout::Candidate;
using layout::LayoutRequest;
using rewrite::ArrayLayout;

/// Of two layouts of one array.
constexpr double least_speedup = 1.005;
/// Arrays that are searched, those with most conflicts.
constexpr std::size_t most_arrays = 8;
/// Layouts of one array that are executed and replayed.
constexpr std::size_t most_trials = 5;
/// Warp instructions that an SM issues in the time of a pass, roughly: only the order of candidates depends on it.
constexpr double issues_per_pass = 4;

/// The last part of a C++ name: "tile" of "_ZZ9transposePfE4tile".
std::string source_name(const std::string& variable) {
  int status = 0;
  char* const text = abi::__cxa_demangle(variable.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : variable;
  std::free(text);
  if (const std::size_t colons = name.rfind("::"); colons != std::string::npos) name = name.substr(colons + 2);
  return name;
}

std::uint64_t weight_of(const hash::AccessSet& set) {
  std::uint64_t all = 0;
  for (const auto* sequences : {&set.requests(), &set.lane_requests()})
    for (const auto& entry : sequences->entries()) all += entry.weight;
  return all;
}

/// One execution, kept to be read several times.
class Execution {
 public:
  Execution(std::unique_ptr<exec::Task> task)
      : task_(*task), buffers_(task->buffers.size()), machine_(std::move(task)) {
    trace_ = trace::KeptTrace::copy_of(machine_, budget_);
    if (trace_ == nullptr)
      throw ResourceError(
          "the trace of this workload takes more memory and temporary files than there are; "
          "choose smaller arguments (-s args.NAME=VALUE)");
    machine_.finish();
  }
  const exec::Task& task() const { return task_; }
  const exec::Machine& machine() const { return machine_; }
  std::unique_ptr<trace::Source> open() const { return trace_->open(); }
  std::size_t buffers() const { return buffers_; }

 private:
  const exec::Task& task_;
  std::size_t buffers_;
  exec::Machine machine_;
  trace::TraceBudget budget_{trace::TraceLimits{}};
  std::shared_ptr<const trace::KeptTrace> trace_;
};

/// An array with what it could become.
struct Choice {
  std::size_t kernel = 0;
  std::uint32_t array = 0;
  std::uint64_t avoidable = 0;  ///< Passes above the bound.
  std::vector<Candidate> candidates;
};
/// Per kernel and array.
using Layouts = std::vector<std::vector<ArrayLayout>>;

class Swizzle {
 public:
  Swizzle(const workload::Workload& workload, const workload::ArgumentOverrides& overrides, const gpu::GpuSpec& spec,
          const Options& options)
      : workload_(workload), overrides_(overrides), spec_(spec), options_(options) {}

  Result run() {
    result_.workload = workload_.name();
    result_.gpu = spec_.name;
    say("execute", 0);
    original_.emplace(build());
    check_kernel_name();
    check_original();
    kernels_ = survey_kernels(
        original_->task(), [&] { return original_->open(); }, spec_);
    const auto source = original_->open();
    result_.before = result_.after = replay(*source);
    for (const SurveyedKernel& kernel : kernels_) now_.emplace_back(kernel.places.size());
    search();
    options_.objective == Objective::time ? try_for_time() : try_fewest_passes();
    finish();
    return std::move(result_);
  }

 private:
  void say(std::string_view what, double fraction) const {
    if (options_.progress) options_.progress(what, fraction);
  }
  std::unique_ptr<exec::Task> build() const { return workload_.build(overrides_, &spec_.sm.rgpu); }

  void check_kernel_name() const {
    std::vector<std::string> names;
    for (const exec::KernelLaunch& launch : original_->task().launches) names.push_back(launch.entry);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (options_.kernel.empty() || std::binary_search(names.begin(), names.end(), options_.kernel)) return;
    throw InputError(SourceLocation{"--kernel", 0, 0},
                     fmt::format("the workload {} launches no kernel '{}'{} (it launches: {})", result_.workload,
                                 options_.kernel, did_you_mean(options_.kernel, names), fmt::join(names, ", ")));
  }

  void check_original() {
    const workload::CheckResult check = workload_.check(overrides_, original_->machine());
    result_.checked = check.checked;
    if (check.checked && !check.passed)
      throw InputError(check.where,
                       fmt::format("the kernels as they are do not compute what is expected: {}", check.message));
  }

  ReplayResult replay(trace::Source& source) const {
    gpu::Options options;
    options.threads = options_.threads;
    const gpu::Result result = gpu::simulate(spec_, source, options);
    return {result.cycles, result.warp_instructions, result.counters.sm.scratchpad_bank_conflicts,
            result.time_ms(spec_)};
  }

  std::uint64_t bytes_without(const SurveyedKernel& kernel, std::uint32_t array) const {
    std::uint64_t others = 0;
    for (std::size_t a = 0; a < kernel.places.size(); ++a)
      if (a != array) others += kernel.places[a].bytes;
    return others;
  }

  /// Candidates of every array that has conflicts which some layout may avoid.
  void search() {
    say("search", 0);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const SurveyedKernel& kernel = kernels_[k];
      const hash::AddressMap banks = bank_map(spec_, kernel.id.second);
      for (std::uint32_t a = 0; a < kernel.places.size(); ++a) {
        const auto& array = kernel.accesses.arrays[a];
        LayoutRequest request{kernel.places[a], &banks, array.widest_access, 0};
        const std::uint64_t limit = spec_.sm.occupancy.scratchpad_bytes_per_block;
        request.most_bytes = limit - std::min(limit, bytes_without(kernel, a));
        ArrayResult own = describe(kernel, a, request);
        const bool wanted = options_.kernel.empty() || options_.kernel == kernel.id.second;
        if (!wanted) own.fixed = "its kernel is left out";
        if (own.fixed.empty() && own.conflicts_before > own.lower_bound) {
          Choice choice{k, a, own.conflicts_before - own.lower_bound, candidates_of(k, a, request)};
          if (!choice.candidates.empty()) {
            own.fewest = choice.candidates[0].layout;
            own.fewest_conflicts = choice.candidates[0].passes;
            choices_.push_back(std::move(choice));
          }
        }
        result_.arrays.push_back(std::move(own));
      }
    }
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const Choice& a, const Choice& b) { return a.avoidable > b.avoidable; });
    if (choices_.size() > most_arrays) choices_.resize(most_arrays);
  }

  ArrayResult describe(const SurveyedKernel& kernel, std::uint32_t a, const LayoutRequest& request) const {
    const auto& array = kernel.accesses.arrays[a];
    ArrayResult own;
    own.kernel = kernel.id.second;
    own.variable = array.variable->name;
    own.name = source_name(own.variable);
    own.bytes = own.bytes_after = kernel.places[a].bytes;
    own.fixed = array.fixed;
    own.lines = kernel.lines[a];
    const std::uint64_t requests = weight_of(kernel.issued[a]);
    own.conflicts_before = own.conflicts_after = layout::passes_of(kernel.issued[a], request, {}) - requests;
    own.lower_bound = hash::least_passes(kernel.issued[a]) - requests;
    return own;
  }

  /// Those that keep the accesses that the compiler has joined; and where it has, also those that part them. Of these the
  /// ones that promise most, by their conflicts and the instructions that compute addresses, most first.
  std::vector<Candidate> candidates_of(std::size_t k, std::uint32_t a, LayoutRequest request) const {
    const SurveyedKernel& kernel = kernels_[k];
    std::vector<Candidate> all;
    const auto add = [&](const hash::AccessSet& set, std::uint32_t contiguous) {
      request.contiguous_bytes = contiguous;
      for (const Candidate& one : layout::search_layouts(set, request).best)
        if (std::none_of(all.begin(), all.end(), [&](const Candidate& other) { return other.layout == one.layout; }))
          all.push_back({one.layout, one.passes - weight_of(set)});
    };
    const std::uint32_t widest = request.contiguous_bytes;
    if (weight_of(kernel.issued[a]) != weight_of(kernel.single[a]))
      for (const std::uint32_t together : {16u, 8u})
        if (together >= widest) add(kernel.issued[a], together);
    add(kernel.single[a], widest);
    if (options_.objective == Objective::passes) {
      std::stable_sort(all.begin(), all.end(),
                       [](const Candidate& x, const Candidate& y) { return x.passes < y.passes; });
      return all;
    }
    std::vector<std::pair<double, Candidate>> promising;
    for (const Candidate& one : all) {
      Layouts layouts = now_;
      layouts[k][a] = one.layout;
      const Changes changes = changes_of(layouts);
      const auto cost = rewrite::address_cost(*kernel.program->module, changes.begin()->second.request);
      promising.emplace_back(static_cast<double>(one.passes) + static_cast<double>(cost) / issues_per_pass, one);
    }
    std::stable_sort(promising.begin(), promising.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    if (promising.size() > most_trials) promising.resize(most_trials);
    all.clear();
    for (const auto& [score, one] : promising) all.push_back(one);
    return all;
  }

  Changes changes_of(const Layouts& layouts) const {
    Changes changes;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      KernelChange change;
      for (std::size_t a = 0; a < layouts[k].size(); ++a) {
        if (layouts[k][a].is_unchanged()) continue;
        const ptx::Variable& variable = *kernels_[k].accesses.arrays[a].variable;
        change.request.changes.push_back({variable.name, layouts[k][a]});
        if (variable.is_extern) change.dynamic = layouts[k][a];
      }
      if (change.request.changes.empty()) continue;
      change.request.kernel = kernels_[k].id.second;
      change.request.executions = kernels_[k].executions;
      change.request.block = kernels_[k].block;
      changes[kernels_[k].id] = std::move(change);
    }
    return changes;
  }

  /// Whether the machine's buffers hold what they held originally; or, where the order of thread blocks or atomics
  /// decides on that, what is expected of them.
  std::string difference(const exec::Machine& machine) const {
    for (std::uint32_t b = 0; b < original_->buffers(); ++b) {
      const auto was = original_->machine().buffer(b), is = machine.buffer(b);
      if (std::equal(was.begin(), was.end(), is.begin(), is.end())) continue;
      const workload::CheckResult check = workload_.check(overrides_, machine);
      if (check.checked && check.passed) return {};
      return fmt::format("its output differs in buffer {}", original_->task().buffers[b].name);
    }
    return {};
  }

  Trial try_out(const Layouts& layouts, std::string what) const {
    Trial trial{std::move(what), {}, {}};
    try {
      auto task = build();
      rewrite_task(*task, changes_of(layouts));
      exec::Machine machine(std::move(task));
      trial.replay = replay(machine);
      machine.finish();
      trial.failed = difference(machine);
    } catch (const InputError& error) {
      trial.failed = error.what();
    }
    return trial;
  }

  std::string name_of(const Choice& choice, const ArrayLayout& layout) const {
    const SurveyedKernel& kernel = kernels_[choice.kernel];
    return fmt::format("{}: {} {}", kernel.id.second, source_name(kernel.accesses.arrays[choice.array].variable->name),
                       layout.name());
  }

  /// Array by array, all others as they are by then. Of layouts with hardly any difference in time, the one with the
  /// fewest conflicts; of two that are alike in both, the one with less memory.
  void try_for_time() {
    std::size_t all = 0, done = 0;
    for (const Choice& choice : choices_) all += choice.candidates.size();
    std::uint64_t now = result_.before.cycles;
    for (const Choice& choice : choices_) {
      ArrayLayout& own = now_[choice.kernel][choice.array];
      const std::size_t first = result_.trials.size();
      for (const Candidate& candidate : choice.candidates) {
        say("try " + candidate.layout.name(), static_cast<double>(done++) / static_cast<double>(all));
        own = candidate.layout;
        result_.trials.push_back(try_out(now_, name_of(choice, candidate.layout)));
      }
      own = {};
      std::uint64_t fastest = now;
      for (std::size_t t = first; t < result_.trials.size(); ++t)
        if (result_.trials[t].failed.empty()) fastest = std::min(fastest, result_.trials[t].replay.cycles);
      if (!is_faster(fastest, now)) continue;
      using Rank = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // Conflicts, cycles, bytes.
      std::optional<Rank> best;
      for (std::size_t t = first; t < result_.trials.size(); ++t) {
        const Trial& trial = result_.trials[t];
        if (!trial.failed.empty() || is_faster(fastest, trial.replay.cycles) || !is_faster(trial.replay.cycles, now))
          continue;
        const ArrayLayout& layout = choice.candidates[t - first].layout;
        const Rank rank{trial.replay.bank_conflicts, trial.replay.cycles,
                        layout.bytes_needed(kernels_[choice.kernel].places[choice.array].bytes)};
        if (best && rank >= *best) continue;
        best = rank;
        own = layout;
      }
      now = std::get<1>(*best);
    }
    const double gain =
        static_cast<double>(result_.before.cycles) / static_cast<double>(std::max<std::uint64_t>(1, now)) - 1;
    if (gain >= options_.least_gain) return;
    result_.left_gain = gain;
    for (auto& layouts : now_) std::fill(layouts.begin(), layouts.end(), ArrayLayout());
  }
  static bool is_faster(std::uint64_t cycles, std::uint64_t than) {
    return static_cast<double>(than) >= least_speedup * static_cast<double>(cycles);
  }

  void try_fewest_passes() {
    for (const Choice& choice : choices_) {
      for (const Candidate& candidate : choice.candidates) {
        now_[choice.kernel][choice.array] = candidate.layout;
        result_.trials.push_back(try_out(now_, name_of(choice, candidate.layout)));
        if (result_.trials.back().failed.empty()) break;
        now_[choice.kernel][choice.array] = {};
      }
    }
  }

  /// Executes once more what was chosen, to count what the GPU issues then.
  void finish() {
    const Changes changes = changes_of(now_);
    if (changes.empty()) return;
    result_.changed = true;
    auto task = build();
    for (const auto& [id, rewritten] : rewrite_task(*task, changes)) {
      result_.added_instructions += rewritten.added_instructions;
      const auto& block = changes.at(id).request.block;
      if (rewritten.requires_block)
        result_.kernels_of_one_block.push_back(
            fmt::format("{} {} x {} x {}", id.second, (*block)[0], (*block)[1], (*block)[2]));
    }
    for (const auto& [module, text] : task->module_texts) result_.files.push_back({module->file, text});
    const Execution execution(std::move(task));
    if (const std::string problem = difference(execution.machine()); !problem.empty())
      throw Bug("the chosen layouts: " + problem);
    const auto source = execution.open();
    result_.after = replay(*source);
    const std::vector<SurveyedKernel> after = survey_kernels(
        execution.task(), [&] { return execution.open(); }, spec_);
    std::size_t number = 0;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const hash::AddressMap banks = bank_map(spec_, kernels_[k].id.second);
      for (std::uint32_t a = 0; a < kernels_[k].places.size(); ++a) {
        ArrayResult& own = result_.arrays[number++];
        own.layout = now_[k][a];
        own.bytes_after = after[k].places[a].bytes;
        const LayoutRequest request{after[k].places[a], &banks, 4, 0};
        own.conflicts_after = layout::passes_of(after[k].issued[a], request, {}) - weight_of(after[k].issued[a]);
        const auto& array = kernels_[k].accesses.arrays[a];
        own.source = cuda_source({own.name, own.bytes, std::max(1u, array.element_bytes), pitches_of(kernels_[k], a)},
                                 own.layout);
      }
    }
  }

  const workload::Workload& workload_;
  const workload::ArgumentOverrides& overrides_;
  const gpu::GpuSpec& spec_;
  const Options& options_;
  std::optional<Execution> original_;
  std::vector<SurveyedKernel> kernels_;
  std::vector<Choice> choices_;
  Layouts now_;
  Result result_;
};

template <class Member>
std::uint64_t sum_of(const std::vector<ArrayResult>& arrays, Member member) {
  return std::accumulate(arrays.begin(), arrays.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const ArrayResult& one) { return sum + one.*member; });
}

}  // namespace

std::uint64_t Result::conflicts_before() const {
  return sum_of(arrays, &ArrayResult::conflicts_before);
}
std::uint64_t Result::conflicts_after() const {
  return sum_of(arrays, &ArrayResult::conflicts_after);
}
std::uint64_t Result::lower_bound() const {
  return sum_of(arrays, &ArrayResult::lower_bound);
}

Result swizzle(const workload::Workload& workload, const workload::ArgumentOverrides& overrides,
               const gpu::GpuSpec& spec, const Options& options) {
  if (workload.has_graph())
    throw InputError(fmt::format("{} has a graph, whose accesses come from no kernel; layouts are those of kernels",
                                 workload.name()));
  return Swizzle(workload, overrides, spec, options).run();
}

}  // namespace lockstep::swizzle
