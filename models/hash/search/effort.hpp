#pragma once
// How much work a search may do, and how much it has done.

#include <chrono>
#include <cstdint>
#include <functional>

namespace lockstep::hash {

/// The limits of a search. A step is one request looked at, so steps take about as long for every method, and a search that
/// steps alone limit finds the same on every machine. Time is looked at only when it is limited.
class Effort {
 public:
  /// Told now and then how much of the effort is spent, when set.
  using Progress = std::function<void(double fraction)>;

  /// `seconds` 0: no limit.
  Effort(std::uint64_t steps, double seconds, Progress progress = {})
      : limit_(steps), seconds_(seconds), progress_(std::move(progress)) {}

  void spend(std::uint64_t steps) {
    spent_ += steps;
    if (spent_ >= next_look_) look();
  }
  bool over() const { return over_; }
  std::uint64_t spent() const { return spent_; }
  std::uint64_t limit() const { return limit_; }
  /// Whether the clock ended it, so that another run may find something else.
  bool ended_by_clock() const { return by_clock_; }
  /// Lets a part of the search end when this much has been spent in all; returns the limit so far, to be set again.
  std::uint64_t set_limit(std::uint64_t steps) {
    const std::uint64_t old = limit_;
    limit_ = steps;
    over_ = by_clock_ || spent_ >= limit_;
    next_look_ = spent_;
    return old;
  }
  bool limited_by_clock() const { return seconds_ > 0; }

 private:
  using Clock = std::chrono::steady_clock;
  void look();

  std::uint64_t limit_;
  double seconds_;
  Progress progress_;
  std::uint64_t spent_ = 0, next_look_ = 0;
  bool over_ = false, by_clock_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace lockstep::hash
