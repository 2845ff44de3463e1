// Memory instructions that leave the scratchpad aside. Each function returns the cycles for which the instruction occupies
// its unit. The memory path takes accesses in order of their issue; what their operands are late is added to the result.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using machine::Operation;

std::uint32_t Sm::new_pending(std::uint32_t warp, const machine::Instruction& i, Cycle operands) {
  std::uint32_t token = free_pending_;
  if (token == ~0u) {
    token = static_cast<std::uint32_t>(pending_.size());
    pending_.emplace_back();
  } else {
    free_pending_ = pending_[token].next_free;
  }
  const auto instruction = static_cast<std::uint32_t>(&i - code_);
  pending_[token] = {warp, instruction, warps_[warp].generation, operands, ~0u};
  return token;
}

/// An access that hits is settled at once; the result of any other comes with accept_replies().
void Sm::settle(std::uint32_t index, const machine::Instruction& i, const MemoryPath::Outcome& outcome,
                std::uint32_t pending) {
  if (outcome.complete) {
    pending_[pending].next_free = free_pending_;
    free_pending_ = pending;
    set_ready(index, i, outcome.ready + pending_[pending].operands, memory_data);
    return;
  }
  ++warps_[index].outstanding;
  set_ready(index, i, never >> 2, memory_data);
}

/// Accesses and replies change when the path takes the next access.
void Sm::look_at_path() {
  for (const Gate gate : {Gate::memory, Gate::texture_memory})
    behind_unit_[static_cast<std::size_t>(gate)] = path_.opens();
}

Cycle Sm::issue_constant(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle operands) {
  const trace::AccessEntry& entry = warps_[index].access;
  MemoryPath::Access access;
  access.address = entry.address;
  access.global_lanes = entry.mask;
  ++counters_.constant_loads;
  const std::uint32_t pending = new_pending(index, i, operands);
  const MemoryPath::Outcome outcome = path_.constant(access, now, pending);
  look_at_path();
  settle(index, i, outcome, pending);
  return outcome.occupied;
}

Cycle Sm::issue_global(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle operands) {
  Warp& warp = warps_[index];
  Cycle delay = 0;
  // A generic access may lie in the scratchpad, wholly or in part.
  if (warp.shared_lanes != 0 && !i.only_own_space) delay = issue_scratchpad(index, i, now + operands);
  if ((warp.global_lanes | warp.local_lanes) == 0) {
    if (warp.shared_lanes == 0) set_ready(index, i, now + operands + spec_.sm.integer.latency, arithmetic);
    return std::max<Cycle>(delay, spec_.sm.address_interval);
  }
  MemoryPath::Access access;
  access.address = warp.access.address;
  access.global_lanes = warp.global_lanes;
  access.local_lanes = warp.local_lanes;
  access.element_bytes = i.element_bytes;
  access.vector_elements = i.vector_elements;
  access.cache_operator = i.cache_operator;
  const std::uint32_t pending = new_pending(index, i, operands);
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
    if (outcome.last_pass > now) hold(warp, outcome.last_pass + 1, Slot::memory_result);
  }
  look_at_path();
  settle(index, i, outcome, pending);
  return outcome.occupied;
}

}  // namespace lockstep::gpu
