#pragma once
// When a warp can issue next: the scoreboard, and what holds the warp. Inline, because every issue goes this way.

#include <algorithm>

#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

/// What the instruction writes is there at `ready`.
inline void Sm::set_ready(std::uint32_t warp, const machine::Instruction& i, Cycle ready, Producer producer) {
  std::uint64_t* board = scoreboard(warp);
  for (std::uint32_t n = 0; n < i.destination_count; ++n) board[i.destinations[n]] = ready << 2 | producer;
}

/// Nothing of the warp issues before `until`.
inline void Sm::hold(Warp& warp, Cycle until, Slot reason) {
  warp.held = true;
  if (until <= warp.hold) return;
  warp.hold = until;
  warp.hold_reason = reason;
}

/// When the sources and destinations of instruction `pc` are all there, with the producer of the last (see scoreboard_).
[[gnu::always_inline]] inline std::uint64_t Sm::operands_of(std::uint32_t index, std::uint32_t pc) const {
  const std::uint64_t* board = scoreboard(index);
  const Needs& needs = needs_[pc];
  const auto& r = needs.operands;
  if (needs.listed) [[likely]]
    return std::max(std::max(board[r[0]], board[r[1]]), std::max(board[r[2]], board[r[3]]));
  const machine::Instruction& i = code_[pc];
  std::uint64_t latest = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n) latest = std::max(latest, board[i.sources[n]]);
  for (std::uint32_t n = 0; n < i.destination_count; ++n) latest = std::max(latest, board[i.destinations[n]]);
  return latest;
}

/// The scoreboard: the next instruction issues when its sources and destinations are ready and the warp is not held.
[[gnu::always_inline]] inline void Sm::find_ready(Scheduler& s, std::uint32_t index) {
  const Warp& warp = warps_[index];
  const auto queue = [&](Cycle ready, Gate gate, Slot reason) __attribute__((always_inline)) {
    s.queue.set(warp.slot, ready, gate, reason);
    if (narrows_) s.policy.set_waits(warp.slot, reason == Slot::memory_result, reason == Slot::barrier);
  };
  if (warp.barrier != no_barrier) return queue(never, Gate::control, Slot::barrier);
  const machine::Instruction& i = code_[warp.pc];
  if (i.operation == machine::Operation::fence && warp.outstanding > 0)
    return queue(never, Gate::control, Slot::memory_result);
  const std::uint64_t latest = operands_of(index, warp.pc);
  const Cycle ready = latest >> 2;
  if (ready > warp.hold) {
    constexpr Slot reasons[] = {Slot::arithmetic_result, Slot::scratchpad_result, Slot::memory_result};
    queue(ready == never >> 2 ? never : ready, needs_[warp.pc].gate, reasons[latest & 3]);
  } else {
    queue(warp.hold, needs_[warp.pc].gate, warp.hold_reason);
  }
}

/// Moves the warp to its next instruction that does something, and finds out when that can issue.
[[gnu::always_inline]] inline void Sm::prepare(Scheduler& s, std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  for (;;) {
    if (warp.pc == warp.block_end) {
      if (!enter_next_block(warp, now)) {
        // A barrier may be the last instruction: the warp ends when it is released.
        warp.at_end = warp.barrier != no_barrier;
        if (warp.at_end) return find_ready(s, index);
        return end_warp(index, now);
      }
      continue;
    }
    const machine::Instruction& i = code_[warp.pc];
    if (i.takes_access && !warp.in_lock_loop) take_access(warp, index, i);
    if (!i.only_own_space || !without_own_lanes(warp, i)) break;
    ++warp.pc;
  }
  if (fetch_.on()) {
    const Cycle there = fetch_.turn_to(warp.fetched, warp.pc, now);
    if (there > now) hold(warp, there, Slot::fetch);
  }
  find_ready(s, index);
}

}  // namespace lockstep::gpu
