#pragma once
// One streaming multiprocessor: front end, scratchpad unit, memory unit and R-GPU unit, put together. Between two exchanges
// it runs alone over its own state; whatever concerns the rest of the GPU leaves through the outbox and the list of ended
// blocks.
//
// An SM advances from event to event: a scheduler's next slot in which a warp may issue, a reply from memory, or an event of
// its R-GPU mode.

#include <memory>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"
#include "models/noc/message.hpp"
#include "models/noc/slice_map.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/issue.hpp"
#include "sim/gpu/sample.hpp"
#include "sim/gpu/sm/front_end/front_end.hpp"
#include "sim/gpu/sm/launch_context.hpp"
#include "sim/gpu/sm/memory/memory_unit.hpp"
#include "sim/gpu/sm/rgpu/rgpu_unit.hpp"
#include "sim/gpu/sm/scratchpad/scratchpad_unit.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class Sm {
 public:
  Sm(const GpuSpec& spec, const noc::SliceMap& slices, std::uint32_t index);
  Sm(const Sm&) = delete;  // Its parts refer to each other.
  Sm& operator=(const Sm&) = delete;

  void begin_launch(const LaunchContext& launch);
  bool has_room() const { return front_end_.has_room(); }
  /// At cycle `now`, makes a thread block resident; its warps may issue from cycle `start` on. Requires has_room().
  void start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number, Cycle now, Cycle start) {
    front_end_.start_block(std::move(streams), number, now, start);
  }
  void deliver(const noc::Reply& reply) { memory_.deliver(reply); }

  /// Simulates up to, not including, cycle `end`.
  void run_until(Cycle end);
  /// The next cycle at which something can happen here, or never.
  Cycle next_event() const { return std::min(next_event_but_issue(), front_end_.next_attempt()); }
  /// No thread of the launch runs any more: what only the L1 cache knows leaves for the memory.
  void write_back(Cycle now) { memory_.write_back(now); }
  bool idle() const { return front_end_.idle(); }

  std::vector<noc::Request>& outbox() { return memory_.outbox(); }
  /// Cycles at which thread blocks ended since the last exchange, in order.
  std::vector<Cycle>& ended_blocks() { return front_end_.ended_blocks(); }

  /// Accounts the slots that are left until the launch's last cycle and checks that every slot has a name.
  void end_launch(Cycle end);
  const SmCounters& counters() const { return counters_; }
  /// During a launch: what has been counted before cycle `now`, before which nothing is left to happen.
  SmCounters counters_at(Cycle now) const;
  /// All issue slots of an SM before cycle `end`: what one without thread blocks loses.
  std::uint64_t slots_until(Cycle end) const { return front_end_.slots_until(end); }

  // Standstill: diagnosis.cpp.

  /// Grows whenever an instruction issues or the fabric makes a step.
  std::uint64_t progress() const { return counters_.machine_instructions + (rgpu_ != nullptr ? rgpu_->steps() : 0); }
  /// Requests that have left this SM and whose replies have not been delivered.
  std::uint64_t requests_in_memory() const { return memory_.port().in_memory(); }
  /// Whether a request waits in the port until a slice gives a credit back.
  bool waits_for_credit() const { return memory_.port().waits_for_credit(); }
  /// What stands in this SM although nothing that it waits for is outstanding: a warp or unit that could proceed and was
  /// not woken up, or waits for a reply that nobody owes; empty: there is nothing. A wait of warps for each other, for a
  /// lock or of a graph's nodes for each other is none. `at_rest`: no event lies ahead anywhere; the R-GPU unit is tried
  /// then, after which the launch cannot continue.
  std::string find_unexplained_wait(bool at_rest, Cycle now);
  /// Whether a lock has been held beyond the watchdog's limit while a warp retries.
  bool lock_watchdog_expired() const { return scratchpad_.watchdog().expired(); }
  /// A line per resident warp: thread block, warp, source line, what it waits for.
  std::string describe_warps() const;
  /// A line per warp that holds locks which others fail to acquire: word, since when, and what blocks it.
  std::string describe_locks() const;
  /// What the fabric of an SM in R-GPU mode waits for; otherwise empty. `told`: the short form of the last one.
  std::string describe_fabric(std::string& told) const;

  // Observation. From now on, every issue is written down, or what became of the slots around every instruction. Reads of
  // the clock always are.

  void log_issues(Cycle from = 0, Cycle to = never, std::vector<WarpRange> warps = {}) {
    front_end_.observers().log_issues(from, to, std::move(warps));
  }
  void log_blocks() { front_end_.observers().log_blocks(); }
  void profile_instructions() { front_end_.profile_instructions(); }
  /// Per `interval` cycles of a launch, what is executed.
  void record_activity(Cycle interval) { front_end_.observers().record_activity(interval); }
  void record_nodes() { records_nodes_ = true; }
  /// Appends what lies in the FIFOs of a running graph.
  void add_fifos(std::vector<FifoLevel>& to) const;
  /// What was written down since it was last cleared, in order of cycles.
  std::vector<Issue>& issues() { return front_end_.observers().issues(); }
  std::vector<BlockRun>& blocks() { return front_end_.observers().blocks(); }
  std::vector<ClockRead>& clock_reads() { return front_end_.observers().clock_reads(); }
  /// Adds what profile_instructions() asked for, of the launch that has ended, per instruction of its kernel.
  void add_profile(std::vector<InstructionCounters>& to) const { front_end_.profile().add_to(to); }
  /// What profile_instructions() asked for: the costliest access of each instruction in the launch that has ended.
  const std::map<std::uint32_t, AccessExample>& examples() const { return front_end_.profile().examples(); }
  /// Adds what record_activity() asked for, of the launch that has ended.
  void add_activity(std::vector<Activity>& to) const;
  /// Adds what record_nodes() asked for, of the graph that has this mapping.
  void add_nodes(const rgpu::Mapping& mapping, std::vector<rgpu::NodeCycles>& to) const;

 private:
  Cycle next_event_but_issue() const {
    const Cycle reply = std::min(memory_.next_event(), front_end_.next_copy());
    return rgpu_ == nullptr ? reply : std::min(reply, rgpu_->next_event());
  }
  void begin_rgpu();
  void accept_replies(Cycle now);
  void advance_rgpu(Cycle now);
  void enter_rgpu(Cycle now);

  std::uint32_t lock_of(const Warp& warp, std::uint32_t lane) const;
  std::string holder_of(std::uint32_t lock) const;
  std::string lock_waited_for(const Warp& warp) const;
  std::string unexplained_wait_of(std::uint32_t warp) const;

  const GpuSpec& spec_;
  std::uint32_t index_;
  SmCounters counters_;
  LaunchContext launch_;
  ScratchpadUnit scratchpad_;
  MemoryUnit memory_;
  FrontEnd front_end_;
  std::unique_ptr<RgpuUnit> rgpu_;  ///< From the first launch with graphs on.
  bool records_nodes_ = false;
};

}  // namespace lockstep::gpu
