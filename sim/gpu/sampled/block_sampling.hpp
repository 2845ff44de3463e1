#pragma once
// Which thread blocks of a launch are replayed, and what the others would have taken.

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "isa/trace/source.hpp"
#include "sim/engine/worker_pool.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/issue.hpp"
#include "sim/gpu/memory/memory_system.hpp"
#include "sim/gpu/sampled/block_work.hpp"
#include "sim/gpu/sampled/plan.hpp"
#include "sim/gpu/sampled/record.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu::sampled {

/// What a launch's replay passed over, and what that comes to.
struct PassedOver {
  std::uint64_t thread_blocks = 0, warp_instructions = 0;
  double cycles = 0;  ///< By which the launch is longer than its replay.
  double error = 0;   ///< Of them, in cycles, with `confidence`.
  /// All that was counted from the second wave to the last gap, in so many cycles.
  Counters counted;
  Cycle counted_cycles = 0;
};

/// Of one launch, told by its LaunchRun of every thread block that begins and ends.
class BlockSampling {
 public:
  /// Everything outlives this. `counters`: all that has been counted before a cycle.
  BlockSampling(const GpuSpec& spec, trace::Source& source, std::uint32_t launch, MemorySystem& memory,
                engine::WorkerPool& pool, double wanted_error, std::function<Counters(Cycle)> counters);

  /// The first thread blocks, as many as fit at a time, have been given to the SMs.
  void begin(std::uint64_t resident) { wave_ = resident; }
  /// The next thread block is to take a place at cycle `now`. Returns how many are passed over in front of it: what they leave in
  /// the memory is there then.
  std::uint64_t pass(Cycle now);
  /// The next thread block takes a place that has been free since a cycle; its streams to replay.
  std::unique_ptr<trace::ThreadBlockStreams> start(std::unique_ptr<trace::ThreadBlockStreams> streams, Cycle free);
  /// Takes the thread blocks that have ended from those of an SM.
  void take_ended(std::vector<BlockRun>& blocks);

  /// When the launch has ended.
  PassedOver passed_over() const;
  /// Waves of thread blocks of the launch; 0: it fits at once.
  std::uint64_t waves() const;

 private:
  static constexpr std::size_t no_run = ~std::size_t{0};
  /// A thread block that is resident.
  struct Resident {
    Resident(const WorkReader& reader, std::uint32_t warps) : work(reader, warps) {}
    WorkReader::Progress work;
    Cycle free = 0;
    std::size_t run = no_run;
  };
  void read_gap(const Step& step);
  std::uint64_t remembered_blocks() const;
  void begin_run(Cycle now);

  const GpuSpec& spec_;
  trace::Source& source_;
  std::uint32_t launch_, warps_;
  std::uint64_t all_;
  MemorySystem& memory_;
  engine::WorkerPool& pool_;
  double wanted_error_;
  std::function<Counters(Cycle)> counters_;
  WorkReader reader_;
  std::uint64_t wave_ = 0;               ///< Thread blocks.
  std::uint64_t next_ = 0, passed_ = 0;  ///< The next thread block; of those in front of it, how many were passed over.
  std::uint64_t passed_instructions_ = 0;
  std::uint64_t stretch_end_ = 0;  ///< The thread block at which the next run or gap begins.
  std::size_t run_ = no_run;       ///< That begins now.
  std::size_t due_runs_ = 0;       ///< That come next, whatever they show: those behind a gap.
  Record record_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Resident>> resident_;  ///< By number.
  std::optional<Counters> counted_from_, counted_to_;
  Cycle counted_begin_ = 0, counted_end_ = 0;
};

}  // namespace lockstep::gpu::sampled
