#pragma once

#include <limits>

#include "isa/random.hpp"
#include "models/cache/replacement/rereference_intervals.hpp"

namespace lockstep::cache {

/// BRRIP: most new lines are predicted to be used in the distant future, one of 32 after a long interval, so that of a set
/// of lines that does not fit a part stays. With M = 2 bits.
class Brrip {
 public:
  static constexpr PolicyText description{
      "brrip", "brrip[:SEED]",
      "bimodal re-reference interval prediction: keeps a part of a working set that does not fit"};
  static constexpr Argument argument{0, std::numeric_limits<std::uint32_t>::max(), 1};

  explicit Brrip(Shape shape = {}, std::uint64_t seed = 1) : intervals_(shape, 2), seed_(seed), random_(seed) {}
  void clear() {
    intervals_.clear();
    random_ = Random(seed_);
  }
  void hit(Place place) { intervals_.of(place) = 0; }
  void insert(Place place) {
    intervals_.of(place) = static_cast<std::uint8_t>(intervals_.distant() - (random_.below(32) == 0 ? 1 : 0));
  }
  std::uint32_t victim(std::uint32_t set) { return intervals_.victim(set); }

 private:
  RereferenceIntervals intervals_;
  std::uint64_t seed_;
  Random random_;
};

}  // namespace lockstep::cache
