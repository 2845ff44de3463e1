// A replay: the launches of a trace one after the other, and what is collected of them.

#include "sim/gpu/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "isa/machine/lowering.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "sim/engine/worker_pool.hpp"
#include "sim/gpu/launch_run.hpp"
#include "sim/gpu/launch_shape.hpp"
#include "sim/gpu/memory/memory_system.hpp"
#include "sim/gpu/sampled/launch_sampler.hpp"
#include "sim/gpu/sm/rgpu/rgpu_launch.hpp"
#include "sim/gpu/sm/sm.hpp"

namespace lockstep::gpu {

namespace {

/// Those that have thread blocks of a launch.
using UsedSms = std::span<const std::unique_ptr<Sm>>;

void append_issues(UsedSms sms, std::uint32_t launch, std::vector<Issue>& all) {
  const auto first = static_cast<std::ptrdiff_t>(all.size());
  for (const auto& sm : sms) {
    for (Issue& issue : sm->issues()) issue.launch = launch;
    all.insert(all.end(), sm->issues().begin(), sm->issues().end());
    sm->issues().clear();
  }
  std::stable_sort(all.begin() + first, all.end(), [](const Issue& a, const Issue& b) { return a.cycle < b.cycle; });
}

/// The SMs hand over what they read in order of cycles; a warp is on one SM.
void append_clock_reads(UsedSms sms, std::uint32_t launch, std::vector<ClockRead>& all) {
  const auto first = static_cast<std::ptrdiff_t>(all.size());
  for (const auto& sm : sms) {
    for (ClockRead& read : sm->clock_reads()) read.launch = launch;
    all.insert(all.end(), sm->clock_reads().begin(), sm->clock_reads().end());
    sm->clock_reads().clear();
  }
  std::stable_sort(all.begin() + first, all.end(), [](const ClockRead& a, const ClockRead& b) {
    return std::pair(a.thread_block, a.warp) < std::pair(b.thread_block, b.warp);
  });
}

/// A line for each kernel that a hash parameter names and the trace does not have.
void note_absent_kernels(const std::string& path, const std::string& text, const trace::Header& header,
                         std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const program::Kernel& kernel : header.kernels) names.push_back(kernel.name);
  const hash::KernelHashes hashes(text);
  for (const auto& [kernel, spec] : hashes.all()) {
    if (kernel.empty() || std::find(names.begin(), names.end(), kernel) != names.end()) continue;
    notes.push_back(fmt::format("{} names kernel '{}', which this trace does not have{}", path, kernel,
                                did_you_mean(kernel, names)));
  }
}

}  // namespace

Result simulate(const GpuSpec& spec, trace::Source& source, const Options& options) {
  std::vector<machine::Program> programs;
  for (const program::Kernel& kernel : source.header().kernels) programs.push_back(machine::lower(kernel, spec.target));
  return simulate_lowered(spec, source, programs, options);
}

Result simulate_lowered(const GpuSpec& spec, trace::Source& source, const std::vector<machine::Program>& programs,
                        const Options& options) {
  const trace::Header& header = source.header();
  if (programs.size() != header.kernels.size())
    throw Bug(fmt::format("{} programs for {} kernels", programs.size(), header.kernels.size()));
  std::uint64_t all_blocks = 0, done_blocks = 0, most_blocks = 0;
  for (const trace::Launch& launch : header.launches) {
    all_blocks += launch.thread_blocks();
    most_blocks = std::max(most_blocks, launch.thread_blocks());
  }

  engine::WorkerPool pool(std::min<unsigned>(options.threads, spec.sms));
  MemorySystem memory(spec);
  std::vector<std::unique_ptr<Sm>> sms;
  // Thread blocks are dealt to the SMs in turn: SMs that a launch does not reach do nothing, but have issue slots.
  std::uint64_t slots_of_others = 0;
  for (std::uint32_t i = 0; i < std::min<std::uint64_t>(spec.sms, most_blocks); ++i)
    sms.push_back(std::make_unique<Sm>(spec, memory.slices(), i));
  const IssueWindow& window = options.issue_window;
  const auto watched = [&window](std::uint32_t sm) {
    return window.sms.empty() || std::find(window.sms.begin(), window.sms.end(), sm) != window.sms.end();
  };
  if (options.blocks != nullptr)
    for (const auto& sm : sms) sm->log_blocks();
  if (options.per_instruction)
    for (const auto& sm : sms) sm->profile_instructions();
  if (options.activity_interval != 0)
    for (const auto& sm : sms) sm->record_activity(options.activity_interval);
  if (options.per_node)
    for (const auto& sm : sms) sm->record_nodes();

  std::optional<Sampler> sampler;
  if (options.samples.interval != 0) sampler.emplace(spec, options.samples, sms, memory);

  Result result;
  if (options.per_instruction)
    for (const program::Kernel& kernel : header.kernels) result.instructions.emplace_back(kernel.instructions.size());
  std::vector<std::shared_ptr<const scratchpad::Maps>> maps;  // Of each kernel.
  for (const program::Kernel& kernel : header.kernels) {
    const std::uint64_t bytes = spec.sm.occupancy.scratchpad_bytes;
    maps.push_back(std::make_shared<const scratchpad::Maps>(make_maps(spec.sm.scratchpad, bytes, kernel.name)));
  }
  std::vector<KernelGraphs> graphs;
  for (const program::Kernel& kernel : header.kernels) {
    graphs.push_back(map_graphs(spec, kernel));
    for (std::size_t n = 0; n < kernel.graphs.size(); ++n) {
      const rgpu::Mapping& mapping = graphs.back().mappings[n];
      result.graphs.push_back({kernel.name, kernel.graphs[n]->name,
                               static_cast<std::uint32_t>(kernel.graphs[n]->nodes.size()), mapping.lanes, mapping.cores,
                               mapping.load_store_units});
    }
  }
  const auto warp_instructions = [&] {
    std::uint64_t sum = 0;
    for (const auto& sm : sms) sum += sm->counters().warp_instructions;
    return sum;
  };
  for (std::uint32_t n = 0; n < header.launches.size(); ++n) {
    const trace::Launch& launch = header.launches[n];
    const program::Kernel& kernel = header.kernels[launch.kernel];
    LaunchResult one;
    one.kernel = kernel.name;
    one.occupancy = occupancy(spec.sm.occupancy, kernel, with_registers(launch, programs[launch.kernel]));
    if (!kernel.graphs.empty()) one.occupancy = {1, launch.warps_per_block(), "R-GPU mode"};
    LaunchContext context;
    context.program = &programs[launch.kernel];
    context.windows = header.windows;
    context.warps_per_block = launch.warps_per_block();
    context.resident_blocks = one.occupancy.blocks;
    context.scratchpad_bytes_per_block = scratchpad_bytes_per_block(spec.sm.occupancy, kernel, launch);
    context.maps = maps[launch.kernel];
    context.mappings = kernel.graphs.empty() ? nullptr : &graphs[launch.kernel].mappings;
    context.communicates = graphs[launch.kernel].communicates;
    const UsedSms used(sms.data(), std::min<std::uint64_t>(sms.size(), launch.thread_blocks()));
    if (options.issues != nullptr) {
      const auto here = [&](Cycle cycle) { return cycle == never ? never : cycle - std::min(cycle, result.cycles); };
      for (std::uint32_t i = 0; i < used.size(); ++i)
        if (watched(i)) used[i]->log_issues(here(window.from), here(window.to), window.warps);
    }
    for (const auto& sm : used) sm->begin_launch(context);
    memory.begin_launch();
    const std::uint64_t before = warp_instructions();
    if (sampler) sampler->begin_launch(used.size(), result.cycles);
    sampled::LaunchSampler sampling(spec, source, n, {used, memory, pool}, options.sampled_error);
    LaunchRun run(spec, source, n, used, memory, pool, sampler ? &*sampler : nullptr, sampling.blocks());
    one.cycles = run.run([&](std::uint64_t ended) {
      if (options.progress) options.progress(done_blocks + ended, all_blocks, warp_instructions());
    });
    counter::add(result.counters, sampling.conclude(one));
    slots_of_others += (spec.sms - used.size()) * used.front()->slots_until(one.cycles);
    if (options.issues != nullptr) append_issues(used, n, *options.issues);
    if (options.blocks != nullptr) {
      for (const auto& sm : used) {
        for (BlockRun block : sm->blocks()) {
          block.launch = n;
          options.blocks->push_back(block);
        }
      }
    }
    std::vector<ClockRead> reads;
    append_clock_reads(used, n, reads);
    if (const ClockTimes times = clock_times(reads); times.warps > 0) result.clock = times;
    if (options.clock_reads != nullptr)
      options.clock_reads->insert(options.clock_reads->end(), reads.begin(), reads.end());
    if (options.per_instruction) {
      result.examples.resize(header.kernels.size());
      for (const auto& sm : used) {
        sm->add_profile(result.instructions[launch.kernel]);
        for (const auto& [instruction, example] : sm->examples()) {
          const auto [kept, is_new] = result.examples[launch.kernel].try_emplace(instruction, example);
          if (!is_new && example.costlier_than(kept->second)) kept->second = example;
        }
      }
    }
    if (options.activity_interval != 0) {
      LaunchActivity activity;
      used.front()->add_activity(activity.first_sm);
      for (const auto& sm : used) sm->add_activity(activity.all);
      activity.first_sm.resize(activity.all.size());
      result.activity.push_back(std::move(activity));
    }
    done_blocks += launch.thread_blocks();
    one.warp_instructions = warp_instructions() - before + one.sampling.warp_instructions;
    result.cycles += one.cycles;
    result.launches.push_back(std::move(one));
  }
  if (sampler) sampler->end(result.cycles);
  if (options.per_node) {
    auto mapped = result.graphs.begin();
    for (std::size_t k = 0; k < header.kernels.size(); ++k) {
      for (std::size_t n = 0; n < header.kernels[k].graphs.size(); ++n, ++mapped) {
        const auto& nodes = header.kernels[k].graphs[n]->nodes;
        std::vector<rgpu::NodeCycles> cycles(nodes.size());
        for (const auto& sm : sms) sm->add_nodes(graphs[k].mappings[n], cycles);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          mapped->node_cycles.push_back({nodes[i].name, dataflow::facts(nodes[i].op).name, cycles[i]});
        }
      }
    }
  }
  for (const auto& sm : sms) counter::add(result.counters.sm, sm->counters());
  result.counters.sm.slots[static_cast<std::size_t>(Slot::no_warp)] += slots_of_others;
  counter::add(result.counters.memory, memory.counters());
  result.warp_instructions = result.counters.sm.warp_instructions;
  for (const machine::Program& program : programs)
    for (const std::string& mnemonic : program.later_instructions)
      if (std::find(result.notes.begin(), result.notes.end(), mnemonic) == result.notes.end())
        result.notes.push_back(mnemonic);
  for (std::string& note : result.notes)
    note = fmt::format("{} has no machine instruction of its own on {}: timed as its lowering table says", note,
                       spec.target.instruction_set);
  if (options.sampled_error != 0) sampled::conclude(options.sampled_error, result);
  note_absent_kernels("sm.scratchpad.bank_hash", spec.sm.scratchpad.bank_hash, header, result.notes);
  note_absent_kernels("sm.scratchpad.lock_hash", spec.sm.scratchpad.lock_hash, header, result.notes);
  if (const auto dependences = source.order_dependences()) {
    for (const trace::OrderDependence& dependence : *dependences)
      result.notes.push_back(trace::describe(header, dependence));
  }
  return result;
}

}  // namespace lockstep::gpu
