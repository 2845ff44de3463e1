// Memory instructions at issue: the lanes of the warp's access go to the scratchpad unit or the memory unit, and what these
// answer to the scoreboard. The memory unit takes accesses in order of their issue; what their operands are late is added
// to the result.

#include <algorithm>

#include "sim/gpu/sm/front_end/readiness.hpp"

namespace lockstep::gpu {

using machine::Operation;

namespace {

std::uint32_t bytes_per_lane(const machine::Instruction& i) {
  return std::uint32_t{i.element_bytes} * i.vector_elements;
}

}  // namespace

/// Of an access that is no atomic, to the scratchpad: a load's result waits for its last pass, a store holds its warp, but not for
/// what it waits in front of the units, from `now` to `start`.
Cycle FrontEnd::issue_load_or_store(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle start) {
  Warp& warp = warps_[index];
  if (warp.shared_lanes == 0) ++counters_.scratchpad_other_wavefronts;
  const ScratchpadAccess access{warp.access.address, warp.shared_lanes, bytes_per_lane(i), warps_.scratchpad_base(warp),
                                i.matrix_rows};
  if (i.operation == Operation::scratchpad_store || i.destination_count == 0) {
    const bool changes_words = i.operation == Operation::scratchpad_store || i.operation == Operation::global_store;
    const ScratchpadResult result = scratchpad_.store(access, changes_words, start);
    if (access.lanes != 0) warp.hold_until(result.until - (start - now), Slot::scratchpad_store);
    return result.occupied;
  }
  const ScratchpadResult result = scratchpad_.load(access, start);
  scoreboard_.set_ready(index, i, result.until, Producer::scratchpad);
  return result.occupied;
}

Cycle FrontEnd::issue_scratchpad(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle start) {
  Warp& warp = warps_[index];
  ScratchpadAccess access{warp.access.address, warp.shared_lanes, bytes_per_lane(i), warps_.scratchpad_base(warp)};
  ScratchpadResult result;
  switch (i.operation) {
    case Operation::load_lock:
      result = scratchpad_.load_lock(warp.loop, access, static_cast<std::uint32_t>(warp.number), start);
      break;
    case Operation::store_unlock: {
      const bool stores = warp.loop.lanes_acquired != 0;
      result = scratchpad_.store_unlock(warp.loop, access, start);
      if (stores) warp.hold_until(result.until, Slot::scratchpad_store);
      return result.occupied;
    }
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction:
      if (i.cas_loop) access.lanes = warp.loop.lanes_left;
      if (access.lanes == 0) ++counters_.scratchpad_other_wavefronts;
      result = i.cas_loop ? scratchpad_.compare_and_swap(warp.loop, access, start)
                          : scratchpad_.atomic(access, i.adds_one, i.swaps, start);
      if (!passes_.alternates()) {
        units_.block(IssuePort::scratchpad, start + result.occupied);
        warp.scratchpad_hold = result.own;
      }
      break;
    default:
      if (!i.cas_loop) [[likely]]
        return issue_load_or_store(index, i, now, start);
      result = scratchpad_.cas_load(warp.loop, access, start);
  }
  scoreboard_.set_ready(index, i, result.until, Producer::scratchpad);
  return result.occupied;
}

std::uint32_t FrontEnd::new_pending(std::uint32_t warp, const machine::Instruction& i, Cycle operands) {
  return pending_.add({warp, static_cast<std::uint32_t>(&i - code_), warps_[warp].generation, operands, 0});
}

/// An access that hits is settled at once; the result of any other comes with complete().
void FrontEnd::settle(std::uint32_t index, const machine::Instruction& i, const MemoryUnit::Outcome& outcome,
                      std::uint32_t pending) {
  if (i.counter != 0) load_counters_.count(index, i);
  if (outcome.complete) {
    const Cycle operands = pending_.take(pending).operands;
    scoreboard_.set_ready(index, i, outcome.ready + operands, Producer::memory);
    if (i.counter != 0) load_counters_.count_back(index, i, outcome.ready + operands);
    return;
  }
  ++warps_[index].outstanding;
  if (observers_.on()) [[unlikely]]
    observers_.set_pending(pending);
  scoreboard_.set_ready(index, i, Scoreboard::pending, Producer::memory);
}

Cycle FrontEnd::issue_constant(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle operands) {
  const trace::AccessEntry& entry = warps_[index].access;
  MemoryUnit::Access access;
  access.address = entry.address;
  access.global_lanes = i.space == program::MemorySpace::param ? 0 : entry.mask;  // Parameters are in the first level.
  ++counters_.constant_loads;
  const std::uint32_t pending = new_pending(index, i, operands);
  const MemoryUnit::Outcome outcome = memory_.constant(access, now, pending);
  update_memory_ports();
  settle(index, i, outcome, pending);
  return outcome.occupied;
}

Cycle FrontEnd::issue_global(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle operands,
                             Cycle start) {
  Warp& warp = warps_[index];
  const Cycle wait = start - (now + operands);
  Cycle delay = 0;
  // A generic access may lie in the scratchpad, wholly or in part.
  if (warp.shared_lanes != 0 && !i.only_own_space) delay = issue_load_or_store(index, i, now + operands, start);
  if ((warp.global_lanes | warp.local_lanes) == 0) {
    if (warp.shared_lanes == 0) {
      ++counters_.scratchpad_other_wavefronts;
      scoreboard_.set_ready(index, i, start + spec_.operations[Operation::integer].latency, Producer::arithmetic);
    }
    return std::max<Cycle>(delay, spec_.address_interval);
  }
  MemoryUnit::Access access;
  access.address = warp.access.address;
  access.global_lanes = warp.global_lanes;
  access.local_lanes = warp.local_lanes;
  access.element_bytes = i.element_bytes;
  access.vector_elements = i.vector_elements;
  access.cache_operator = i.cache_operator;
  access.floating = i.floating;
  const std::uint32_t pending = new_pending(index, i, operands);
  MemoryUnit::Outcome outcome;
  if (i.operation == Operation::texture_load) {
    outcome = memory_.texture(access, now, pending);
  } else {
    if (i.operation == Operation::global_store) {
      access.kind = MemoryUnit::Kind::store;
      ++counters_.global_stores;
    } else if (i.operation == Operation::global_load) {
      ++counters_.global_loads;
    } else {
      access.kind = i.destination_count > 0 ? MemoryUnit::Kind::atomic : MemoryUnit::Kind::reduction;
      ++counters_.global_atomics;
    }
    outcome = memory_.access(access, now, wait + delay, pending);
    counters_.global_transactions += outcome.transactions;
    if (outcome.last_pass > now) warp.hold_until(outcome.last_pass + 1, Slot::memory_result);
  }
  update_memory_ports();
  settle(index, i, outcome, pending);
  return i.operation == Operation::texture_load ? outcome.occupied : outcome.occupied - wait;
}

}  // namespace lockstep::gpu
