#pragma once

#include <tuple>

#include "models/scheduler/view.hpp"

namespace lockstep::scheduler {

/// Helps the warp that is most behind, so that the warps of a thread block end together.
class LeastProgress {
 public:
  static constexpr PolicyText description{
      "least_progress", "least_progress",
      "the warp that has issued the fewest instructions; of equal ones, the oldest"};

  std::uint32_t choose(std::uint64_t issuable, const View& warps) {
    return first_by(issuable, [&](auto slot, auto other) {
      return std::tie(warps.issued[slot], warps.age[slot]) < std::tie(warps.issued[other], warps.age[other]);
    });
  }
};

}  // namespace lockstep::scheduler
