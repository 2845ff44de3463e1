#pragma once
// One warp scheduler of an SM: when it issues next and from which warp, and the name of every slot in which it does not.
//
// It advances from slot to slot in which a warp may issue. For every warp it keeps the earliest cycle at which the warp's
// next instruction can issue and the reason for waiting until then, so cycles in which nothing can happen cost nothing and
// idle slots are still accounted for.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "models/scheduler/warp_scheduler.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/front_end/functional_units.hpp"
#include "sim/gpu/sm/front_end/instruction_profile.hpp"
#include "sim/gpu/sm/front_end/issue_port.hpp"
#include "sim/gpu/sm/front_end/warp_queue.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class IssueScheduler {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Scheduler number `id` of an SM. `seed`: of a policy that draws numbers. `profile` is told of idle slots while it is on.
  IssueScheduler(const SmSpec& spec, std::uint32_t id, std::uint64_t seed, const SchedulerPorts& ports,
                 InstructionProfile& profile);

  /// No warp; time begins at 0. `register_banks`: these can delay an instruction.
  void begin_launch(std::uint32_t warp_slots, bool register_banks);

  std::uint32_t id() const { return id_; }
  const SchedulerPorts& ports() const { return ports_; }
  /// The next cycle at which choose_warp() must be asked, or never.
  Cycle next_attempt() const { return next_attempt_; }
  /// Cycles from slot to slot.
  Cycle slot_interval() const { return slot_interval_; }

  // Warps, by their slots of this scheduler.
  std::uint64_t live() const { return policy_.live(); }
  /// Warp number `warp` of the SM comes; of two, the smaller `age` came first.
  void add_warp(std::uint32_t slot, std::uint32_t warp, std::uint64_t age) {
    policy_.add(slot, age);
    warp_at_[slot] = warp;
  }
  void remove_warp(std::uint32_t slot) {
    policy_.remove(slot);
    queue_.set(slot, never, IssuePort::control, Slot::no_warp);
  }
  /// The warp's next instruction can issue at `ready` through `port`, or never until set again; `reason` names the wait.
  [[gnu::always_inline]] void set_ready(std::uint32_t slot, Cycle ready, IssuePort port, Slot reason) {
    queue_.set(slot, ready, port, reason);
    if (narrows_) policy_.set_waits(slot, reason == Slot::memory_result, reason == Slot::barrier);
  }
  /// The scheduler sends the load-store units nothing more before `until`.
  void hold_load_store(Cycle until) { ports_.hold_load_store(until); }
  /// The warp issues an instruction.
  void count_issue(std::uint32_t slot) { policy_.count_issue(slot); }
  /// Instruction `pc` of the warp of the SM in this slot issues. Returns whether the last one that this scheduler issued is
  /// the one in front of it. `reused`: the next one reuses operands, so that the warp goes first if it can.
  bool record_issue(std::uint32_t warp, std::uint32_t slot, std::uint32_t pc, bool reused) {
    const bool follows = warp == last_warp_ && pc == last_pc_ + 1;
    last_warp_ = warp;
    last_pc_ = pc;
    reusing_ = reused ? std::uint64_t{1} << slot : 0;
    return follows;
  }
  const WarpQueue& queue() const { return queue_; }

  /// At next_attempt(): the warp of the SM that issues in this slot, as the policy chooses among those that are ready and
  /// find their port free; its slot is accounted as issued. `none` when there is none: then the next attempt is planned.
  std::uint32_t choose_warp(Cycle now) {
    if (accounted_ < now) account_idle(now);
    queue_.advance(now);
    std::uint64_t warps = issuable(now);
    if (warps == 0) {  // Another scheduler took the unit in this very cycle, or the reason changes.
      plan(now + 1);
      return none;
    }
    ++slots_[static_cast<std::size_t>(Slot::issued)];
    accounted_ = now + slot_interval_;
    if ((warps & reusing_) != 0) warps = reusing_;
    return warp_at_[policy_.choose(warps)];
  }
  /// An instruction that issues in the slot at `now`, of which it may be the second, reads so many registers. What the
  /// register file has not delivered by the next slot may wait there while it is less than the file delivers from slot to
  /// slot; else slots are lost until it is, which stand at the instruction: its number into Kernel::instructions.
  void read_registers(std::uint32_t count, Cycle now, std::uint32_t instruction) {
    const Cycle delivered = (now - reading_since_) * reads_per_cycle_;
    reads_left_ = (reads_left_ > delivered ? reads_left_ - delivered : 0) + count;
    reading_since_ = now;
    const Cycle next = now + reads_left_ / (reads_per_cycle_ * slot_interval_) * slot_interval_;
    if (next <= accounted_) return;
    const std::uint64_t lost = (next - accounted_) / slot_interval_;
    slots_[static_cast<std::size_t>(Slot::operand_read)] += lost;
    if (profile_.on()) [[unlikely]]
      profile_.count_idle(instruction, instruction, Slot::operand_read, lost);
    accounted_ = next;
  }
  /// After the instructions of the last slot have issued: plans the next attempt.
  void plan_next_slot() {
    if (!plan_if_idle(accounted_)) next_attempt_ = accounted_;
  }
  /// Something other than the scheduler's own issue changed one of its warps at `now`: plans the next attempt anew.
  void wake_up(Cycle now);
  /// Asks for a wake-up at the next wake_up_if_due().
  void mark_woken() { woken_ = true; }
  /// wake_up(), when mark_woken() was called since the last time or `all` are woken.
  void wake_up_if_due(bool all, Cycle now) {
    if (!all && !woken_) return;
    woken_ = false;
    wake_up(now);
  }
  /// The SM is in R-GPU mode, on its way to it or back: a slot without a warp that can issue is named so.
  void set_reconfigured(bool reconfigured) { reconfigured_ = reconfigured; }

  /// Accounts the slots that are left until the launch's last cycle; Bug, naming `sm`, unless every slot has a name.
  void end_launch(Cycle end, std::uint32_t sm);
  std::uint64_t slots_between(Cycle from, Cycle to) const;
  /// Of this launch, by Slot.
  const std::array<std::uint64_t, slot_count>& slots() const { return slots_; }

  /// Adds the slots of this launch before cycle `now`, before which nothing is left to happen.
  void add_slots(std::array<std::uint64_t, slot_count>& to, Cycle now) const;

  /// The earliest cycle at which a warp can issue as the queue and the ports stand, or never. next_attempt() is not later,
  /// or a wake-up was missed.
  Cycle could_issue_at() const;

 private:
  Cycle first_slot(Cycle cycle) const;
  void account_idle(Cycle until);
  scheduler::Candidates candidates();
  std::uint64_t issuable(Cycle now);
  [[gnu::always_inline]] bool plan_if_idle(Cycle from);
  void plan(Cycle from);
  void wait(const scheduler::Candidates& candidates, Cycle from);

  Cycle next_attempt_ = never;
  Cycle accounted_ = 0;  ///< Slots before this cycle have been counted.
  Cycle slot_interval_, phase_;
  Cycle reads_left_ = 0, reading_since_ = 0;  ///< Registers that were still to be read at a cycle.
  Cycle reads_per_cycle_;
  std::uint32_t last_warp_ = none, last_pc_ = 0;  ///< What issued last.
  std::uint64_t reusing_ = 0;  ///< The slot of its warp, if the next instruction reuses its operands.
  int slot_shift_;             ///< Logarithm of the interval when it is a power of two, otherwise -1.
  std::uint32_t id_;
  bool register_banks_ = false;
  bool reconfigured_ = false;
  bool woken_ = false;
  Slot idle_reason_ = Slot::no_warp;
  SchedulerPorts ports_;
  scheduler::WarpScheduler policy_;
  bool narrows_;  ///< The policy does not choose among all warps that can issue.
  WarpQueue queue_;
  std::vector<std::uint32_t> warp_at_;  ///< The SM's number of the warp in each slot.
  std::array<std::uint64_t, slot_count> slots_{};
  InstructionProfile& profile_;
  /// While instructions are profiled: where the warp stands that the reason speaks of, and what it waits for.
  std::uint32_t idle_at_ = 0, idle_cause_ = 0;
};

/// The scheduler's first slot at or after `cycle`.
inline Cycle IssueScheduler::first_slot(Cycle cycle) const {
  if (cycle == never) return never;
  // Most intervals are powers of two; a division in every issue slot would show.
  if (slot_shift_ >= 0) return ((cycle - phase_ + slot_interval_ - 1) >> slot_shift_ << slot_shift_) + phase_;
  const Cycle late = (cycle + slot_interval_ - phase_) % slot_interval_;
  return late == 0 ? cycle : cycle + slot_interval_ - late;
}

inline std::uint64_t IssueScheduler::slots_between(Cycle from, Cycle to) const {
  const Cycle first = first_slot(from);
  if (first >= to) return 0;
  const Cycle last = to - first + slot_interval_ - 1;
  return slot_shift_ >= 0 ? last >> slot_shift_ : last / slot_interval_;
}

/// The warps that the policy may choose among.
inline scheduler::Candidates IssueScheduler::candidates() {
  if (!narrows_) return {~std::uint64_t{0}, ~std::uint64_t{0}};
  std::uint64_t ready = 0;
  for (std::size_t p = 0; p < issue_port_count; ++p) ready |= queue_.ready(static_cast<IssuePort>(p));
  return policy_.candidates(ready);
}

/// The warps that are ready and find their port free.
inline std::uint64_t IssueScheduler::issuable(Cycle now) {
  const std::uint64_t among = candidates().now;
  std::uint64_t warps = 0;
  for (std::uint32_t rest = queue_.ready_ports(); rest != 0; rest &= rest - 1) {
    const auto port = static_cast<IssuePort>(std::countr_zero(rest));
    const std::uint64_t ready = queue_.ready(port) & among;
    if (ready != 0 && ports_.free_at(port) <= now) warps |= ready;
  }
  return warps;
}

/// Where no warp can issue at `from`: plans the next attempt, and returns true.
inline bool IssueScheduler::plan_if_idle(Cycle from) {
  queue_.advance(from);
  const scheduler::Candidates among = candidates();
  for (std::uint32_t rest = queue_.ready_ports(); rest != 0; rest &= rest - 1) {
    const auto port = static_cast<IssuePort>(std::countr_zero(rest));
    if ((queue_.ready(port) & among.now) != 0 && ports_.free_at(port) <= from) return false;
  }
  wait(among, from);
  return true;
}

}  // namespace lockstep::gpu
