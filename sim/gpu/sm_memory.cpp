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

/// Lanes that read the same constant are served together; each further address takes another turn.
Cycle Sm::issue_constant(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const std::uint64_t* address = warp.access.address;
  std::uint64_t seen[32];
  std::uint32_t turns = 0;
  for (std::uint32_t rest = warp.access.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = address[std::countr_zero(rest)];
    if (std::find(seen, seen + turns, at) == seen + turns) seen[turns++] = at;
  }
  turns = std::max(turns, 1u);
  ++counters_.constant_loads;
  set_ready(index, i, now + turns * spec_.sm.constant.latency, memory_data);
  return turns * spec_.sm.address_interval;
}

namespace {

/// Lanes of `mask` on the word of a line that most of them name.
std::uint32_t most_on_one_word(const std::uint64_t* address, std::uint32_t mask, std::uint64_t line,
                               std::uint32_t line_bytes) {
  std::uint32_t most = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = address[std::countr_zero(rest)] / 4;
    if (word * 4 - line >= line_bytes) continue;
    std::uint32_t same = 0;
    for (std::uint32_t others = rest; others != 0; others &= others - 1)
      same += address[std::countr_zero(others)] / 4 == word ? 1 : 0;
    most = std::max(most, same);
  }
  return most;
}

}  // namespace

Cycle Sm::issue_global(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  const std::uint32_t bytes = std::uint32_t{i.element_bytes} * i.vector_elements;
  Cycle occupied = 0;
  // A generic access may lie in the scratchpad, wholly or in part.
  if (warp.shared_lanes != 0 && !i.only_own_space) occupied += issue_scratchpad(index, i, now);

  lines_.count = 0;
  const std::uint32_t line_bytes = spec_.sm.l1.cache.line_bytes;
  if (warp.global_lanes != 0) coalescer::coalesce(warp.access.address, warp.global_lanes, bytes, line_bytes, lines_);
  if (warp.local_lanes != 0) {
    // A wide local access touches successive words, each interleaved over the lanes.
    std::uint64_t word[32];
    std::copy_n(warp.access.address, 32, word);
    for (std::uint32_t at = 0; at < bytes; at += 4) {
      coalescer::coalesce(word, warp.local_lanes, std::min(bytes, 4u), line_bytes, lines_);
      for (std::uint64_t& w : word) w += 32 * 4;
    }
  }
  if (lines_.count == 0) {
    if (warp.shared_lanes == 0) set_ready(index, i, now + spec_.sm.integer.latency, arithmetic);
    return std::max<Cycle>(occupied, spec_.sm.address_interval);
  }

  noc::RequestKind kind = noc::RequestKind::read;
  if (i.operation == Operation::global_store) {
    kind = noc::RequestKind::write;
    ++counters_.global_stores;
  } else if (i.operation == Operation::global_load || i.operation == Operation::texture_load) {
    ++counters_.global_loads;
  } else {
    kind = i.destination_count > 0 ? noc::RequestKind::atomic : noc::RequestKind::reduction;
    ++counters_.global_atomics;
  }
  counters_.global_transactions += lines_.count;

  std::uint32_t token = free_pending_;
  if (token == ~0u) {
    token = static_cast<std::uint32_t>(pending_.size());
    pending_.emplace_back();
  } else {
    free_pending_ = pending_[token].next_free;
  }
  const auto instruction = static_cast<std::uint32_t>(&i - launch_.program->instructions.data());
  pending_[token] = {index, instruction, lines_.count, warp.generation, ~0u};
  for (std::uint32_t n = 0; n < lines_.count; ++n) {
    noc::Request request;
    request.cycle = now + occupied + n * spec_.sm.address_interval;
    request.address = lines_.line[n] * line_bytes;
    request.sectors = lines_.sectors[n];
    request.bytes =
        std::min(line_bytes, static_cast<std::uint32_t>(std::popcount(lines_.sectors[n])) * coalescer::sector_bytes);
    request.lanes = lines_.lanes[n];
    request.same_word = kind == noc::RequestKind::atomic || kind == noc::RequestKind::reduction
                            ? most_on_one_word(warp.access.address, warp.global_lanes, request.address, line_bytes)
                            : 0;
    request.token = token;
    request.slice = static_cast<std::uint16_t>(slices_.slice_of(request.address));
    request.kind = kind;
    request.whole_sectors = lines_.lanes[n] * bytes >= request.bytes;
    outbox_.push_back(request);
  }
  outstanding_ += lines_.count;
  warp.outstanding += lines_.count;
  if (i.destination_count > 0) set_ready(index, i, never >> 2, memory_data);
  return occupied + lines_.count * spec_.sm.address_interval;
}

}  // namespace lockstep::gpu
