#pragma once

#include "models/cache/replacement/order.hpp"

namespace lockstep::cache {

/// Lines go in the order in which they came, however much they are used.
class FirstInFirstOut {
 public:
  static constexpr PolicyText description{"fifo", "fifo", "the line that was filled first"};

  explicit FirstInFirstOut(Shape shape = {}) : arrivals_(shape) {}
  void clear() { arrivals_.clear(); }
  void insert(Place place) { arrivals_.to_front(place); }
  std::uint32_t victim(std::uint32_t set) const { return arrivals_.last(set); }

 private:
  Order arrivals_;
};

}  // namespace lockstep::cache
