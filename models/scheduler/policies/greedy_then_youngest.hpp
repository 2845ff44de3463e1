#pragma once

#include "models/scheduler/view.hpp"

namespace lockstep::scheduler {

/// Stays with a warp while it can issue, as greedy_then_oldest does, and turns to the other end then.
class GreedyThenYoungest {
 public:
  static constexpr PolicyText description{
      "greedy_then_youngest", "greedy_then_youngest",
      "the warp that issued last while it is ready, then the one shortest on the SM"};

  std::uint32_t choose(std::uint64_t issuable, const View& warps) {
    if ((issuable >> warps.last & 1) != 0) return warps.last;
    return first_by(issuable, [&](auto slot, auto other) { return warps.age[slot] > warps.age[other]; });
  }
};

}  // namespace lockstep::scheduler
