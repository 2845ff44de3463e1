#pragma once

#include "models/cache/replacement/order.hpp"

namespace lockstep::cache {

/// True LRU, in constant time for any number of ways.
class LeastRecentlyUsed {
 public:
  static constexpr PolicyText description{"lru", "lru", "the least recently used line"};

  explicit LeastRecentlyUsed(Shape shape = {}) : uses_(shape) {}
  void clear() { uses_.clear(); }
  void hit(Place place) { uses_.to_front(place); }
  void insert(Place place) { uses_.to_front(place); }
  void arrive(Place place) { uses_.to_front(place); }
  std::uint32_t victim(std::uint32_t set) const { return uses_.last(set); }

 private:
  Order uses_;
};

}  // namespace lockstep::cache
