// Memory instructions: passes over the scratchpad, the lock loop, constant and global accesses. Each function returns
// the cycles for which the instruction occupies its load-store unit.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

using machine::Operation;

std::uint32_t Sm::count_degree(std::uint32_t passes) {
  ++counters_.scratchpad_degree[std::min<std::uint32_t>(passes, 32)];
  return passes;
}

/// A load's result waits for the last pass. A store holds its warp until the store has passed: that is how a Fermi SM
/// behaves towards a dependent instruction behind a store (44 + 18 + 36 = 98 cycles for load, add, store: Gomez-Luna
/// 2012, section 4.3.3, with Van den Braak 2015, section 5.2).
Cycle Sm::issue_scratchpad(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  const std::uint32_t bytes = std::uint32_t{i.element_bytes} * i.vector_elements;
  const std::uint32_t passes = scratchpad_.passes(warp.access.address, warp.shared_lanes, bytes);
  if (warp.shared_lanes != 0) count_degree(passes);
  if (i.operation == Operation::scratchpad_store || i.destination_count == 0) {
    if (warp.shared_lanes != 0) {
      ++counters_.scratchpad_stores;
      counters_.scratchpad_store_passes += passes;
      hold(warp, now + spec.store_latency + spec.hash_latency + (passes - 1) * spec.store_pass_spacing,
           Slot::scratchpad_store);
    }
  } else {
    if (warp.shared_lanes != 0) {
      ++counters_.scratchpad_loads;
      counters_.scratchpad_load_passes += passes;
    }
    set_ready(index, i, now + spec.load_latency + spec.hash_latency + (passes - 1) * spec.load_pass_spacing,
              scratchpad_data);
  }
  return passes * spec.pass_interval;
}

Cycle Sm::issue_load_lock(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  if (!warp.in_lock_loop) {
    warp.in_lock_loop = true;
    if (warp.lanes_left != 0) ++counters_.scratchpad_atomics;
  }
  const std::uint32_t passes =
      scratchpad_.passes(warp.access.address, warp.lanes_left, std::uint32_t{i.element_bytes} * i.vector_elements);
  warp.lanes_acquired = 0;
  if (warp.lanes_left != 0) {
    count_degree(passes);
    ++counters_.load_locks;
    counters_.load_lock_passes += passes;
    counters_.lock_lanes += static_cast<unsigned>(std::popcount(warp.lanes_left));
    const scratchpad::LockOutcome outcome = scratchpad_.acquire(warp.access.address, warp.lanes_left, warp.number, now);
    warp.lanes_acquired = outcome.acquired;
    counters_.lock_failed_position += outcome.failed_position;
    counters_.lock_failed_alias += outcome.failed_alias;
    counters_.lock_failed_warp += outcome.failed_warp;
    if (outcome.acquired != 0) {
      warp.refused_since = never;
    } else {
      watch_locks(index, now);
    }
  }
  set_ready(index, i, now + spec.load_latency + spec.hash_latency + (passes - 1) * spec.load_pass_spacing,
            scratchpad_data);
  return passes * spec.pass_interval;
}

/// Stores and frees what the load-lock of this iteration acquired. When that was nothing, the instruction is predicated
/// off in every lane: it takes its issue slot and nothing of the load-store unit.
Cycle Sm::issue_store_unlock(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  if (warp.lanes_acquired == 0) return 0;
  const std::uint32_t passes =
      scratchpad_.passes(warp.access.address, warp.lanes_acquired, std::uint32_t{i.element_bytes} * i.vector_elements);
  count_degree(passes);
  counters_.store_unlock_passes += passes;
  const Cycle last_pass = now + (passes - 1) * spec.store_pass_spacing;
  scratchpad_.release(warp.access.address, warp.lanes_acquired, last_pass + 1);
  warp.lanes_left &= ~warp.lanes_acquired;
  hold(warp, last_pass + spec.store_latency + spec.hash_latency, Slot::scratchpad_store);
  return passes * spec.pass_interval;
}

std::uint32_t Sm::new_pending(std::uint32_t warp, const machine::Instruction& i) {
  std::uint32_t token = free_pending_;
  if (token == ~0u) {
    token = static_cast<std::uint32_t>(pending_.size());
    pending_.emplace_back();
  } else {
    free_pending_ = pending_[token].next_free;
  }
  const auto instruction = static_cast<std::uint32_t>(&i - launch_.program->instructions.data());
  pending_[token] = {warp, instruction, warps_[warp].generation, ~0u};
  return token;
}

/// An access that hits is settled at once; the result of any other comes with accept_replies().
void Sm::settle(std::uint32_t index, const machine::Instruction& i, const MemoryPath::Outcome& outcome,
                std::uint32_t pending) {
  if (outcome.complete) {
    pending_[pending].next_free = free_pending_;
    free_pending_ = pending;
    set_ready(index, i, outcome.ready, memory_data);
    return;
  }
  ++warps_[index].outstanding;
  set_ready(index, i, never >> 2, memory_data);
}

Cycle Sm::issue_constant(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  const trace::AccessEntry& entry = warps_[index].access;
  MemoryPath::Access access;
  access.address = entry.address;
  access.global_lanes = entry.mask;
  ++counters_.constant_loads;
  const std::uint32_t pending = new_pending(index, i);
  const MemoryPath::Outcome outcome = path_.constant(access, now, pending);
  settle(index, i, outcome, pending);
  return outcome.occupied;
}

Cycle Sm::issue_global(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  Cycle delay = 0;
  // A generic access may lie in the scratchpad, wholly or in part.
  if (warp.shared_lanes != 0 && !i.only_own_space) delay = issue_scratchpad(index, i, now);
  if ((warp.global_lanes | warp.local_lanes) == 0) {
    if (warp.shared_lanes == 0) set_ready(index, i, now + spec_.sm.integer.latency, arithmetic);
    return std::max<Cycle>(delay, spec_.sm.address_interval);
  }
  MemoryPath::Access access;
  access.address = warp.access.address;
  access.global_lanes = warp.global_lanes;
  access.local_lanes = warp.local_lanes;
  access.element_bytes = i.element_bytes;
  access.vector_elements = i.vector_elements;
  access.cache_operator = i.cache_operator;
  const std::uint32_t pending = new_pending(index, i);
  MemoryPath::Outcome outcome;
  if (i.operation == Operation::texture_load) {
    outcome = path_.texture(access, now, pending);
  } else {
    if (i.operation == Operation::global_store) {
      access.kind = MemoryPath::Kind::store;
      ++counters_.global_stores;
    } else if (i.operation == Operation::global_load) {
      ++counters_.global_loads;
    } else {
      access.kind = i.destination_count > 0 ? MemoryPath::Kind::atomic : MemoryPath::Kind::reduction;
      ++counters_.global_atomics;
    }
    outcome = path_.access(access, now, delay, pending);
    counters_.global_transactions += outcome.transactions;
  }
  settle(index, i, outcome, pending);
  return outcome.occupied;
}

}  // namespace lockstep::gpu
