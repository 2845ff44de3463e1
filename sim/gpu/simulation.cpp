// The GPU around the SMs: thread block dispatch, the memory, and the windows in which time advances.
//
// Whatever leaves an SM is seen elsewhere at least W cycles later, W being the smaller of the memory latency and the
// launch latency of a thread block. So all SMs run W cycles alone; then their requests go to the memory in order of
// cycle, SM and sequence, ended blocks are replaced in the same order, and replies are handed back.

#include "sim/gpu/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "isa/machine/lowering.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "sim/engine/worker_pool.hpp"
#include "sim/gpu/launch_shape.hpp"
#include "sim/gpu/memory_system.hpp"
#include "sim/gpu/rgpu_launch.hpp"
#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

namespace {

/// One launch in progress.
class LaunchRun {
 public:
  LaunchRun(const GpuSpec& spec, trace::Source& source, std::uint32_t number, std::vector<Sm>& sms,
            MemorySystem& memory, engine::WorkerPool& pool)
      : spec_(spec),
        source_(source),
        number_(number),
        launch_(source.header().launches[number]),
        sms_(sms),
        memory_(memory),
        pool_(pool),
        window_(std::min(memory.round_trip(), spec.sm.launch_latency)) {}

  /// Calls `progress` (finished blocks) after every window in which a block ended.
  template <class Progress>
  Cycle run(Progress&& progress) {
    for (std::uint64_t n = 0; n < launch_.thread_blocks(); ++n) {  // The first blocks are dealt to the SMs in turn.
      Sm& sm = sms_[n % sms_.size()];
      if (!sm.has_room()) break;
      start_next(sm, 0, spec_.sm.launch_latency);
    }
    Cycle begin = 0;
    // The launch is over when its last store has been acknowledged.
    while (begin != never) {
      const Cycle end = begin + window_;
      pool_.for_each(sms_.size(), [&](std::size_t i) {
        if (sms_[i].next_event() < end) sms_[i].run_until(end);
      });
      for (const Sm& sm : sms_)
        if (sm.stuck()) report_locks(end);
      const std::uint64_t before = ended_;
      exchange(end);
      replace_ended_blocks(end);
      if (ended_ != before) progress(ended_);
      begin = std::max(end, next_event());
      if (begin == never && ended_ < launch_.thread_blocks()) report_deadlock(end);
    }
    last_ = std::max(last_, memory_.last_reply());
    if (memory_.outstanding() != 0)
      throw Bug("memory system", last_, fmt::format("{} requests were never answered", memory_.outstanding()));
    for (Sm& sm : sms_) sm.end_launch(last_);
    return last_;
  }

 private:
  void start_next(Sm& sm, Cycle now, Cycle start) {
    sm.start_block(source_.open(number_, started_), started_, now, start);
    ++started_;
  }

  void exchange(Cycle end) {
    for (std::uint32_t i = 0; i < sms_.size(); ++i) memory_.collect(i, sms_[i].outbox());
    memory_.run_until(end, pool_);
    for (std::uint32_t i = 0; i < sms_.size(); ++i) {
      for (const noc::Reply& reply : memory_.replies(i)) sms_[i].deliver(reply);
      memory_.replies(i).clear();
    }
  }

  void replace_ended_blocks(Cycle end) {
    ends_.clear();
    for (std::uint32_t i = 0; i < sms_.size(); ++i) {
      for (const Cycle cycle : sms_[i].ended_blocks()) ends_.push_back({cycle, i});
      sms_[i].ended_blocks().clear();
    }
    std::sort(ends_.begin(), ends_.end());
    for (const auto& [cycle, sm] : ends_) {
      ++ended_;
      last_ = std::max(last_, cycle);
      if (started_ < launch_.thread_blocks()) start_next(sms_[sm], end, cycle + spec_.sm.launch_latency);
    }
    if (ends_.empty() || ended_ < launch_.thread_blocks()) return;
    for (std::uint32_t i = 0; i < sms_.size(); ++i) {
      sms_[i].write_back(end);
      memory_.collect(i, sms_[i].outbox());
    }
  }

  Cycle next_event() const {
    Cycle next = memory_.next_event();
    for (const Sm& sm : sms_) next = std::min(next, sm.next_event());
    return next;
  }

  [[noreturn]] void report_locks(Cycle now) const {
    std::string text = fmt::format(
        "deadlock at cycle {}: a scratchpad lock was not released for more than "
        "sm.scratchpad.lock_watchdog = {} cycles, and warps retry",
        now, spec_.sm.scratchpad.lock_watchdog);
    for (const Sm& sm : sms_)
      if (sm.stuck()) text += sm.describe_locks();
    for (const Sm& sm : sms_)
      if (sm.stuck()) text += sm.describe_warps();
    throw InputError(text);
  }

  [[noreturn]] void report_deadlock(Cycle now) const {
    std::string text = fmt::format("deadlock at cycle {}: nothing can happen any more, but warps are waiting", now);
    std::string told;
    for (const Sm& sm : sms_) text += sm.describe_warps() + sm.describe_fabric(told);
    throw InputError(text + memory_.describe_waits());
  }

  const GpuSpec& spec_;
  trace::Source& source_;
  std::uint32_t number_;
  const trace::Launch& launch_;
  std::vector<Sm>& sms_;
  MemorySystem& memory_;
  engine::WorkerPool& pool_;
  Cycle window_;
  std::uint64_t started_ = 0, ended_ = 0;
  Cycle last_ = 0;
  std::vector<std::pair<Cycle, std::uint32_t>> ends_;
};

void append_issues(std::vector<Sm>& sms, std::uint32_t launch, std::vector<Issue>& all) {
  const auto first = static_cast<std::ptrdiff_t>(all.size());
  for (Sm& sm : sms) {
    for (Issue& issue : sm.issues()) issue.launch = launch;
    all.insert(all.end(), sm.issues().begin(), sm.issues().end());
    sm.issues().clear();
  }
  std::stable_sort(all.begin() + first, all.end(), [](const Issue& a, const Issue& b) { return a.cycle < b.cycle; });
}

/// The SMs hand over what they read in order of cycles; a warp is on one SM.
void append_clock_reads(std::vector<Sm>& sms, std::uint32_t launch, std::vector<ClockRead>& all) {
  const auto first = static_cast<std::ptrdiff_t>(all.size());
  for (Sm& sm : sms) {
    for (ClockRead& read : sm.clock_reads()) read.launch = launch;
    all.insert(all.end(), sm.clock_reads().begin(), sm.clock_reads().end());
    sm.clock_reads().clear();
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
  std::uint64_t all_blocks = 0, done_blocks = 0;
  for (const trace::Launch& launch : header.launches) all_blocks += launch.thread_blocks();

  engine::WorkerPool pool(std::min<unsigned>(options.threads, spec.sms));
  MemorySystem memory(spec);
  std::vector<Sm> sms;
  sms.reserve(spec.sms);
  for (std::uint32_t i = 0; i < spec.sms; ++i) sms.emplace_back(spec, memory.slices(), i);
  if (options.issues != nullptr)
    for (Sm& sm : sms) sm.log_issues();
  if (options.per_instruction)
    for (Sm& sm : sms) sm.profile_instructions();
  if (options.activity_interval != 0)
    for (Sm& sm : sms) sm.record_activity(options.activity_interval);
  if (options.per_node)
    for (Sm& sm : sms) sm.record_nodes();

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
    for (const Sm& sm : sms) sum += sm.counters().warp_instructions;
    return sum;
  };
  for (std::uint32_t n = 0; n < header.launches.size(); ++n) {
    const trace::Launch& launch = header.launches[n];
    const program::Kernel& kernel = header.kernels[launch.kernel];
    LaunchResult one;
    one.kernel = kernel.name;
    one.occupancy = occupancy(spec.sm.occupancy, kernel, launch);
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
    for (Sm& sm : sms) sm.begin_launch(context);
    memory.begin_launch();
    const std::uint64_t before = warp_instructions();
    LaunchRun run(spec, source, n, sms, memory, pool);
    one.cycles = run.run([&](std::uint64_t ended) {
      if (options.progress) options.progress(done_blocks + ended, all_blocks, warp_instructions());
    });
    if (options.issues != nullptr) append_issues(sms, n, *options.issues);
    std::vector<ClockRead> reads;
    append_clock_reads(sms, n, reads);
    if (const ClockTimes times = clock_times(reads); times.warps > 0) result.clock = times;
    if (options.clock_reads != nullptr)
      options.clock_reads->insert(options.clock_reads->end(), reads.begin(), reads.end());
    if (options.per_instruction)
      for (const Sm& sm : sms) sm.add_profile(result.instructions[launch.kernel]);
    if (options.activity_interval != 0) {
      LaunchActivity activity;
      sms.front().add_activity(activity.first_sm);
      for (const Sm& sm : sms) sm.add_activity(activity.all);
      activity.first_sm.resize(activity.all.size());
      result.activity.push_back(std::move(activity));
    }
    done_blocks += launch.thread_blocks();
    one.warp_instructions = warp_instructions() - before;
    result.cycles += one.cycles;
    result.launches.push_back(std::move(one));
  }
  if (options.per_node) {
    auto mapped = result.graphs.begin();
    for (std::size_t k = 0; k < header.kernels.size(); ++k) {
      for (std::size_t n = 0; n < header.kernels[k].graphs.size(); ++n, ++mapped) {
        const auto& nodes = header.kernels[k].graphs[n]->nodes;
        std::vector<rgpu::NodeCycles> cycles(nodes.size());
        for (const Sm& sm : sms) sm.add_nodes(graphs[k].mappings[n], cycles);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          mapped->node_cycles.push_back({nodes[i].name, dataflow::facts(nodes[i].op).name, cycles[i]});
        }
      }
    }
  }
  for (const Sm& sm : sms) counter::add(result.counters.sm, sm.counters());
  result.counters.memory = memory.counters();
  result.warp_instructions = result.counters.sm.warp_instructions;
  for (const machine::Program& program : programs)
    for (const std::string& mnemonic : program.later_instructions)
      if (std::find(result.notes.begin(), result.notes.end(), mnemonic) == result.notes.end())
        result.notes.push_back(mnemonic);
  for (std::string& note : result.notes)
    note = fmt::format("{} does not exist on {}: timed as its lowering table says", note, spec.target.instruction_set);
  note_absent_kernels("sm.scratchpad.bank_hash", spec.sm.scratchpad.bank_hash, header, result.notes);
  note_absent_kernels("sm.scratchpad.lock_hash", spec.sm.scratchpad.lock_hash, header, result.notes);
  return result;
}

}  // namespace lockstep::gpu
