#pragma once
// The unit of a slice that performs atomic operations.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "models/clock/ticks.hpp"
#include "models/l2/spec.hpp"

namespace lockstep::l2 {

/// L2 cycles of this period as ticks.
inline clock::Ticks ticks(double l2_cycles, clock::Ticks period) {
  return static_cast<clock::Ticks>(std::llround(l2_cycles * static_cast<double>(period)));
}

/// Performs requests one after the other: of each sector as many operations as lanes share one of its words, each on one lane
/// of every word. Operations keep an interval, and those on one word another, within a request and from one request to the next;
/// which words a request names is known by their sectors. What it writes is seen later, by the
/// request's own reply and by reads of the sector, which wait for it: the latency of the unit, and of a request with
/// several operations on a word a further time for each, up to as many as it does not combine.
class AtomicUnit {
 public:
  AtomicUnit(const Spec& spec, clock::Ticks period)
      : operations_(spec.atomics_per_l2_cycle, period),
        same_word_(ticks(spec.same_word_l2_interval, period)),
        same_word_float_(spec.same_word_float_l2_interval == 0 ? same_word_
                                                               : ticks(spec.same_word_float_l2_interval, period)),
        sector_(ticks(spec.atomic_sector_l2_interval, period)),
        whole_sector_(spec.whole_sector_l2_interval == 0 ? sector_ : ticks(spec.whole_sector_l2_interval, period)),
        latency_(clock::to_ticks(spec.atomic_latency)),
        same_word_latency_(clock::to_ticks(spec.same_word_latency)),
        same_word_steps_(spec.same_word_steps) {}

  /// When a request for sectors, numbered from `first`, can begin, not before `time`.
  clock::Ticks start_time(clock::Ticks time, std::uint64_t first, std::uint32_t sectors) const {
    clock::Ticks start = std::max(time, free_);
    for (; sectors != 0; sectors &= sectors - 1)
      start = std::max(start, words_[place(first + static_cast<unsigned>(std::countr_zero(sectors)))].busy_until);
    return start;
  }

  /// When what has been written to sectors is there for a read, not before `time`.
  clock::Ticks settled_time(clock::Ticks time, std::uint64_t first, std::uint32_t sectors) const {
    for (; sectors != 0; sectors &= sectors - 1)
      time = std::max(time, words_[place(first + static_cast<unsigned>(std::countr_zero(sectors)))].settled);
    return time;
  }

  /// Begins a request at a time that start_time allows; returns when its results are there. `lanes` take part, at most
  /// `same_word` of them on one word, in so many `operations`; `floating`: on floating-point numbers; `whole`: on all words of the
  /// sectors.
  clock::Ticks perform(clock::Ticks start, std::uint64_t first, std::uint32_t sectors, std::uint32_t lanes,
                       std::uint32_t same_word, std::uint32_t operations, bool floating, bool whole) {
    const clock::Ticks interval = floating ? same_word_float_ : same_word_;
    const std::uint32_t further = same_word == 0 ? 0 : same_word - 1;
    const auto steps = static_cast<clock::Ticks>(operations);
    const clock::Ticks step = whole ? whole_sector_ : sector_;
    free_ = start + std::max(operations_.cost(lanes), steps * step);
    const clock::Ticks words =
        lanes == 0 ? 0 : std::max(operations_.cost(lanes - 1), (std::max<clock::Ticks>(steps, 1) - 1) * step);
    const clock::Ticks last = start + std::max(words, further * interval);
    const clock::Ticks there =
        std::max(last, start + std::min(further, same_word_steps_) * same_word_latency_) + latency_;
    for (; sectors != 0; sectors &= sectors - 1)
      words_[place(first + static_cast<unsigned>(std::countr_zero(sectors)))] = {start + same_word * interval, there};
    return there;
  }

  /// Time begins at 0 again.
  void reset() {
    free_ = 0;
    words_.fill({});
  }

 private:
  /// Sectors that are busy at one time lie close together, so that different ones hardly ever share a place.
  static std::size_t place(std::uint64_t sector) { return sector % places; }
  static constexpr std::size_t places = 1024;

  clock::Rate operations_;
  /// The words of a sector: until when none of them takes another operation, and when the last result is there.
  struct Words {
    clock::Ticks busy_until = 0, settled = 0;
  };

  clock::Ticks same_word_, same_word_float_, sector_, whole_sector_, latency_, same_word_latency_;
  std::uint32_t same_word_steps_;
  clock::Ticks free_ = 0;
  std::array<Words, places> words_{};
};

}  // namespace lockstep::l2
