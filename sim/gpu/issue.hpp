#pragma once
// What was issued when: for tests that follow every instruction, for tools that show where the cycles of an access go,
// the timing markers of kernels that read the clock, and activity over time.

#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "sim/gpu/counters/slot.hpp"

namespace lockstep::gpu {

/// One issued machine instruction.
struct Issue {
  Cycle cycle = 0;  ///< Of its launch.
  std::uint64_t thread_block = 0;
  std::uint32_t launch = 0, sm = 0, warp = 0;  ///< warp: within its thread block.
  std::uint32_t instruction = 0;               ///< Into Kernel::instructions.
  machine::Operation operation{};
  std::uint32_t lanes = 0;     ///< Lanes that access the scratchpad; of all other operations, the active lanes.
  std::uint32_t acquired = 0;  ///< Of a load-lock: the lanes that got their lock; of the swap of a
                               ///< compare-and-swap loop: those that succeeded.
  Cycle ready = 0;             ///< From when on it could have issued, as far as its warp goes,
  Slot waited_for{};           ///< and what the warp waited for until then.
  /// What it writes is there, or its store, branch or atomic lets the warp go on, or the memory has answered: at least a
  /// slot after the issue. never: the memory had not answered when the warp or the launch ended.
  Cycle done = 0;
};

/// Warps of a thread block, by their numbers in it.
struct WarpRange {
  std::uint64_t thread_block = 0;
  std::uint32_t first = 0, last = ~std::uint32_t{0};
};

/// Which issues are written down. Where thread blocks are, too, also the next one of each warp behind the last cycle.
struct IssueWindow {
  Cycle from = 0, to = never;        ///< Cycles of the replay, whose launches run one after the other: [from, to).
  std::vector<std::uint32_t> sms{};  ///< None: all.
  std::vector<WarpRange> warps{};    ///< None: all.
};

/// A thread block on an SM.
struct BlockRun {
  Cycle start = 0, end = 0;  ///< From its dispatch on; cycles of its launch.
  std::uint64_t thread_block = 0;
  std::uint32_t launch = 0, sm = 0;
  std::uint32_t slot = 0;  ///< Among the thread blocks that are resident at a time.
};

/// An executed read of the clock register: a timing marker.
struct ClockRead {
  Cycle cycle = 0;  ///< Of its issue, within its launch. Of a chain of machine instructions, the first counts.
  std::uint64_t thread_block = 0;
  std::uint32_t launch = 0, sm = 0, warp = 0;  ///< warp: within its thread block.
  std::uint32_t instruction = 0;               ///< Into Kernel::instructions.
};

/// Operations executed in an interval of time: active lanes of issued machine instructions, or firings in R-GPU mode.
struct Activity {
  std::uint64_t integer = 0;   ///< Control included.
  std::uint64_t floating = 0;  ///< Special functions included.
  std::uint64_t load_store = 0;
  Activity& operator+=(const Activity& other);
  friend bool operator==(const Activity&, const Activity&) = default;
};

}  // namespace lockstep::gpu
