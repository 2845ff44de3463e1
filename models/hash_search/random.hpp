#pragma once

#include <cstdint>

namespace lockstep::hash {

/// splitmix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(next() % end); }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::hash
