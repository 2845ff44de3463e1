#include "sim/gpu/sm/scratchpad/scratchpad_unit.hpp"

#include <algorithm>
#include <bit>

#include "isa/program/mbarrier.hpp"

namespace lockstep::gpu {

using scratchpad::Passes;

namespace {

/// How much longer the own warp waits than for an access of one pass: replays come at their spacing, after a delay before
/// the first; the requests that wide elements add follow each other as the load-store unit takes them, or as `split` says.
Cycle delay_of(const scratchpad::Spec& spec, const Passes& passes, Cycle spacing, Cycle split) {
  return (passes.further > 0 ? spec.replay_latency : 0) + passes.further * spacing + passes.split * split;
}
Cycle delay_of(const scratchpad::Spec& spec, const Passes& passes, Cycle spacing) {
  return delay_of(spec, passes, spacing, spec.pass_interval);
}

/// The same of a load-lock or store-unlock.
Cycle lock_delay_of(const scratchpad::Spec& spec, const Passes& passes, Cycle spacing) {
  return delay_of(spec, passes, spacing) + passes.parts * spec.lock_request_spacing;
}

}  // namespace

ScratchpadUnit::ScratchpadUnit(const scratchpad::Spec& spec, std::uint64_t bytes, SmCounters& counters)
    : bytes_(bytes), counters_(counters), scratchpad_(spec, bytes), watchdog_(spec.lock_watchdog) {}

void ScratchpadUnit::begin_launch(std::shared_ptr<const scratchpad::Maps> maps, bool swaps) {
  scratchpad_.begin_kernel(std::move(maps));
  updates_.begin(swaps ? bytes_ : 0);
  watchdog_.begin_launch();
}

void ScratchpadUnit::count_bank_conflicts(const Passes& passes) {
  ++counters_.scratchpad_degree[std::min<std::uint32_t>(passes.degree, 32)];
  counters_.scratchpad_bank_conflicts += passes.further;
}

ScratchpadResult ScratchpadUnit::load(const ScratchpadAccess& access, Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  const Passes passes = access.matrix_rows
                            ? scratchpad_.row_passes(access.address, access.lanes)
                            : scratchpad_.load_passes(access.address, access.lanes, access.bytes_per_lane);
  if (access.lanes != 0) {
    count_bank_conflicts(passes);
    ++counters_.scratchpad_loads;
    counters_.scratchpad_load_passes += passes.all;
  }
  const Cycle wide = spec.load_split_spacing != 0 ? spec.load_split_spacing : spec.pass_interval;
  const Cycle split = access.matrix_rows && spec.matrix_spacing != 0 ? spec.matrix_spacing : wide;
  return {passes.all * spec.pass_interval,
          now + spec.load_latency + spec.hash_latency + delay_of(spec, passes, spec.load_pass_spacing, split)};
}

/// A store holds its warp until the store has passed: that is how a Fermi SM behaves towards a dependent instruction behind
/// a store (44 + 18 + 36 = 98 cycles for load, add, store: Gomez-Luna 2012, section 4.3.3, with Van den Braak 2015,
/// section 5.2).
ScratchpadResult ScratchpadUnit::store(const ScratchpadAccess& access, bool changes_words, Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  const Passes passes = scratchpad_.store_passes(access.address, access.lanes, access.bytes_per_lane);
  if (access.lanes == 0) return {passes.all * spec.pass_interval, 0};
  count_bank_conflicts(passes);
  ++counters_.scratchpad_stores;
  counters_.scratchpad_store_passes += passes.all;
  if (updates_.kept() && changes_words) [[unlikely]]
    updates_.update(access.address, access.lanes, access.bytes_per_lane, now, access.base);
  return {passes.all * spec.pass_interval,
          now + spec.store_latency + spec.hash_latency + delay_of(spec, passes, spec.store_pass_spacing)};
}

ScratchpadResult ScratchpadUnit::load_lock(AtomicLoop& loop, const ScratchpadAccess& access, std::uint32_t warp,
                                           Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  if (!loop.active) {
    loop.active = true;
    loop.conflict_free = false;
    if (loop.lanes_left != 0) ++counters_.scratchpad_atomics;
  }
  // The lanes of an iteration are some of those of the iteration before.
  Passes passes;
  if (!loop.conflict_free) {
    passes = scratchpad_.load_passes(access.address, loop.lanes_left, access.bytes_per_lane);
    loop.conflict_free = passes.further == 0 && scratchpad_.keeps_free_of_conflicts(access.bytes_per_lane);
  }
  loop.lanes_acquired = 0;
  if (loop.lanes_left != 0) {
    count_bank_conflicts(passes);
    ++counters_.load_locks;
    counters_.load_lock_passes += passes.all;
    counters_.lock_lanes += static_cast<unsigned>(std::popcount(loop.lanes_left));
    const scratchpad::LockOutcome outcome =
        scratchpad_.acquire(access.address, loop.lanes_left, warp, now, access.base);
    loop.lanes_acquired = outcome.acquired;
    counters_.lock_failed_position += outcome.failed_position;
    counters_.lock_failed_alias += outcome.failed_alias;
    counters_.lock_failed_warp += outcome.failed_warp;
    if (outcome.acquired != 0) {
      loop.refused_since = never;
    } else {
      watchdog_.refused(loop, scratchpad_, access.address, access.base, now);
    }
  }
  return {passes.all * spec.pass_interval,
          now + spec.load_lock_latency + spec.hash_latency + lock_delay_of(spec, passes, spec.load_pass_spacing)};
}

ScratchpadResult ScratchpadUnit::store_unlock(AtomicLoop& loop, const ScratchpadAccess& access, Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  if (loop.lanes_acquired == 0) return {};
  Passes passes;
  if (!loop.conflict_free)
    passes = scratchpad_.store_passes(access.address, loop.lanes_acquired, access.bytes_per_lane);
  count_bank_conflicts(passes);
  counters_.store_unlock_passes += passes.all;
  const Cycle last_pass = now + lock_delay_of(spec, passes, spec.store_pass_spacing);
  scratchpad_.release(access.address, loop.lanes_acquired, last_pass + 1, access.base);
  loop.lanes_left &= ~loop.lanes_acquired;
  return {passes.all * spec.pass_interval, last_pass + spec.store_unlock_latency + spec.hash_latency};
}

Passes ScratchpadUnit::count_atomic(const ScratchpadAccess& access, bool merged) {
  const Passes passes = scratchpad_.atomic_passes(access.address, access.lanes, access.bytes_per_lane, merged);
  if (access.lanes == 0) return passes;
  count_bank_conflicts(passes);
  counters_.scratchpad_atomic_passes += passes.all;
  counters_.scratchpad_atomic_further_lanes += passes.further_lanes;
  return passes;
}

ScratchpadResult ScratchpadUnit::pass_atomic(const Passes& passes, std::uint32_t times, Cycle latency,
                                             Cycle now) const {
  const scratchpad::Spec& spec = scratchpad_.spec();
  const Cycle occupied =
      spec.atomic_interval + (passes.all - 1) * spec.pass_interval + passes.further_lanes * spec.atomic_lane_interval;
  const Cycle delay = delay_of(spec, passes, spec.load_pass_spacing) + passes.further_lanes * spec.atomic_lane_spacing;
  const Cycle own =
      std::max(delay == 0 ? 0 : delay + spec.atomic_lane_spacing, spec.atomic_hold == 0 ? 0 : delay + spec.atomic_hold);
  return {times * occupied, now + latency + spec.hash_latency + times * delay, now + times * own};
}

/// Lanes that add one to one word may be added up first.
ScratchpadResult ScratchpadUnit::atomic(const ScratchpadAccess& access, bool adds_one, bool swaps, Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  const Passes passes = count_atomic(access, spec.aggregate_increments && adds_one);
  if (access.lanes != 0) {
    ++counters_.scratchpad_atomics;
    if (updates_.kept()) updates_.update(access.address, access.lanes, access.bytes_per_lane, now, access.base);
  }
  const Cycle latency = swaps && spec.swap_latency != 0 ? spec.swap_latency : spec.atomic_latency;
  return pass_atomic(passes, swaps ? spec.swap_passes : 1, latency, now);
}

ScratchpadResult ScratchpadUnit::cas_load(AtomicLoop& loop, const ScratchpadAccess& access, Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  const Passes passes = scratchpad_.load_passes(access.address, loop.lanes_left, access.bytes_per_lane);
  if (loop.lanes_left != 0) {
    if (!loop.active) {
      ++counters_.scratchpad_atomics;
      ++counters_.cas_atomics;
    }
    count_bank_conflicts(passes);
    ++counters_.cas_iterations;
    counters_.cas_load_passes += passes.all;
    counters_.cas_lanes += static_cast<unsigned>(std::popcount(loop.lanes_left));
  }
  loop.active = true;
  loop.lanes_acquired = 0;
  loop.loaded_at = now;
  return {passes.all * spec.pass_interval,
          now + spec.load_latency + spec.hash_latency + delay_of(spec, passes, spec.load_pass_spacing)};
}

/// One lane of a word at most succeeds, so that the others take no pass: ATOMS.CAST.SPIN of 32 lanes on one word takes an H200
/// as long as that of one ([M] micro-scratchpad-atomic-rate operation=add_f32).
ScratchpadResult ScratchpadUnit::compare_and_swap(AtomicLoop& loop, const ScratchpadAccess& access, Cycle now) {
  const scratchpad::Spec& spec = scratchpad_.spec();
  const Passes passes = count_atomic(access, true);
  if (access.lanes != 0) {
    const scratchpad::SwapOutcome outcome =
        spec.ideal_atomics
            ? scratchpad::SwapOutcome{access.lanes, 0, 0}
            : updates_.swap(access.address, access.lanes, access.bytes_per_lane, loop.loaded_at, now, access.base);
    loop.lanes_acquired = outcome.swapped;
    loop.lanes_left &= ~outcome.swapped;
    counters_.cas_lost_position += outcome.lost_position;
    counters_.cas_lost_update += outcome.lost_update;
  }
  const Cycle own = spec.loop_swap_latency != 0 ? spec.loop_swap_latency : spec.swap_latency;
  return pass_atomic(passes, spec.swap_passes, own != 0 ? own : spec.atomic_latency, now);
}

Cycle ScratchpadUnit::pass_mbarriers(const trace::AccessEntry& lanes, std::uint64_t place) {
  std::uint64_t address[32];
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    address[lane] = place + program::mbarrier_offset(lanes.address[lane]);
  }
  const Passes passes = scratchpad_.load_passes(address, lanes.mask, sizeof(std::uint64_t));
  counters_.scratchpad_other_wavefronts += passes.all;
  return passes.all * scratchpad_.spec().pass_interval;
}

}  // namespace lockstep::gpu
