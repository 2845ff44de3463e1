#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/replacement.hpp"

namespace lockstep::cache {

/// The ways of every set in an order in which any way can be moved to the front, in constant time for any number of ways:
/// a doubly linked ring per set, of which the last way stands before the first.
class Order {
 public:
  explicit Order(Shape shape) : ways_(shape.ways), links_(std::size_t{shape.sets} * shape.ways), first_(shape.sets) {
    clear();
  }

  void clear() {
    for (std::uint32_t set = 0; set < first_.size(); ++set) {
      const std::uint32_t first = set * ways_, last = first + ways_ - 1;
      for (std::uint32_t entry = first; entry <= last; ++entry)
        links_[entry] = {entry == first ? last : entry - 1, entry == last ? first : entry + 1};
      first_[set] = first;
    }
  }
  void to_front(Place place) {
    const std::uint32_t entry = place.set * ways_ + place.way;
    std::uint32_t& first = first_[place.set];
    if (first == entry) return;
    if (links_[first].before != entry) {  // Otherwise it is the last, and the ring need only turn.
      const Link link = links_[entry];
      links_[link.before].behind = link.behind;
      links_[link.behind].before = link.before;
      const std::uint32_t last = links_[first].before;
      links_[entry] = {last, first};
      links_[last].behind = entry;
      links_[first].before = entry;
    }
    first = entry;
  }
  std::uint32_t last(std::uint32_t set) const { return links_[first_[set]].before - set * ways_; }

 private:
  struct Link {
    std::uint32_t before = 0, behind = 0;
  };
  std::uint32_t ways_;
  std::vector<Link> links_;           ///< Set s has [s * ways, (s + 1) * ways).
  std::vector<std::uint32_t> first_;  ///< Per set.
};

}  // namespace lockstep::cache
