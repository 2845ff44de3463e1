#pragma once
// What was written down of a replay, and what each warp did from cycle to cycle according to it.

#include <compare>
#include <cstdint>
#include <vector>

#include "isa/trace/header.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::timeline {

/// What was written down.
struct Events {
  gpu::IssueWindow window;  ///< With SMs. Warps are shown of it; thread blocks and samples of all its cycles.
  std::vector<gpu::Issue> issues;
  std::vector<gpu::BlockRun> blocks;
  std::vector<gpu::Sample> samples;  ///< From the window's begin on, at multiples of an interval.
};

/// A place of a thread block on an SM, which takes thread blocks one after the other.
struct Place {
  std::uint32_t sm = 0, number = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// A thread block in its place. Cycles are those of the replay.
struct BlockStretch {
  Place place;
  std::uint32_t launch = 0;
  std::uint64_t thread_block = 0;
  Cycle from = 0, to = 0;
};

/// What a warp does for a while.
struct WarpStretch {
  enum class Kind : std::uint8_t {
    waits,  ///< For what `waited_for` says.
    ready,  ///< Another warp is chosen.
    issues
  };
  Place place;
  std::uint32_t warp = 0;  ///< Of its thread block.
  Kind kind = Kind::waits;
  gpu::Slot waited_for{};
  Cycle from = 0, to = 0;
  const gpu::Issue* issue = nullptr;  ///< That comes at the end of it, or is it; in Events.
};

struct History {
  std::vector<Cycle> begins;         ///< By launch: its first cycle.
  std::vector<BlockStretch> blocks;  ///< Those that touch the window, of all SMs.
  std::vector<WarpStretch> warps;    ///< Of the window's SMs; of one warp without gaps, in order.
  std::uint64_t warps_of_block = 0;  ///< The most of any launch.
};

/// `slot_interval`: cycles that an issue takes. The events outlive the history.
History history_of(const trace::Header& header, const gpu::Result& result, const Events& events, Cycle slot_interval);

}  // namespace lockstep::timeline
