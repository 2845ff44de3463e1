#pragma once
// The unit of a slice that performs atomic operations.

#include <array>
#include <bit>
#include <cstdint>

#include "models/clock/ticks.hpp"
#include "models/l2/spec.hpp"

namespace lockstep::l2 {

/// Performs requests one after the other. Operations on one word keep an interval, within a request and from one request
/// to the next; which words a request names is known to it by their sectors.
class AtomicUnit {
 public:
  AtomicUnit(const Spec& spec, clock::Ticks period)
      : operations_(spec.atomics_per_l2_cycle, period),
        same_word_(static_cast<clock::Ticks>(std::llround(spec.same_word_l2_interval * static_cast<double>(period)))) {}

  /// When a request for sectors, numbered from `first`, can begin, not before `time`.
  clock::Ticks start_time(clock::Ticks time, std::uint64_t first, std::uint32_t sectors) const {
    clock::Ticks start = std::max(time, free_);
    for (; sectors != 0; sectors &= sectors - 1)
      start = std::max(start, busy_until_[place(first + static_cast<unsigned>(std::countr_zero(sectors)))]);
    return start;
  }

  /// Begins a request at a time that start_time allows; returns when its last operation begins.
  clock::Ticks perform(clock::Ticks start, std::uint64_t first, std::uint32_t sectors, std::uint32_t lanes,
                       std::uint32_t same_word) {
    free_ = start + operations_.cost(lanes);
    for (; sectors != 0; sectors &= sectors - 1)
      busy_until_[place(first + static_cast<unsigned>(std::countr_zero(sectors)))] = start + same_word * same_word_;
    const clock::Ticks words = lanes == 0 ? 0 : operations_.cost(lanes - 1);
    return start + std::max(words, same_word == 0 ? 0 : (same_word - 1) * same_word_);
  }

  /// Time begins at 0 again.
  void reset() {
    free_ = 0;
    busy_until_.fill(0);
  }

 private:
  /// Sectors that are busy at one time lie close together, so that different ones hardly ever share a place.
  static std::size_t place(std::uint64_t sector) { return sector % places; }
  static constexpr std::size_t places = 1024;

  clock::Rate operations_;
  clock::Ticks same_word_;
  clock::Ticks free_ = 0;
  std::array<clock::Ticks, places> busy_until_{};
};

}  // namespace lockstep::l2
