#include "sim/gpu/sm/warps/warp_table.hpp"

#include <algorithm>
#include <bit>

#include "sim/gpu/sm/memory/memory_unit.hpp"

namespace lockstep::gpu {

using machine::Operation;
using program::MemorySpace;

namespace {

constexpr std::uint32_t local_word = 4;

}  // namespace

void WarpTable::begin_launch(const LaunchContext& launch) {
  launch_ = launch;
  warps_.clear();
  warps_.resize(std::size_t{launch.resident_blocks} * launch.warps_per_block);
  blocks_.clear();
  blocks_.resize(launch.resident_blocks);
  free_blocks_ = launch.resident_blocks;
  resident_warps_ = 0;
  resident_since_ = 0;
}

std::uint32_t WarpTable::start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number,
                                     Cycle start) {
  std::uint32_t slot = 0;
  while (blocks_[slot].resident) ++slot;
  const auto basic_blocks = static_cast<std::uint32_t>(launch_.program->kernel->blocks.size());
  if (resident_warps_ == 0) resident_since_ = start;
  ResidentBlock& block = blocks_[slot];
  block.streams = std::move(streams);
  block.number = number;
  block.live_warps = launch_.warps_per_block;
  block.resident = true;
  --free_blocks_;
  ++counters_.thread_blocks;
  resident_warps_ += launch_.warps_per_block;
  for (std::uint32_t w = 0; w < launch_.warps_per_block; ++w) {
    Warp& warp = warps_[first_warp(slot) + w];
    warp = Warp{};
    warp.cursor = trace::StreamCursor(block.streams->warp(w), basic_blocks);
    warp.block_slot = slot;
    warp.live = true;
    warp.hold = start;
    warp.hold_reason = Slot::launch;
    warp.started = start;
    warp.number = number * launch_.warps_per_block + w;
    warp.generation = arrivals_++;
  }
  return slot;
}

Cycle WarpTable::end_warp(std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  warp.live = false;
  const Cycle end = std::max(now, warp.started) + 1;
  counters_.resident_warp_cycles += end - warp.started;
  if (--resident_warps_ == 0) counters_.resident_cycles += end - resident_since_;
  --blocks_[warp.block_slot].live_warps;
  return end;
}

void WarpTable::end_block(std::uint32_t slot) {
  blocks_[slot].streams.reset();
  blocks_[slot].resident = false;
  ++free_blocks_;
}

WarpTable::Entry WarpTable::next_block(Warp& warp) {
  trace::BlockEntry entry;
  if (!warp.cursor.next_block(entry)) return Entry::end;
  const Entry how = warp.basic_block == Warp::no_block    ? Entry::first
                    : entry.block != warp.basic_block + 1 ? Entry::taken
                    : warp.branched                       ? Entry::not_taken
                                                          : Entry::fall_through;
  warp.branched = false;
  warp.basic_block = entry.block;
  warp.mask = entry.mask;
  warp.pc = launch_.program->first[entry.block];
  warp.block_end = launch_.program->first[entry.block + 1];
  const std::uint32_t executed = launch_.program->kernel->blocks[entry.block].count;
  counters_.warp_instructions += executed;
  counters_.thread_instructions += std::uint64_t{executed} * static_cast<unsigned>(std::popcount(entry.mask));
  return how;
}

void WarpTable::sort_by_window(Warp& warp) const {
  const program::AddressWindows& windows = launch_.windows;
  for (std::uint32_t rest = warp.access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint64_t& address = warp.access.address[lane];
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
}

void WarpTable::take_access(std::uint32_t index, const machine::Instruction& i) {
  Warp& warp = warps_[index];
  trace::AccessEntry& access = warp.access;
  warp.cursor.next_access(access);
  warp.shared_lanes = warp.global_lanes = warp.local_lanes = 0;
  switch (i.space) {
    case MemorySpace::shared: warp.shared_lanes = access.mask; break;
    case MemorySpace::local: warp.local_lanes = access.mask; break;
    case MemorySpace::generic: sort_by_window(warp); break;
    default: warp.global_lanes = access.mask; break;
  }
  if (!hashed_by_block_) {
    const std::uint64_t place = std::uint64_t{warp.block_slot} * launch_.scratchpad_bytes_per_block;
    for (std::uint32_t rest = warp.shared_lanes; rest != 0; rest &= rest - 1)
      access.address[std::countr_zero(rest)] += place;
  }
  if (warp.local_lanes != 0) {
    const std::uint64_t own = (blocks_[warp.block_slot].number * launch_.warps_per_block + place_in_block(index)) << 24;
    for (std::uint32_t rest = warp.local_lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t offset = access.address[lane];
      access.address[lane] =
          local_region + own * 32 + (offset / local_word * 32 + lane) * local_word + offset % local_word;
    }
  }
  if (i.operation == Operation::load_lock || i.cas_loop) warp.loop.lanes_left = warp.shared_lanes;
}

}  // namespace lockstep::gpu
