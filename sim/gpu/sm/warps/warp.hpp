#pragma once

#include <cstdint>

#include "isa/trace/stream.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/scratchpad/atomic_loop.hpp"
#include "sim/gpu/sm/warps/instruction_fetch.hpp"
#include "sim/gpu/sm/warps/read_ahead.hpp"

namespace lockstep::gpu {

/// What a warp's slot on an SM holds.
struct alignas(64) Warp {
  static constexpr std::uint8_t no_barrier = 0xff;
  static constexpr std::uint8_t phase_barrier = 0xfe;  ///< In place of a barrier's number: an mbarrier.
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};

  // What every issue and every turn of a lock loop reads comes first, in one line of the host's cache.
  std::uint32_t pc = 0, block_end = 0;  ///< Machine instruction numbers.
  Cycle hold = 0;                       ///< The next instruction does not issue before this, and why.
  Slot hold_reason = Slot::launch;
  Cycle scratchpad_hold = 0;          ///< Its next access to the scratchpad does not issue before this.
  Cycle load_store_hold = 0;          ///< The same of all instructions of the load-store units,
  Cycle memory_hold = 0;              ///< and of accesses to global or local memory, at least as long.
  bool held = false;                  ///< By something else than the interval between issue slots.
  std::uint8_t barrier = no_barrier;  ///< At which it waits.
  bool branched = false;              ///< The last issue was a branch that ends its basic block.
  bool parted = false;  ///< Some of its lanes wait for those that came to this basic block by that branch.
  bool at_end = false;  ///< Its stream has ended, but it still waits at a barrier.
  bool live = false;
  std::uint8_t scheduler = 0, slot = 0;  ///< Its scheduler, and its place there.
  std::uint32_t outstanding = 0;         ///< Memory accesses that have not completed.
  std::uint32_t basic_block = no_block, mask = 0;
  std::uint32_t block_slot = 0;  ///< Of its thread block.
  Cycle passes_until = 0;        ///< Its last access passes until then: see AccessPipeline.
  std::uint32_t wait_pc = 0;     ///< While it waits at an mbarrier: the instruction that does.
  AtomicLoop loop;               ///< While active, the access of its load is kept.

  trace::StreamCursor cursor;
  std::uint32_t executions = 0;             ///< Of basic blocks, by its current code.
  std::uint32_t next_pc = 0, next_end = 0;  ///< The code that follows at block_end, unless next_end is 0.
  /// The accesses of the current code are in its ReadAhead from this number on, or chosen there; none: they come from the
  /// cursor.
  std::uint32_t first_access = ReadAhead::none;
  InstructionFetch::Buffer fetched;
  Cycle started = 0;
  std::uint64_t number = 0;      ///< Among all warps of the launch.
  std::uint64_t generation = 0;  ///< Tells this warp from others that used its slot before.
  std::uint32_t shared_lanes = 0, global_lanes = 0, local_lanes = 0;  ///< Of the current access.
  trace::AccessEntry access{};

  /// Nothing of the warp issues before `until`.
  void hold_until(Cycle until, Slot reason) {
    held = true;
    if (until <= hold) return;
    hold = until;
    hold_reason = reason;
  }
};

}  // namespace lockstep::gpu
