#pragma once
// How much work a search may do, and how much it has done.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace lockstep::hash {

/// The limits of a search. A step is one request looked at, so steps take about as long for every method, and a search that
/// steps alone limit finds the same on every machine. Time is looked at only when it is limited.
class Effort {
 public:
  /// Where a search stands.
  struct Standing {
    double fraction = 0;                ///< Of the effort, spent.
    std::optional<std::uint64_t> best;  ///< The lowest cost found.
    std::uint64_t bound = 0;            ///< Nothing costs less, as far as that is known.
  };
  /// Called from time to time, when set.
  using Progress = std::function<void(const Standing& standing)>;

  /// `seconds` 0: no limit.
  Effort(std::uint64_t steps, double seconds, Progress progress = {})
      : limit_(steps), part_limit_(steps), seconds_(seconds), part_seconds_(seconds), progress_(std::move(progress)) {}

  void spend(std::uint64_t steps) {
    spent_ += steps;
    if (spent_ >= next_look_) look();
  }
  /// For Standing: a cost that was found, and a bound that was reached.
  void found(std::uint64_t cost) {
    if (counts_) standing_.best = std::min(cost, standing_.best.value_or(cost));
  }
  void ruled_out_below(std::uint64_t bound) {
    if (counts_) standing_.bound = std::max(bound, standing_.bound);
  }
  /// Whether what is found from here on is a cost of the whole.
  void count_findings(bool counts) { counts_ = counts; }
  /// Whether the effort, or the current part of it, is spent.
  bool over() const { return over_; }
  std::uint64_t spent() const { return spent_; }
  /// Whether the clock ended it, so that another run may find something else.
  bool ended_by_clock() const { return by_clock_; }

  /// From here on only this share of what is left may be spent, until the part ends.
  void begin_part(double share);
  void end_part();

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  double passed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  std::uint64_t limit_, part_limit_;
  double seconds_, part_seconds_;
  Progress progress_;
  std::uint64_t spent_ = 0, next_look_ = 0;
  bool over_ = false, by_clock_ = false, counts_ = true;
  Standing standing_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace lockstep::hash
