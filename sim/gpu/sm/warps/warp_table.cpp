#include "sim/gpu/sm/warps/warp_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/gpu/sm/memory/memory_unit.hpp"

namespace lockstep::gpu {

using machine::Operation;
using program::MemorySpace;

namespace {

constexpr std::uint32_t local_word = 4;
/// Of local memory per thread beyond what the kernel declares: CUDA Driver API, default of CU_LIMIT_STACK_SIZE. Deeper stacks lie
/// over it again.
constexpr std::uint32_t stack_bytes = 1024;

/// The lanes that act: of those elected the highest one, as VOTE and FLO find it. Each where they name several addresses after
/// all: what lanes read at one address may change while they do.
std::uint32_t elected(machine::Election election, const trace::AccessEntry& access) {
  const std::uint32_t lanes = access.mask, one = std::bit_floor(lanes);
  if (lanes == 0 || (election == machine::Election::one_lane_of_a_full_warp && lanes != ~0u)) return lanes;
  const std::uint64_t address = access.address[std::countr_zero(one)];
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    if (access.address[std::countr_zero(rest)] != address) return lanes;
  return one;
}

}  // namespace

void WarpTable::begin_launch(const LaunchContext& launch) {
  launch_ = launch;
  warps_.clear();
  warps_.resize(std::size_t{launch.resident_blocks} * launch.warps_per_block);
  const machine::Program& program = *launch.program;
  const auto any = [&](auto&& is_one) {
    return std::any_of(program.instructions.begin(), program.instructions.end(), is_one);
  };
  const bool stack = any([](const machine::Instruction& i) { return i.on_stack; });
  stack_pointers_.clear();
  stack_pointers_.resize(stack ? warps_.size() : 0);
  const std::uint64_t local_words =
      (program.kernel->local_bytes + local_word - 1) / local_word + (stack ? stack_bytes / local_word : 0);
  local_bytes_per_warp_ = local_words * local_word * 32;
  first_local_ = local_region + sm_ * warps_.size() * local_bytes_per_warp_;
  const bool reads_ahead = !program.unrolled.empty() || !program.predicated.empty() ||
                           std::any_of(program.blocks.begin(), program.blocks.end(),
                                       [](const machine::Code& code) { return code.reordered; });
  ahead_.clear();
  ahead_.resize(reads_ahead ? warps_.size() : 0);
  const bool copies = any([](const machine::Instruction& i) { return i.operation == Operation::async_copy; });
  copy_targets_.clear();
  copy_targets_.resize(copies ? warps_.size() : 0);
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
    if (!ahead_.empty()) ahead_[first_warp(slot) + w].clear();
    if (!stack_pointers_.empty()) stack_pointers_[first_warp(slot) + w].fill(0);
    warp.cursor = trace::StreamCursor(block.streams->warp(w), basic_blocks);
    warp.block_slot = slot;
    warp.live = true;
    warp.hold = start;
    warp.scratchpad_hold = 0;
    warp.load_store_hold = 0;
    warp.memory_hold = 0;
    warp.passes_until = 0;
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

void WarpTable::add_residency(SmCounters& to, Cycle now) const {
  const auto passed = [now](Cycle since) { return now > since ? now - since : 0; };
  for (const Warp& warp : warps_)
    if (warp.live) to.resident_warp_cycles += passed(warp.started);
  if (resident_warps_ > 0) to.resident_cycles += passed(resident_since_);
}

const machine::Code* WarpTable::read_ahead(Warp& warp, ReadAhead& ahead, trace::BlockEntry& entry) {
  const machine::Program& program = *launch_.program;
  ahead.begin_code();
  if (ahead.waiting() == 0 && !ahead.read_block(warp.cursor)) return nullptr;
  entry = ahead.first().block;
  const std::uint32_t begin = entry.block;
  const auto follows = [&](const machine::Path& path) {
    const std::uint32_t executions = ahead.follow(warp.cursor, program.blocks, path);
    if (executions == 0) return false;
    warp.first_access = ReadAhead::chosen;
    warp.executions = executions;
    entry.block = ahead.waiting(executions - 1).block.block;
    ahead.take(executions);
    return true;
  };
  if (!program.unrolled.empty())
    for (const machine::Path& path : program.unrolled[begin])
      if (follows(path)) return &path.code;
  if (!program.predicated.empty() && program.predicated[begin].code.executions != 0 &&
      follows(program.predicated[begin]))
    return &program.predicated[begin].code;
  const machine::Code& single = program.blocks[begin];
  if (ahead.waiting() == 1 && single.reordered) ahead.read_accesses(warp.cursor, single.access_entries);
  warp.first_access = ahead.first().first_access;
  warp.executions = 1;
  ahead.take(1);
  return &single;
}

const machine::Code* WarpTable::next_code(std::uint32_t index, trace::BlockEntry& entry) {
  Warp& warp = warps_[index];
  if (!ahead_.empty()) return read_ahead(warp, ahead_[index], entry);
  warp.executions = 1;
  return warp.cursor.next_block(entry) ? &launch_.program->blocks[entry.block] : nullptr;
}

std::uint32_t WarpTable::arrival(std::uint32_t block, std::uint32_t next) const {
  const machine::Program& program = *launch_.program;
  for (const std::uint32_t successor : program.kernel->blocks[block].successors)
    if (successor != next && program.arrivals[successor] != machine::Program::none) return program.arrivals[successor];
  return machine::Program::none;
}

WarpTable::Entry WarpTable::next_block(std::uint32_t index) {
  Warp& warp = warps_[index];
  if (warp.next_end != 0) {
    warp.pc = std::exchange(warp.next_pc, 0);
    warp.block_end = std::exchange(warp.next_end, 0);
    return Entry::resumed;
  }
  trace::BlockEntry entry;
  const std::uint32_t before = warp.basic_block;
  const machine::Code* const code = next_code(index, entry);
  if (code == nullptr) return Entry::end;
  const std::uint32_t first = ahead_.empty() ? entry.block : ahead_[index].executed(warp.executions)[0].block.block;
  warp.parted = warp.branched && entry.mask != warp.mask && (entry.mask & ~warp.mask) == 0;
  const Entry how = before == Warp::no_block ? Entry::first
                    : first != before + 1    ? Entry::taken
                    : warp.branched          ? Entry::not_taken
                                             : Entry::fall_through;
  const bool some_wait =
      before != Warp::no_block && (warp.mask & ~entry.mask) != 0 && !launch_.program->arrivals.empty();
  warp.branched = false;
  warp.basic_block = entry.block;
  warp.mask = entry.mask;
  warp.pc = code->first;
  warp.block_end = code->end;
  if (some_wait) [[unlikely]]
    if (const std::uint32_t i = arrival(before, first); i != machine::Program::none) {
      warp.next_pc = std::exchange(warp.pc, i);
      warp.next_end = std::exchange(warp.block_end, i + 1);
    }
  executed_blocks(index, [&](std::uint32_t block, std::uint32_t mask) {
    const std::uint64_t executed = launch_.program->kernel->blocks[block].count;
    counters_.warp_instructions += executed;
    counters_.thread_instructions += executed * static_cast<unsigned>(std::popcount(mask));
  });
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

/// Entry `number` of the warp's code, which is the next one unless its entries were read ahead.
inline void WarpTable::take_entry(std::uint32_t index, std::uint32_t number, trace::AccessEntry& to) {
  Warp& warp = warps_[index];
  if (warp.first_access == ReadAhead::none) {
    warp.cursor.next_access(to);
  } else {
    to = warp.first_access == ReadAhead::chosen ? ahead_[index].choice(number)
                                                : ahead_[index].access(warp.first_access + number);
  }
}

/// Offsets in a thread's local memory become addresses.
inline void WarpTable::interleave_local(std::uint32_t index) {
  Warp& warp = warps_[index];
  const std::uint64_t own = first_local_ + index * local_bytes_per_warp_;
  for (std::uint32_t rest = warp.local_lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t offset = warp.access.address[lane];
    warp.access.address[lane] = own + (offset / local_word * 32 + lane) * local_word + offset % local_word;
  }
}

/// By the lanes that execute the basic block.
void WarpTable::take_stack_access(std::uint32_t index, const machine::Instruction& i) {
  Warp& warp = warps_[index];
  const std::uint32_t base = (launch_.program->kernel->local_bytes + local_word - 1) / local_word * local_word;
  warp.access.mask = warp.local_lanes = warp.mask;
  warp.shared_lanes = warp.global_lanes = 0;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t& pointer = stack_pointers_[index][lane];  // How many bytes lie above it: the stack grows down.
    if (i.stack_step > 0) pointer += static_cast<std::uint32_t>(i.stack_step);
    warp.access.address[lane] = base + (pointer - static_cast<std::uint32_t>(i.entry_shift)) % stack_bytes;
    if (i.stack_step < 0) pointer -= std::min(pointer, static_cast<std::uint32_t>(-i.stack_step));
  }
  interleave_local(index);
}

void WarpTable::take_access(std::uint32_t index, const machine::Instruction& i) {
  Warp& warp = warps_[index];
  trace::AccessEntry& access = warp.access;
  if (i.on_stack) [[unlikely]]
    return take_stack_access(index, i);
  take_entry(index, i.access_entry, access);
  if (i.operation == Operation::async_copy) [[unlikely]] {
    trace::AccessEntry& target = copy_targets_[index];
    take_entry(index, i.access_entry + 1, target);
    for (std::uint32_t rest = target.mask; rest != 0; rest &= rest - 1)
      target.address[std::countr_zero(rest)] += scratchpad_place(warp);
  }
  if (i.election != machine::Election::each_lane) access.mask = elected(i.election, access);
  if (i.entry_shift != 0)
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
      access.address[std::countr_zero(rest)] += static_cast<std::uint64_t>(std::int64_t{i.entry_shift});
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
  if (warp.local_lanes != 0) interleave_local(index);
  if (i.operation == Operation::load_lock || i.cas_loop) warp.loop.lanes_left = warp.shared_lanes;
}

}  // namespace lockstep::gpu
