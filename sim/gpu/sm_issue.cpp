// What issuing an instruction does to the SM: units taken, results on their way, control flow.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using machine::Operation;

void Sm::issue(Scheduler& s, std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  const machine::Instruction& i = code_[warp.pc];
  const Gate gate = needs_[warp.pc].gate;
  UnitPool& unit = pool_of(s, gate);
  // Registers in one bank delay what the instruction does, and its unit with it.
  const Cycle operands = operand_cycles_.empty() ? 0 : operand_cycles_[warp.pc];
  const Cycle start = now + operands;
  const auto occupy = [&](Cycle cycles) { unit.occupy(start + cycles, operands); };
  s.policy.count_issue(warp.slot);
  ++counters_.machine_instructions;
  counters_.registers += needs_[warp.pc].registers;
  // The warp's next instruction takes a later slot; it waits for nothing in between.
  warp.hold = now + slot_interval_;
  warp.hold_reason = Slot::arithmetic_result;
  warp.held = false;
  ++warp.pc;
  switch (i.operation) {
    case Operation::scratchpad_load:
      if (i.cas_loop) [[unlikely]] {
        occupy(issue_cas_load(index, i, start));
        break;
      }
      [[fallthrough]];
    case Operation::scratchpad_store: occupy(issue_scratchpad(index, i, start)); break;
    case Operation::load_lock: occupy(issue_load_lock(index, i, start)); break;
    case Operation::store_unlock: occupy(issue_store_unlock(index, i, start)); break;
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction: occupy(issue_native_atomic(index, i, start)); break;
    case Operation::constant_load: occupy(issue_constant(index, i, now, operands)); break;
    case Operation::texture_load:
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction: occupy(issue_global(index, i, now, operands)); break;
    case Operation::branch:
      if (!i.closes_lock_loop && !i.cas_loop) {
        warp.branched = true;
      } else if (warp.lanes_left != 0) {
        warp.pc = i.loop_start;
        hold(warp, now + spec_.sm.branch_taken_latency, Slot::branch);
      } else {
        warp.in_lock_loop = false;
        hold(warp, now + spec_.sm.branch_not_taken_latency, Slot::branch);
      }
      break;
    case Operation::barrier: arrive_at_barrier(index, i, now); break;
    case Operation::fence:
    case Operation::exit: break;
    default: {
      const OperationTiming& timing = timing_[static_cast<std::size_t>(i.operation)];
      if (warp.in_lock_loop && warp.lanes_acquired == 0 && locks_in_loops_) {
        // The update of a lock loop that acquired no lock is predicated off in every lane: nothing waits for its result.
        set_ready(index, i, now, arithmetic);
        break;
      }
      occupy(timing.interval);
      set_ready(index, i, start + timing.latency, arithmetic);
    }
  }
  // The scheduler that takes the last group of a shared unit has the lowest priority next time.
  if ((shared_gates_ >> static_cast<unsigned>(gate) & 1) != 0 && unit.opens() > now)
    turn_ = s.id + 1 == schedulers_.size() ? 0 : s.id + 1;
  if (observes_) [[unlikely]]
    observe(index, i, now);
  if (fetch_.on()) fetch_.issued(warp.fetched, now);
  prepare(s, index, now);
}

/// A guarded barrier counts only warps in which the guard holds for a lane.
void Sm::arrive_at_barrier(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  std::uint32_t threads = i.barrier_threads;
  std::uint8_t number = i.barrier;
  if (i.takes_access) {
    if (warp.access.mask == 0) return;
    const std::uint64_t operands = warp.access.address[std::countr_zero(warp.access.mask)];
    number = static_cast<std::uint8_t>(operands % blocks_[warp.block_slot].barriers.size());
    threads = static_cast<std::uint32_t>(operands >> 8);
  }
  ++counters_.barriers;
  Barrier& barrier = blocks_[warp.block_slot].barriers[number];
  // The SM takes one arrival after the other.
  barrier.last_arrival = std::max(now, barrier_free_);
  barrier_free_ = barrier.last_arrival + spec_.sm.barrier_interval;
  ++barrier.arrived;
  barrier.expected = threads / 32;
  if (!i.barrier_arrives_only) warp.barrier = number;
  release_barrier_if_complete(warp.block_slot, number, now);
}

}  // namespace lockstep::gpu
