#pragma once

#include "models/scheduler/view.hpp"

namespace lockstep::scheduler {

/// Warps take turns; who cannot issue is passed over.
class LooseRoundRobin {
 public:
  static constexpr PolicyText description{"loose_round_robin", "loose_round_robin",
                                          "the next ready warp after the one that issued last"};

  std::uint32_t choose(std::uint64_t issuable, const View& warps) { return first_behind(issuable, warps.last); }
};

}  // namespace lockstep::scheduler
