// When a scheduler issues and from which warp, and the name of every slot in which it does not.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using machine::Operation;
using machine::Unit;

/// The scheduler's first slot at or after `cycle`.
inline Cycle Sm::aligned(const Scheduler& s, Cycle cycle) const {
  if (cycle == never) return never;
  // Most intervals are powers of two; a division in every issue slot would show.
  if (slot_shift_ >= 0) return ((cycle - s.phase + slot_interval_ - 1) >> slot_shift_ << slot_shift_) + s.phase;
  const Cycle late = (cycle + slot_interval_ - s.phase) % slot_interval_;
  return late == 0 ? cycle : cycle + slot_interval_ - late;
}

inline std::uint64_t Sm::slots_between(const Scheduler& s, Cycle from, Cycle to) const {
  const Cycle first = aligned(s, from);
  if (first >= to) return 0;
  const Cycle last = to - first + slot_interval_ - 1;
  return slot_shift_ >= 0 ? last >> slot_shift_ : last / slot_interval_;
}

void Sm::account_idle(Scheduler& s, Cycle until) {
  if (until <= s.accounted) return;
  const std::uint64_t slots = slots_between(s, s.accounted, until);
  s.slots[static_cast<std::size_t>(s.idle_reason)] += slots;
  if (profiles_) [[unlikely]]
    profile_idle(s, slots);
  s.accounted = until;
}

/// The first cycle at which the gate lets an instruction of this scheduler pass; never while only a reply can open it.
inline Cycle Sm::opens(const Scheduler& s, Gate gate) const {
  return std::max(pool_of(s, gate).opens(), behind_unit_[static_cast<std::size_t>(gate)]);
}

namespace {

constexpr Slot busy_slots[gate_count] = {Slot::core_busy,
                                         Slot::integer_busy,
                                         Slot::double_precision_busy,
                                         Slot::special_function_busy,
                                         Slot::load_store_busy,
                                         Slot::texture_busy,
                                         Slot::core_busy,
                                         Slot::load_store_busy,
                                         Slot::texture_busy,
                                         Slot::load_store_busy};

}  // namespace

/// The warps that a scheduler may choose among.
inline scheduler::Candidates Sm::candidates(Scheduler& s) const {
  if (!narrows_) return {~std::uint64_t{0}, ~std::uint64_t{0}};
  std::uint64_t ready = 0;
  for (std::size_t g = 0; g < gate_count; ++g) ready |= s.queue.ready(static_cast<Gate>(g));
  return s.policy.candidates(ready);
}

/// The warps that are ready and find their gate open.
inline std::uint64_t Sm::issuable(Scheduler& s, Cycle now) const {
  const std::uint64_t among = candidates(s).now;
  std::uint64_t warps = 0;
  for (std::uint32_t rest = s.queue.ready_gates(); rest != 0; rest &= rest - 1) {
    const auto gate = static_cast<Gate>(std::countr_zero(rest));
    const std::uint64_t ready = s.queue.ready(gate) & among;
    if (ready != 0 && opens(s, gate) <= now) warps |= ready;
  }
  return warps;
}

/// Whether a warp can issue at `from`; if not, all is set as by plan().
inline bool Sm::goes_on(Scheduler& s, Cycle from) {
  s.queue.advance(from);
  const scheduler::Candidates among = candidates(s);
  for (std::uint32_t rest = s.queue.ready_gates(); rest != 0; rest &= rest - 1) {
    const auto gate = static_cast<Gate>(std::countr_zero(rest));
    if ((s.queue.ready(gate) & among.now) != 0 && opens(s, gate) <= from) return true;
  }
  wait(s, among, from);
  return false;
}

/// Sets the next slot, not before `from`, in which a warp may issue, and the name of the slots until then.
void Sm::plan(Scheduler& s, Cycle from) {
  if (goes_on(s, from)) s.next_attempt = aligned(s, from);
}

/// The same when no warp can issue at `from`.
void Sm::wait(Scheduler& s, const scheduler::Candidates& candidates, Cycle from) {
  Cycle open = never;
  Gate closed = Gate::control;  // Which is always open.
  std::uint32_t waiting = 0;    // The warp that the reason speaks of.
  for (std::uint32_t rest = s.queue.ready_gates(); rest != 0; rest &= rest - 1) {
    const auto gate = static_cast<Gate>(std::countr_zero(rest));
    const std::uint64_t ready = s.queue.ready(gate) & candidates.now;
    if (ready == 0) continue;
    const Cycle at = opens(s, gate);
    if (at < open || closed == Gate::control) {
      open = at;
      closed = gate;
      waiting = static_cast<std::uint32_t>(std::countr_zero(ready));
    }
  }
  std::uint32_t nearest = 0;
  const Cycle ready = narrows_ ? s.queue.next_of(candidates.later, nearest) : s.queue.next(nearest);
  Cycle until = std::min(ready, open);
  if (ready < open) {
    s.idle_reason = s.queue.reason(nearest);
    waiting = nearest;
  } else if (closed != Gate::control) {
    // A gate that is closed for longer than its unit waits for the way to the memory.
    const bool queue = (closed == Gate::memory || closed == Gate::texture_memory) && open > pool_of(s, closed).opens();
    s.idle_reason = queue ? Slot::memory_queue : busy_slots[static_cast<std::size_t>(closed)];
    if (!operand_cycles_.empty() && !queue) [[unlikely]] {
      // What the unit does last is due to register banks; its own work is done before.
      const Cycle own_work = pool_of(s, closed).opens_but_for_operands();
      if (own_work <= from) s.idle_reason = Slot::operand_read;
      if (own_work > from) until = std::min(until, own_work);
    }
  } else {
    s.idle_reason = s.queue.reason_without_end(waiting);
    if (reconfigured_) [[unlikely]]
      s.idle_reason = Slot::reconfigured;
  }
  if (profiles_ && s.idle_reason != Slot::no_warp) [[unlikely]]
    stand_at(s, waiting);
  s.next_attempt = aligned(s, until);
}

void Sm::attempt(Scheduler& s, Cycle now) {
  if (s.accounted < now) account_idle(s, now);
  s.queue.advance(now);
  const std::uint64_t warps = issuable(s, now);
  if (warps == 0) {  // Another scheduler took the unit in this very cycle, or the reason changes.
    plan(s, now + 1);
    return;
  }
  const std::uint32_t warp = s.warp_at[s.policy.choose(warps)];
  const machine::Instruction& first = code_[warps_[warp].pc];
  ++s.slots[static_cast<std::size_t>(Slot::issued)];
  if (profiles_) [[unlikely]]
    ++profile_[first.static_index].slots[static_cast<std::size_t>(Slot::issued)];
  s.accounted = now + slot_interval_;
  issue(s, warp, now);
  if (spec_.sm.issue_width > 1 && pairs_with_next(s, warp, first, now)) {
    ++counters_.dual_issues;
    issue(s, warp, now);
  }
  if (goes_on(s, now + slot_interval_)) s.next_attempt = now + slot_interval_;
}

/// Whether the warp's next instruction can issue in the same slot as `first`, which has just issued: nothing but the
/// interval between slots holds the warp, its operands are there (so none comes from `first`) and its unit is free.
bool Sm::pairs_with_next(const Scheduler& s, std::uint32_t index, const machine::Instruction& first, Cycle now) const {
  const Warp& warp = warps_[index];
  if (gate_of(first.operation, timing_[static_cast<std::size_t>(first.operation)].unit) == Gate::control) return false;
  if (!warp.live || warp.at_end || warp.held || warp.barrier != no_barrier) return false;
  const machine::Instruction& next = code_[warp.pc];
  if (next.operation == Operation::fence && warp.outstanding > 0) return false;
  return operands_of(index, warp.pc) >> 2 <= now && opens(s, needs_[warp.pc].gate) <= now;
}

/// Something other than the scheduler's own issue changed one of its warps.
void Sm::wake(std::uint32_t warp, Cycle now) {
  Scheduler& s = scheduler_of(warps_[warp]);
  account_idle(s, now);
  plan(s, std::max(now, s.accounted));
}

}  // namespace lockstep::gpu
