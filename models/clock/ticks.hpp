#pragma once
// Time in clock domains other than the SM's, in integers: everything is counted in fractions of an SM cycle that are
// rounded once, from the configuration, so that no result depends on the order of floating-point operations.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "isa/cycle.hpp"

namespace lockstep::clock {

/// A point in time or a duration in fractions of an SM cycle.
using Ticks = std::uint64_t;

inline constexpr int tick_bits = 16;
inline constexpr Ticks ticks_per_cycle = Ticks{1} << tick_bits;
/// Later than any other time.
inline constexpr Ticks never = ~Ticks{0};

constexpr Ticks to_ticks(Cycle cycles) {
  return cycles << tick_bits;
}
/// The cycle in which a point in time lies, and the first that begins at it or later.
constexpr Cycle cycle_of(Ticks time) {
  return time >> tick_bits;
}
constexpr Cycle cycle_after(Ticks time) {
  return (time + ticks_per_cycle - 1) >> tick_bits;
}
/// The period of a clock, as seen from SMs of `sm_mhz`.
inline Ticks period(double sm_mhz, double mhz) {
  return std::max<Ticks>(1, static_cast<Ticks>(std::llround(sm_mhz / mhz * static_cast<double>(ticks_per_cycle))));
}

/// What a number of units (bytes, operations) costs at a fixed rate. Up to 8192 units.
class Rate {
 public:
  Rate() = default;
  /// `per_cycle` units in each cycle of a clock with this period.
  Rate(double per_cycle, Ticks period)
      : per_unit_(static_cast<std::uint64_t>(std::llround(
            std::min(static_cast<double>(period) / per_cycle * static_cast<double>(1 << fraction_bits), 0x1p50)))) {}
  /// Of one port in the SM's clock.
  explicit Rate(double per_cycle) : Rate(per_cycle, ticks_per_cycle) {}

  Ticks cost(std::uint64_t units) const { return (units * per_unit_ + (1 << (fraction_bits - 1))) >> fraction_bits; }

 private:
  static constexpr int fraction_bits = 12;
  std::uint64_t per_unit_ = 0;
};

}  // namespace lockstep::clock
