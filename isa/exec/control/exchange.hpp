#pragma once
// Which lane a shuffle reads.

#include <cstdint>
#include <optional>

namespace lockstep::exec {

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

/// The lane whose value a lane gets, by its operands b and c; none when that is out of range: its own (PTX ISA 9.7.9.6).
inline std::optional<unsigned> shuffle_source(Shuffle mode, unsigned self, std::uint32_t b, std::uint32_t c) {
  const int lane = static_cast<int>(self), b_lane = static_cast<int>(b & 31);
  const int clamp = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
  const int max_lane = (lane & segment) | (clamp & ~segment & 31), min_lane = lane & segment;
  int from = 0;
  switch (mode) {
    case Shuffle::up: from = lane - b_lane; break;
    case Shuffle::down: from = lane + b_lane; break;
    case Shuffle::bfly: from = lane ^ b_lane; break;
    case Shuffle::idx: from = min_lane | (b_lane & ~segment & 31); break;
  }
  const bool in_range = mode == Shuffle::up ? from >= max_lane : from <= max_lane;
  return in_range ? std::optional<unsigned>(static_cast<unsigned>(from)) : std::nullopt;
}

}  // namespace lockstep::exec
