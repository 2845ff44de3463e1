#pragma once

#include <cstdint>

namespace lockstep {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same numbers on every machine. For choices that models and
/// searches make; random inputs of kernels come from std::mt19937_64, whose numbers descriptors promise.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// 0 to end - 1; `end` is not 0.
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(next() % end); }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep
