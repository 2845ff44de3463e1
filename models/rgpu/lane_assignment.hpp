#pragma once
// The second step of the mapper: which lane each value travels on.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/rgpu/problem.hpp"

namespace lockstep::rgpu {

struct LaneAnswer {
  std::optional<std::vector<std::uint32_t>> lanes;  ///< Per arc.
  bool exhaustive = true;                           ///< Without lanes: there are none.
  std::uint64_t steps = 0;
};

/// Lanes 0 ... `lanes` - 1 for all arcs, so that no two arcs on one lane share a slot.
LaneAnswer assign_lanes(const Problem& problem, const std::vector<Arc>& arcs, std::uint32_t lanes, std::uint64_t limit);

}  // namespace lockstep::rgpu
