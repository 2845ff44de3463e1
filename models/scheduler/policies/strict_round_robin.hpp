#pragma once

#include "models/scheduler/view.hpp"

namespace lockstep::scheduler {

/// Warps take turns; the slot goes by while the one whose turn it is cannot issue. Only a warp at a barrier is passed over:
/// it waits for those behind it.
class StrictRoundRobin {
 public:
  static constexpr PolicyText description{"strict_round_robin", "strict_round_robin",
                                          "the next warp after the one that issued last, even if it is not ready"};

  Candidates narrow(std::uint64_t ready, const View& warps) {
    const std::uint64_t at_barrier = warps.live & warps.waits_at_barrier & ~ready;
    const std::uint64_t in_turn = warps.live & ~at_barrier;
    if (in_turn == 0) return {0, at_barrier};
    const std::uint64_t next = std::uint64_t{1} << first_behind(in_turn, warps.last);
    return {next, next | at_barrier};
  }
  std::uint32_t choose(std::uint64_t issuable, const View&) {
    return static_cast<std::uint32_t>(std::countr_zero(issuable));
  }
};

}  // namespace lockstep::scheduler
