#pragma once
// Finds places in one sweep along the ring, slot by slot, deciding at each which items are placed there. All that the rest
// of the ring needs to know is which items are placed and which values are on the lanes, so partial placements that agree
// in this are one state. With as many states kept as there are, the search is exhaustive for its question.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/rgpu/problem.hpp"

namespace lockstep::rgpu {

struct SweepQuestion {
  std::uint32_t lanes = 0;       ///< At most so many values at each slot.
  std::uint32_t reserved = 0;    ///< Of these, at every slot, taken by others.
  std::uint32_t first_slot = 0;  ///< All items stand at `length` slots from here on.
  std::uint32_t length = 0;
  /// Items whose values cross from the slot before `first_slot` into it; no other value does. In increasing order.
  std::vector<std::uint32_t> wrapped;
  /// Where the fabric looks the same as at `first_slot`, at least so many values cross, too. (Otherwise the ring could be
  /// cut there.)
  std::uint32_t least_crossing = 0;
  std::size_t width = 4096;  ///< States kept per slot.
};

struct SweepAnswer {
  std::optional<Placement> placement;  ///< Its last item is at the earliest slot among those that were looked at.
  bool exhaustive = true;              ///< Without a placement: there is none.
  std::uint64_t steps = 0;             ///< States made.
};

/// `limit`: the search ends, not exhaustive, after that many steps.
SweepAnswer sweep(const Problem& problem, const SweepQuestion& question, std::uint64_t limit);

}  // namespace lockstep::rgpu
