#pragma once

#include "models/cache/replacement/rereference_intervals.hpp"

namespace lockstep::cache {

/// SRRIP with hit priority: new lines are predicted to be used after a long interval, so that lines of a scan, which are
/// used once, go before lines that were used again.
class Srrip {
 public:
  static constexpr PolicyText description{
      "srrip", "srrip[:BITS]", "static re-reference interval prediction: lines not used again are evicted first"};
  static constexpr Argument argument{1, 7, 2};

  explicit Srrip(Shape shape = {}, std::uint64_t bits = 2) : intervals_(shape, static_cast<std::uint32_t>(bits)) {}
  void clear() { intervals_.clear(); }
  void hit(Place place) { intervals_.of(place) = 0; }
  void insert(Place place) { intervals_.of(place) = static_cast<std::uint8_t>(intervals_.distant() - 1); }
  std::uint32_t victim(std::uint32_t set) { return intervals_.victim(set); }

 private:
  RereferenceIntervals intervals_;
};

}  // namespace lockstep::cache
