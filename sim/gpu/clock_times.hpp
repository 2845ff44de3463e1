#pragma once
// What the warps of a launch time themselves with the clock register.

#include <cstdint>
#include <span>

#include "sim/gpu/issue.hpp"

namespace lockstep::gpu {

/// A warp times from its first read to its second, from its third to its fourth, and so on, added up.
struct ClockTimes {
  std::uint64_t warps = 0;            ///< That read the register at least twice.
  std::uint64_t cycles = 0;           ///< Of all these warps together.
  std::uint64_t first = 0;            ///< Of the first interval of each, together.
  std::uint64_t least = 0, most = 0;  ///< Of one warp.
  std::uint64_t span = 0;             ///< From the first read of any of them to the last timed read of any.
  std::uint64_t first_warp = 0;       ///< Of warp 0 of thread block 0; 0 when it times nothing.
};

/// Of the reads of one launch, those of a warp together and in order of cycles.
ClockTimes clock_times(std::span<const ClockRead> reads);

}  // namespace lockstep::gpu
