#pragma once
// The front end of an SM: warps with their instruction buffers, scoreboard, schedulers, issue ports and barriers. An issued
// instruction goes to a functional unit, to the scratchpad unit or to the memory unit; what these answer becomes ready
// cycles on the scoreboard and times for which a warp or a port is held.
//
// Rules of time: an instruction issues when its operands are ready, its port is free and the warp is not held.

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/trace/source.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/front_end/access_pipeline.hpp"
#include "sim/gpu/sm/front_end/barrier_unit.hpp"
#include "sim/gpu/sm/front_end/copy_unit.hpp"
#include "sim/gpu/sm/front_end/functional_units.hpp"
#include "sim/gpu/sm/front_end/instruction_profile.hpp"
#include "sim/gpu/sm/front_end/issue_scheduler.hpp"
#include "sim/gpu/sm/front_end/issue_table.hpp"
#include "sim/gpu/sm/front_end/load_counters.hpp"
#include "sim/gpu/sm/front_end/mbarrier_unit.hpp"
#include "sim/gpu/sm/front_end/pending_accesses.hpp"
#include "sim/gpu/sm/front_end/scoreboard.hpp"
#include "sim/gpu/sm/launch_context.hpp"
#include "sim/gpu/sm/memory/memory_unit.hpp"
#include "sim/gpu/sm/observers/issue_observers.hpp"
#include "sim/gpu/sm/rgpu/rgpu_unit.hpp"
#include "sim/gpu/sm/scratchpad/scratchpad_unit.hpp"
#include "sim/gpu/sm/warps/instruction_fetch.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class FrontEnd {
 public:
  /// Of SM number `sm`. Issued accesses go to `scratchpad` and `memory`.
  FrontEnd(const GpuSpec& spec, std::uint32_t sm, ScratchpadUnit& scratchpad, MemoryUnit& memory, SmCounters& counters);

  /// `rgpu`: where a barrier may switch the SM to R-GPU mode; null: the launch has no graphs. InputError when the kernel
  /// needs what the SM does not have.
  void begin_launch(const LaunchContext& launch, RgpuUnit* rgpu);
  bool has_room() const { return warps_.free_blocks() > 0; }
  bool idle() const { return warps_.free_blocks() == warps_.block_count(); }
  /// At cycle `now`, makes a thread block resident; its warps may issue from cycle `start` on. Requires has_room().
  void start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number, Cycle now, Cycle start);
  /// Cycles at which thread blocks ended since it was last cleared, in order.
  std::vector<Cycle>& ended_blocks() { return ended_blocks_; }

  /// The next slot in which a scheduler may issue, or never.
  Cycle next_attempt() const {
    Cycle next = never;
    for (const IssueScheduler& s : schedulers_) next = std::min(next, s.next_attempt());
    return next;
  }
  /// Schedulers whose next attempt is at `now` issue, those that share a unit in turn.
  void issue_at(Cycle now) {
    for (std::size_t n = 0, at = turn_; n < schedulers_.size(); ++n) {
      IssueScheduler& s = schedulers_[at];
      if (++at == schedulers_.size()) at = 0;
      if (s.next_attempt() == now) attempt(s, now);
    }
  }

  /// The memory unit takes accesses at another time than before: they are issued accordingly.
  void update_memory_ports() {
    const Cycle free = memory_.free_at();
    units_.block(IssuePort::memory, free);
    units_.block(IssuePort::texture_memory, free);
  }
  /// A warp's memory access has completed: its registers get their ready cycle. The scheduler is woken by
  /// wake_up_schedulers().
  void complete(const Completion& completion);
  /// Tells the profile of the lines that loads have looked up; before their accesses complete.
  void profile_lookups();
  /// Schedulers of which a warp has changed plan their next attempt anew, or `all` of them.
  void wake_up_schedulers(bool all, Cycle now) {
    for (IssueScheduler& s : schedulers_) s.wake_up_if_due(all, now);
  }

  /// When data of asynchronous copies come next, or never; and stores those that have come to the scratchpad.
  Cycle next_copy() const { return copies_.next_arrival(); }
  void store_copies(Cycle now);

  /// All warps wait: every slot of a scheduler has one name from cycle `now` on, until this changes.
  void set_reconfigured(bool reconfigured, Cycle now);
  /// The warps that wait at a barrier resume after a release at cycle `at`.
  void release_barrier(std::uint32_t block_slot, std::uint8_t number, Cycle at, Cycle now);

  /// Adds what the launch has counted before cycle `now` and is not in the counters yet: slots and residency.
  void add_uncounted(SmCounters& to, Cycle now) const;
  /// Accounts the slots until the launch's last cycle and checks that every slot has a name.
  void end_launch(Cycle end);
  /// All issue slots before cycle `end`.
  std::uint64_t slots_until(Cycle end) const;

  WarpTable& warps() { return warps_; }
  const WarpTable& warps() const { return warps_; }
  const BarrierUnit& barriers() const { return barriers_; }
  const MbarrierUnit& mbarriers() const { return mbarriers_; }
  const std::vector<IssueScheduler>& schedulers() const { return schedulers_; }
  /// From now on, what becomes of the slots around every instruction is written down.
  void profile_instructions();
  const InstructionProfile& profile() const { return profile_; }
  IssueObservers& observers() { return observers_; }
  const IssueObservers& observers() const { return observers_; }

  /// When a warp's next instruction can issue, through which port, and what it waits for until then.
  struct Readiness {
    Cycle ready = never;
    IssuePort port = IssuePort::control;
    Slot reason = Slot::no_warp;
  };
  /// Of a live warp, from scoreboard, barrier and whatever holds it.
  Readiness readiness(std::uint32_t warp) const;

 private:
  // front_end.cpp
  void assign_scheduler(std::uint32_t warp);
  void end_warp(std::uint32_t warp, Cycle now);
  void release_barrier_if_complete(std::uint32_t block_slot, std::uint8_t number, Cycle now);

  // readiness.hpp
  void update_readiness(std::uint32_t warp);
  bool enter_next_block(std::uint32_t warp, Cycle now);
  static bool without_own_lanes(const Warp& warp, const machine::Instruction& i);
  void prepare_next(std::uint32_t warp, Cycle now);

  // issue_stage.cpp
  void profile_issue(const IssueScheduler& s, std::uint32_t warp, const machine::Instruction& i, IssuePort port);
  void observe_issue(const IssueScheduler& s, std::uint32_t warp, const machine::Instruction& i, Cycle now);
  void attempt(IssueScheduler& s, Cycle now);
  bool pairs_with_next(const IssueScheduler& s, std::uint32_t warp, const machine::Instruction& first, Cycle now) const;
  void issue(IssueScheduler& s, std::uint32_t warp, Cycle now);
  void branch(Warp& warp, const machine::Instruction& i, Cycle now);
  void fence(Warp& warp, const machine::Instruction& i, Cycle now);
  void arrive_at_barrier(std::uint32_t warp, const machine::Instruction& i, Cycle now);

  // issue_memory.cpp: each returns the cycles for which the instruction occupies its unit.
  Cycle issue_load_or_store(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle start);
  Cycle issue_scratchpad(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle start);
  Cycle issue_constant(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle operands);
  Cycle issue_global(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle operands, Cycle start);
  std::uint32_t new_pending(std::uint32_t warp, const machine::Instruction& i, Cycle operands);
  void settle(std::uint32_t warp, const machine::Instruction& i, const MemoryUnit::Outcome& outcome,
              std::uint32_t pending);

  // issue_async.cpp: the same.
  Cycle issue_copy(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle operands, Cycle start);
  Cycle issue_mbarrier(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  void arrive_behind_copies(std::uint32_t warp, Cycle now);
  void release_mbarrier_waits(std::uint32_t block_slot, Cycle now);

  IssueScheduler& scheduler_of(const Warp& warp) { return schedulers_[warp.scheduler]; }

  const SmSpec& spec_;
  std::uint32_t sm_;
  bool locks_in_loops_;  ///< Scratchpad atomics are loops around a lock.
  bool limits_reads_;    ///< The register file delivers a number of operands per cycle.
  ScratchpadUnit& scratchpad_;
  MemoryUnit& memory_;
  SmCounters& counters_;
  RgpuUnit* rgpu_ = nullptr;
  const machine::Program* program_ = nullptr;
  const machine::Instruction* code_ = nullptr;  ///< Of the program.
  WarpTable warps_;
  Scoreboard scoreboard_;
  LoadCounters load_counters_;
  InstructionFetch fetch_;
  FunctionalUnits units_;
  AccessPipeline passes_;
  IssueTable issue_table_;
  BarrierUnit barriers_;
  MbarrierUnit mbarriers_;
  CopyUnit copies_;
  PendingAccesses pending_;
  InstructionProfile profile_;
  IssueObservers observers_;
  std::vector<IssueScheduler> schedulers_;
  std::uint32_t turn_ = 0;  ///< The scheduler that goes first in a cycle.
  std::vector<Cycle> ended_blocks_;
};

}  // namespace lockstep::gpu
