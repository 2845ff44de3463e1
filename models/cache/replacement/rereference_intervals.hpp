#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/cache/replacement.hpp"

namespace lockstep::cache {

/// Of every line a predicted interval until its next use, as M bits: 0 for soon, 2^M - 1 for distant (Jaleel et al., High
/// Performance Cache Replacement Using Re-Reference Interval Prediction, ISCA 2010, section 4). Used lines are predicted to
/// be used soon (hit priority). The victim is the first distant line, in the order in which the ways of an empty set are
/// filled, from the highest down; while there is none, all lines of the set become more distant.
class RereferenceIntervals {
 public:
  RereferenceIntervals(Shape shape, std::uint32_t bits)
      : ways_(shape.ways),
        distant_(static_cast<std::uint8_t>((1u << bits) - 1)),
        intervals_(std::size_t{shape.sets} * shape.ways, distant_) {}

  std::uint8_t distant() const { return distant_; }
  std::uint8_t& of(Place place) { return intervals_[std::size_t{place.set} * ways_ + place.way]; }
  void clear() { std::fill(intervals_.begin(), intervals_.end(), distant_); }
  std::uint32_t victim(std::uint32_t set) {
    std::uint8_t* const lines = intervals_.data() + std::size_t{set} * ways_;
    const std::uint8_t farthest = *std::max_element(lines, lines + ways_);
    const auto aging = static_cast<std::uint8_t>(distant_ - farthest);
    if (aging != 0) std::for_each(lines, lines + ways_, [&](std::uint8_t& line) { line += aging; });
    std::uint32_t way = ways_ - 1;
    while (lines[way] != distant_) --way;
    return way;
  }

 private:
  std::uint32_t ways_;
  std::uint8_t distant_;
  std::vector<std::uint8_t> intervals_;
};

}  // namespace lockstep::cache
