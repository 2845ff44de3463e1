// A warp's way through its stream: basic blocks, access entries, barriers, its end.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using machine::Operation;
using program::MemorySpace;

namespace {

constexpr std::uint32_t local_word = 4;

bool is_global_operation(Operation operation) {
  return operation == Operation::texture_load || operation == Operation::global_load ||
         operation == Operation::global_store || operation == Operation::global_atomic ||
         operation == Operation::global_reduction;
}

}  // namespace

/// Parts of a generic atomic act only on the lanes whose addresses lie in their space.
bool Sm::without_own_lanes(const Warp& warp, const machine::Instruction& i) const {
  return (is_global_operation(i.operation) ? warp.global_lanes : warp.shared_lanes) == 0;
}

bool Sm::enter_next_block(Warp& warp, Cycle now) {
  trace::BlockEntry entry;
  if (!warp.cursor.next_block(entry)) return false;
  const bool first = warp.basic_block == ~0u;
  const bool sequential = entry.block == warp.basic_block + 1;
  if (!first && !sequential) {
    hold(warp, now + spec_.sm.branch_taken_latency, Slot::branch);
  } else if (!first && warp.branched) {
    hold(warp, now + spec_.sm.branch_not_taken_latency, Slot::branch);
  }
  warp.branched = false;
  warp.basic_block = entry.block;
  warp.mask = entry.mask;
  warp.pc = launch_.program->first[entry.block];
  warp.block_end = launch_.program->first[entry.block + 1];
  const std::uint32_t executed = launch_.program->kernel->blocks[entry.block].count;
  const auto lanes = static_cast<unsigned>(std::popcount(entry.mask));
  counters_.warp_instructions += executed;
  counters_.thread_instructions += std::uint64_t{executed} * lanes;
  if (profiles_) [[unlikely]] {
    ++executions_[entry.block].warps;
    executions_[entry.block].lanes += lanes;
  }
  return true;
}

/// Reads the access entry and turns it into addresses of this SM: scratchpad bytes from where the bank hash counts, local words
/// interleaved over the lanes as the hardware lays them out, generic addresses sorted by window.
void Sm::take_access(Warp& warp, std::uint32_t index, const machine::Instruction& i) {
  trace::AccessEntry& access = warp.access;
  warp.cursor.next_access(access);
  warp.shared_lanes = warp.global_lanes = warp.local_lanes = 0;
  const program::AddressWindows& windows = launch_.windows;
  switch (i.space) {
    case MemorySpace::shared: warp.shared_lanes = access.mask; break;
    case MemorySpace::local: warp.local_lanes = access.mask; break;
    case MemorySpace::generic:
      for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        std::uint64_t& address = access.address[lane];
        if (address - windows.shared_base < windows.shared_size) {
          address -= windows.shared_base;
          warp.shared_lanes |= 1u << lane;
        } else if (address - windows.local_base < windows.local_size) {
          address -= windows.local_base;
          warp.local_lanes |= 1u << lane;
        } else {
          warp.global_lanes |= 1u << lane;
        }
      }
      break;
    default: warp.global_lanes = access.mask; break;
  }
  if (!hashed_by_block_) {
    const std::uint64_t place = std::uint64_t{warp.block_slot} * launch_.scratchpad_bytes_per_block;
    for (std::uint32_t rest = warp.shared_lanes; rest != 0; rest &= rest - 1)
      access.address[std::countr_zero(rest)] += place;
  }
  if (warp.local_lanes != 0) {
    const std::uint64_t own =
        (blocks_[warp.block_slot].number * launch_.warps_per_block + index % launch_.warps_per_block) << 24;
    for (std::uint32_t rest = warp.local_lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t offset = access.address[lane];
      access.address[lane] =
          local_region + own * 32 + (offset / local_word * 32 + lane) * local_word + offset % local_word;
    }
  }
  if (i.operation == Operation::load_lock || i.cas_loop) warp.lanes_left = warp.shared_lanes;
}

void Sm::end_warp(std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  warp.live = false;
  scheduler_of(warp).policy.remove(warp.slot);
  scheduler_of(warp).queue.set(warp.slot, never, Gate::control, Slot::no_warp);
  const Cycle end = std::max(now, warp.started) + 1;
  counters_.resident_warp_cycles += end - warp.started;
  if (--resident_warps_ == 0) counters_.resident_cycles += end - resident_since_;
  const std::uint32_t slot = warp.block_slot;
  Block& block = blocks_[slot];
  if (--block.live_warps > 0) {  // A barrier for all may have waited for this warp alone.
    for (std::uint8_t number = 0; number < block.barriers.size(); ++number)
      release_barrier_if_complete(slot, number, now);
    return;
  }
  block.streams.reset();
  block.resident = false;
  ++free_blocks_;
  ended_blocks_.push_back(end);
}

void Sm::release_barrier_if_complete(std::uint32_t slot, std::uint8_t number, Cycle now) {
  Block& block = blocks_[slot];
  Barrier& barrier = block.barriers[number];
  const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : block.live_warps;
  if (barrier.arrived == 0 || barrier.arrived < expected) return;
  const Cycle opens = std::max(now, barrier.last_arrival);
  barrier = {};
  if (number == switch_barrier_) [[unlikely]]
    return switch_at(slot, opens);
  open_barrier(slot, number, opens, now);
}

void Sm::open_barrier(std::uint32_t slot, std::uint8_t number, Cycle opens, Cycle now) {
  for (std::uint32_t w = 0; w < launch_.warps_per_block; ++w) {
    const std::uint32_t index = slot * launch_.warps_per_block + w;
    Warp& warp = warps_[index];
    if (!warp.live || warp.barrier != number) continue;
    warp.barrier = no_barrier;
    if (warp.at_end) {
      end_warp(index, now);
      wake(index, now);
      continue;
    }
    hold(warp, opens + spec_.sm.barrier_latency, Slot::barrier);
    if (warp.pc == warp.block_end) continue;  // The warp that has just arrived: prepare() finds its next instruction.
    find_ready(scheduler_of(warp), index);
    wake(index, now);
  }
}

}  // namespace lockstep::gpu
