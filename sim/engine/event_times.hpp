#pragma once
// When each of many parts has its next event.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep::engine {

/// Times by number. Finding the earliest, or all before a limit, passes over groups in which nothing happens, so that a machine of
/// many parts costs what those cost that have something to do.
class EventTimes {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  /// All never.
  explicit EventTimes(std::size_t count)
      : times_((count + group - 1) / group * group, never), earliest_(times_.size() / group, never) {}

  void set(std::size_t number, std::uint64_t time) {
    std::uint64_t& own = times_[number];
    std::uint64_t& earliest = earliest_[number / group];
    const bool was_earliest = own == earliest;
    own = time;
    if (time <= earliest) {
      earliest = time;
    } else if (was_earliest) {
      const std::uint64_t* first = &times_[number / group * group];
      earliest = *std::min_element(first, first + group);
    }
  }
  /// The part has another event at `time`.
  void add(std::size_t number, std::uint64_t time) {
    if (time < times_[number]) set(number, time);
  }

  std::uint64_t earliest() const {
    std::uint64_t first = never;
    for (const std::uint64_t time : earliest_) first = std::min(first, time);
    return first;
  }
  /// Calls f(number) for each with an event before `limit`, in order.
  template <class F>
  void for_each_before(std::uint64_t limit, F&& f) const {
    for (std::size_t g = 0; g < earliest_.size(); ++g) {
      if (earliest_[g] >= limit) continue;
      for (std::size_t n = g * group; n < (g + 1) * group; ++n)
        if (times_[n] < limit) f(static_cast<std::uint32_t>(n));
    }
  }

 private:
  static constexpr std::size_t group = 16;
  std::vector<std::uint64_t> times_;     ///< Whole groups.
  std::vector<std::uint64_t> earliest_;  ///< Of each group.
};

}  // namespace lockstep::engine
