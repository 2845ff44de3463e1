#pragma once

#include <limits>

#include "isa/random.hpp"
#include "models/cache/replacement.hpp"

namespace lockstep::cache {

/// Any line, by a seeded generator that begins anew when the array is emptied.
class RandomVictim {
 public:
  static constexpr PolicyText description{"random", "random[:SEED]", "any line, by random numbers from a seed"};
  static constexpr Argument argument{0, std::numeric_limits<std::uint32_t>::max(), 1};

  explicit RandomVictim(Shape shape = {}, std::uint64_t seed = 1) : ways_(shape.ways), seed_(seed), random_(seed) {}
  void clear() { random_ = Random(seed_); }
  std::uint32_t victim(std::uint32_t) { return random_.below(ways_); }

 private:
  std::uint32_t ways_;
  std::uint64_t seed_;
  Random random_;
};

}  // namespace lockstep::cache
