#pragma once
// The warps and thread blocks on an SM, and every warp's way through its stream of basic blocks and accesses.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/trace/source.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/launch_context.hpp"
#include "sim/gpu/sm/warps/read_ahead.hpp"
#include "sim/gpu/sm/warps/warp.hpp"

namespace lockstep::gpu {

struct ResidentBlock {
  std::unique_ptr<trace::ThreadBlockStreams> streams;
  std::uint64_t number = 0;
  std::uint32_t live_warps = 0;
  bool resident = false;
};

/// Warp slots are numbered block slot by block slot.
class WarpTable {
 public:
  /// Of SM number `sm`. `hashed_by_block`: the scratchpad's bank hash counts from the beginning of a thread block's part.
  WarpTable(std::uint32_t sm, bool hashed_by_block, SmCounters& counters)
      : sm_(sm), hashed_by_block_(hashed_by_block), counters_(counters) {}

  void begin_launch(const LaunchContext& launch);

  Warp& operator[](std::uint32_t warp) { return warps_[warp]; }
  const Warp& operator[](std::uint32_t warp) const { return warps_[warp]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(warps_.size()); }
  ResidentBlock& block(std::uint32_t slot) { return blocks_[slot]; }
  const ResidentBlock& block(std::uint32_t slot) const { return blocks_[slot]; }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t free_blocks() const { return free_blocks_; }
  std::uint32_t first_warp(std::uint32_t block_slot) const { return block_slot * launch_.warps_per_block; }
  /// Within its thread block.
  std::uint32_t place_in_block(std::uint32_t warp) const { return warp % launch_.warps_per_block; }

  /// Makes a thread block resident; its warps may issue from cycle `start` on. Requires a free one. Returns its slot.
  std::uint32_t start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number, Cycle start);
  /// The warp executes nothing after cycle `now`. Returns the cycle of its end.
  Cycle end_warp(std::uint32_t warp, Cycle now);
  /// All warps of the block have ended.
  void end_block(std::uint32_t slot);

  /// Adds what the warps that are resident at cycle `now` will have counted of residency until then.
  void add_residency(SmCounters& to, Cycle now) const;

  /// How a warp comes to its next basic block.
  enum class Entry : std::uint8_t { end, first, fall_through, not_taken, taken, resumed };
  /// Moves the warp to the beginning of its next basic block, or of several executions of an unrolled one; Entry::end
  /// when there is none. Where lanes have come to wait for others, the warp executes what they issue for that first; then it resumes.
  Entry next_block(std::uint32_t warp);
  /// What the warp's current code executes, basic block by basic block: calls `each` with block and mask.
  template <class Each>
  void executed_blocks(std::uint32_t warp, Each&& each) const {
    if (ahead_.empty()) return each(warps_[warp].basic_block, warps_[warp].mask);
    for (const ReadAhead::Entry& entry : ahead_[warp].executed(warps_[warp].executions))
      each(entry.block.block, entry.block.mask);
  }
  /// Reads the access entry of `i` and turns it into addresses of this SM: scratchpad bytes from where the bank hash
  /// counts, local words interleaved over the lanes in the memory that the warp's place on the SM has, as the hardware lays
  /// them out, generic addresses sorted by window.
  void take_access(std::uint32_t warp, const machine::Instruction& i);
  /// The second entry of the warp's current access, an asynchronous copy: where it writes in the scratchpad.
  const trace::AccessEntry& copy_target(std::uint32_t warp) const { return copy_targets_[warp]; }
  /// Where the scratchpad of the warp's block begins, unless scratchpad_base() says it.
  std::uint64_t scratchpad_place(const Warp& warp) const {
    return hashed_by_block_ ? 0 : std::uint64_t{warp.block_slot} * launch_.scratchpad_bytes_per_block;
  }
  /// Where a block's scratchpad addresses count from (scratchpad::Scratchpad: base).
  std::uint64_t scratchpad_base(const Warp& warp) const {
    return hashed_by_block_ ? std::uint64_t{warp.block_slot} * launch_.scratchpad_bytes_per_block : 0;
  }

 private:
  /// The code of the next basic block, and its entry; null at the end of the stream.
  const machine::Code* next_code(std::uint32_t warp, trace::BlockEntry& entry);
  /// The same where it depends on what follows, or its accesses are reordered.
  const machine::Code* read_ahead(Warp& warp, ReadAhead& ahead, trace::BlockEntry& entry);
  /// The instruction that lanes issue which leave the basic block for one where they wait for those that come to `next`; or none.
  std::uint32_t arrival(std::uint32_t block, std::uint32_t next) const;
  void sort_by_window(Warp& warp) const;
  void take_stack_access(std::uint32_t warp, const machine::Instruction& i);
  void interleave_local(std::uint32_t warp);
  void take_entry(std::uint32_t warp, std::uint32_t number, trace::AccessEntry& to);

  std::uint32_t sm_;
  bool hashed_by_block_;
  SmCounters& counters_;
  LaunchContext launch_;
  std::uint64_t local_bytes_per_warp_ = 0;
  std::uint64_t first_local_ = 0;  ///< Address of the local memory of warp 0.
  std::vector<Warp> warps_;
  std::vector<ReadAhead> ahead_;                  ///< By warp; empty: no code of the program needs it.
  std::vector<trace::AccessEntry> copy_targets_;  ///< By warp; empty: the program has no asynchronous copies.
  std::vector<std::array<std::uint32_t, 32>> stack_pointers_;  ///< By warp and lane; empty: the program keeps no stack.
  std::vector<ResidentBlock> blocks_;
  std::uint32_t free_blocks_ = 0;
  std::uint64_t arrivals_ = 0;  ///< Warps that ever came: their age.
  std::uint32_t resident_warps_ = 0;
  Cycle resident_since_ = 0;
};

}  // namespace lockstep::gpu
