#pragma once
// When a warp can issue next: its stream, its instruction buffer, the scoreboard, and what holds it. Inline, because every
// issue goes this way.

#include <bit>

#include "sim/gpu/sm/front_end/front_end.hpp"

namespace lockstep::gpu {

/// Before which the warp's instruction, of the load-store units, does not issue.
inline Cycle load_store_hold(const Warp& warp, const IssueNeeds& needs) {
  return needs.port == IssuePort::memory ? warp.memory_hold : warp.load_store_hold;
}

[[gnu::always_inline]] inline FrontEnd::Readiness FrontEnd::readiness(std::uint32_t index) const {
  const Warp& warp = warps_[index];
  if (warp.barrier != Warp::no_barrier) return {never, IssuePort::control, Slot::barrier};
  const machine::Instruction& i = code_[warp.pc];
  if (i.operation == machine::Operation::fence && i.fence.waits && warp.outstanding > 0)
    return {never, IssuePort::control, Slot::memory_result};
  if (i.operation == machine::Operation::copy_wait) [[unlikely]] {
    const Cycle done = copies_.done_at(index, i.copy_groups);
    if (done > warp.hold) return {done, IssuePort::control, Slot::memory_result};
  }
  const IssueNeeds& needs = issue_table_[warp.pc];
  const Scoreboard::Entry latest = scoreboard_.latest(index, i, needs);
  const Cycle ready = Scoreboard::cycle_of(latest);
  if (needs.port == IssuePort::scratchpad && warp.scratchpad_hold > std::max(ready, warp.hold)) [[unlikely]]
    return {warp.scratchpad_hold, needs.port, Slot::scratchpad_result};
  if (needs.load_store_operands != 0 && load_store_hold(warp, needs) > std::max(ready, warp.hold))
    return {load_store_hold(warp, needs), needs.port, Slot::load_store_busy};
  if (i.awaits_counters != 0) [[unlikely]] {
    const Cycle zero = load_counters_.zero_at(index, i.awaits_counters);
    if (zero > std::max(ready, warp.hold)) return {zero, needs.port, Slot::memory_result};
  }
  if (ready <= warp.hold) return {warp.hold, needs.port, warp.hold_reason};
  return {ready >= Scoreboard::pending ? never : ready, needs.port, Scoreboard::reason_of(latest)};
}

/// Tells the warp's scheduler when its next instruction can issue.
[[gnu::always_inline]] inline void FrontEnd::update_readiness(std::uint32_t index) {
  const Warp& warp = warps_[index];
  const Readiness next = readiness(index);
  scheduler_of(warp).set_ready(warp.slot, next.ready, next.port, next.reason);
}

inline bool FrontEnd::enter_next_block(std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  const WarpTable::Entry how = warps_.next_block(index);
  if (how == WarpTable::Entry::end) return false;
  if (how == WarpTable::Entry::resumed) return true;
  const Cycle since = warp.parted ? now + spec_.divergence_latency : now;
  switch (how) {
    case WarpTable::Entry::end:
    case WarpTable::Entry::resumed: break;
    case WarpTable::Entry::taken: warp.hold_until(since + spec_.branch_taken_latency, Slot::branch); break;
    case WarpTable::Entry::not_taken: warp.hold_until(since + spec_.branch_not_taken_latency, Slot::branch); break;
    case WarpTable::Entry::first:
    case WarpTable::Entry::fall_through: break;
  }
  if (profile_.on()) [[unlikely]]
    warps_.executed_blocks(index, [&](std::uint32_t block, std::uint32_t mask) {
      profile_.count_block(block, static_cast<unsigned>(std::popcount(mask)));
    });
  return true;
}

/// Parts of a generic atomic act only on the lanes whose addresses lie in their space.
inline bool FrontEnd::without_own_lanes(const Warp& warp, const machine::Instruction& i) {
  const IssuePort port = issue_port_of(i.operation, machine::Unit::control);
  const bool global = port == IssuePort::memory || port == IssuePort::texture_memory;
  return (global ? warp.global_lanes : warp.shared_lanes) == 0;
}

/// Moves the warp to its next instruction that does something, and finds out when that can issue.
[[gnu::always_inline]] inline void FrontEnd::prepare_next(std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  for (;;) {
    if (warp.pc == warp.block_end) {
      if (!enter_next_block(index, now)) {
        // A barrier may be the last instruction: the warp ends when it is released.
        warp.at_end = warp.barrier != Warp::no_barrier;
        if (warp.at_end) return update_readiness(index);
        return end_warp(index, now);
      }
      continue;
    }
    const machine::Instruction& i = code_[warp.pc];
    if (i.takes_access && !warp.loop.active) warps_.take_access(index, i);
    if (!i.only_own_space || !without_own_lanes(warp, i)) break;
    ++warp.pc;
  }
  if (fetch_.on()) {
    const Cycle there = fetch_.turn_to(warp.fetched, code_[warp.pc].place, now);
    if (there > now) warp.hold_until(there, Slot::fetch);
  }
  update_readiness(index);
}

}  // namespace lockstep::gpu
