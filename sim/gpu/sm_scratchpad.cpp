// Scratchpad instructions: passes over the banks, the lock loop, native atomics and loops around a compare-and-swap. Each
// function with a result returns the cycles for which the instruction occupies its load-store unit.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using machine::Operation;

namespace {

std::uint32_t bytes_per_lane(const machine::Instruction& i) {
  return std::uint32_t{i.element_bytes} * i.vector_elements;
}

/// How much longer the own warp waits than for an access of one pass: replays come at their spacing, after a delay before
/// the first; the requests that wide elements add follow each other as the load-store unit takes them.
Cycle delay_of(const scratchpad::Spec& spec, const scratchpad::Passes& passes, Cycle spacing) {
  return (passes.further > 0 ? spec.replay_latency : 0) + passes.further * spacing + passes.split * spec.pass_interval;
}

/// The same of a load-lock or store-unlock.
Cycle lock_delay_of(const scratchpad::Spec& spec, const scratchpad::Passes& passes, Cycle spacing) {
  return delay_of(spec, passes, spacing) + passes.parts * spec.lock_request_spacing;
}

}  // namespace

void Sm::count_degree(const scratchpad::Passes& passes) {
  ++counters_.scratchpad_degree[std::min<std::uint32_t>(passes.degree, 32)];
  counters_.scratchpad_bank_conflicts += passes.further;
}

/// A load's result waits for the last pass. A store holds its warp until the store has passed: that is how a Fermi SM
/// behaves towards a dependent instruction behind a store (44 + 18 + 36 = 98 cycles for load, add, store: Gomez-Luna
/// 2012, section 4.3.3, with Van den Braak 2015, section 5.2).
Cycle Sm::issue_scratchpad(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  const bool stores = i.operation == Operation::scratchpad_store || i.destination_count == 0;
  const std::uint64_t* address = warp.access.address;
  const scratchpad::Passes passes = stores ? scratchpad_.store_passes(address, warp.shared_lanes, bytes_per_lane(i))
                                           : scratchpad_.load_passes(address, warp.shared_lanes, bytes_per_lane(i));
  if (warp.shared_lanes != 0) {
    count_degree(passes);
    ++(stores ? counters_.scratchpad_stores : counters_.scratchpad_loads);
    (stores ? counters_.scratchpad_store_passes : counters_.scratchpad_load_passes) += passes.all;
    if (updates_.kept() && (i.operation == Operation::scratchpad_store || i.operation == Operation::global_store))
        [[unlikely]]
      updates_.update(address, warp.shared_lanes, bytes_per_lane(i), now, scratchpad_base(warp));
  }
  if (!stores) {
    set_ready(index, i, now + spec.load_latency + spec.hash_latency + delay_of(spec, passes, spec.load_pass_spacing),
              scratchpad_data);
  } else if (warp.shared_lanes != 0) {
    hold(warp, now + spec.store_latency + spec.hash_latency + delay_of(spec, passes, spec.store_pass_spacing),
         Slot::scratchpad_store);
  }
  return passes.all * spec.pass_interval;
}

Cycle Sm::issue_load_lock(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  if (!warp.in_lock_loop) {
    warp.in_lock_loop = true;
    warp.conflict_free = false;
    if (warp.lanes_left != 0) ++counters_.scratchpad_atomics;
  }
  // The lanes of an iteration are some of those of the iteration before.
  scratchpad::Passes passes;
  if (!warp.conflict_free) {
    passes = scratchpad_.load_passes(warp.access.address, warp.lanes_left, bytes_per_lane(i));
    warp.conflict_free = passes.further == 0 && scratchpad_.keeps_free_of_conflicts(bytes_per_lane(i));
  }
  warp.lanes_acquired = 0;
  if (warp.lanes_left != 0) {
    count_degree(passes);
    ++counters_.load_locks;
    counters_.load_lock_passes += passes.all;
    counters_.lock_lanes += static_cast<unsigned>(std::popcount(warp.lanes_left));
    const scratchpad::LockOutcome outcome = scratchpad_.acquire(
        warp.access.address, warp.lanes_left, static_cast<std::uint32_t>(warp.number), now, scratchpad_base(warp));
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
  set_ready(index, i,
            now + spec.load_lock_latency + spec.hash_latency + lock_delay_of(spec, passes, spec.load_pass_spacing),
            scratchpad_data);
  return passes.all * spec.pass_interval;
}

/// Stores and frees what the load-lock of this iteration acquired. When that was nothing, the instruction is predicated
/// off in every lane: it takes its issue slot and nothing of the load-store unit.
Cycle Sm::issue_store_unlock(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  if (warp.lanes_acquired == 0) return 0;
  scratchpad::Passes passes;
  if (!warp.conflict_free)
    passes = scratchpad_.store_passes(warp.access.address, warp.lanes_acquired, bytes_per_lane(i));
  count_degree(passes);
  counters_.store_unlock_passes += passes.all;
  const Cycle last_pass = now + lock_delay_of(spec, passes, spec.store_pass_spacing);
  scratchpad_.release(warp.access.address, warp.lanes_acquired, last_pass + 1, scratchpad_base(warp));
  warp.lanes_left &= ~warp.lanes_acquired;
  hold(warp, last_pass + spec.store_unlock_latency + spec.hash_latency, Slot::scratchpad_store);
  return passes.all * spec.pass_interval;
}

/// Lanes that update one word are served one after the other. Until the last has been, no other access of the SM passes,
/// so whoever reads the word later sees the time of the update.
Cycle Sm::issue_native_atomic(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  const std::uint32_t lanes = i.cas_loop ? warp.lanes_left : warp.shared_lanes;
  const scratchpad::Passes passes =
      scratchpad_.atomic_passes(warp.access.address, lanes, bytes_per_lane(i), spec.aggregate_increments && i.adds_one);
  if (lanes != 0) {
    count_degree(passes);
    counters_.scratchpad_atomic_passes += passes.all;
    counters_.scratchpad_atomic_further_lanes += passes.further_lanes;
    if (!i.cas_loop) ++counters_.scratchpad_atomics;
    if (i.cas_loop) {
      compare_and_swap(warp, i, now);
    } else if (updates_.kept()) {
      updates_.update(warp.access.address, lanes, bytes_per_lane(i), now, scratchpad_base(warp));
    }
  }
  const Cycle further_lanes = passes.further_lanes * spec.atomic_lane_interval;
  set_ready(
      index, i,
      now + spec.atomic_latency + spec.hash_latency + delay_of(spec, passes, spec.load_pass_spacing) + further_lanes,
      scratchpad_data);
  const Cycle taken = spec.atomic_interval + (passes.all - 1) * spec.pass_interval + further_lanes;
  behind_unit_[static_cast<std::size_t>(Gate::scratchpad)] = now + taken;
  return taken;
}

/// The load of a loop around a compare-and-swap: in every iteration, of the lanes that have not swapped yet.
Cycle Sm::issue_cas_load(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const scratchpad::Spec& spec = scratchpad_.spec();
  const scratchpad::Passes passes = scratchpad_.load_passes(warp.access.address, warp.lanes_left, bytes_per_lane(i));
  if (warp.lanes_left != 0) {
    if (!warp.in_lock_loop) {
      ++counters_.scratchpad_atomics;
      ++counters_.cas_atomics;
    }
    count_degree(passes);
    ++counters_.cas_iterations;
    counters_.cas_load_passes += passes.all;
    counters_.cas_lanes += static_cast<unsigned>(std::popcount(warp.lanes_left));
  }
  warp.in_lock_loop = true;
  warp.lanes_acquired = 0;
  warp.loaded_at = now;
  set_ready(index, i, now + spec.load_latency + spec.hash_latency + delay_of(spec, passes, spec.load_pass_spacing),
            scratchpad_data);
  return passes.all * spec.pass_interval;
}

/// A lane that succeeds has done its atomic. While the swap passes, no other access does (see behind_unit_), so a load has
/// either come before it or sees its result.
void Sm::compare_and_swap(Warp& warp, const machine::Instruction& i, Cycle now) {
  const scratchpad::SwapOutcome outcome = updates_.swap(warp.access.address, warp.lanes_left, bytes_per_lane(i),
                                                        warp.loaded_at, now, scratchpad_base(warp));
  warp.lanes_acquired = outcome.swapped;
  warp.lanes_left &= ~outcome.swapped;
  counters_.cas_lost_position += outcome.lost_position;
  counters_.cas_lost_update += outcome.lost_update;
}

}  // namespace lockstep::gpu
