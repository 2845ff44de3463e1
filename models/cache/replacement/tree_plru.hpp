#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "models/cache/replacement.hpp"

namespace lockstep::cache {

/// A binary tree over the ways with a bit per node, which points to the half that was not used last. A victim is found along
/// the bits. Ways that are no power of two are the first leaves of the next one's tree: where the upper half of a node has
/// none, the way leads down the lower half.
class TreePlru {
 public:
  static constexpr PolicyText description{"plru", "plru", "tree pseudo-LRU: away from the last use, level by level"};

  explicit TreePlru(Shape shape = {})
      : ways_(shape.ways), leaves_(std::bit_ceil(shape.ways)), upper_(std::size_t{shape.sets} * leaves_, 0) {}
  void clear() { std::fill(upper_.begin(), upper_.end(), 0); }
  void hit(Place place) { point_away(place); }
  void insert(Place place) { point_away(place); }
  void arrive(Place place) { point_away(place); }
  std::uint32_t victim(std::uint32_t set) const {
    const std::uint8_t* tree = upper_.data() + std::size_t{set} * leaves_;
    std::uint32_t way = 0;
    for (std::uint32_t node = 1, half = leaves_ / 2; half != 0; half /= 2) {
      const bool up = tree[node] != 0 && way + half < ways_;
      node = 2 * node + (up ? 1 : 0);
      if (up) way += half;
    }
    return way;
  }

 private:
  void point_away(Place place) {
    std::uint8_t* tree = upper_.data() + std::size_t{place.set} * leaves_;
    for (std::uint32_t node = 1, half = leaves_ / 2; half != 0; half /= 2) {
      const bool up = (place.way & half) != 0;
      tree[node] = up ? 0 : 1;
      node = 2 * node + (up ? 1 : 0);
    }
  }

  std::uint32_t ways_, leaves_;
  /// Per set a tree, from node 1 on; the children of node n are 2n and 2n + 1. 1: the victim is in the upper half.
  std::vector<std::uint8_t> upper_;
};

}  // namespace lockstep::cache
