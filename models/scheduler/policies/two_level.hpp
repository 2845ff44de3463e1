#pragma once

#include "models/scheduler/view.hpp"

namespace lockstep::scheduler {

/// Loose round robin among an active set (Gebhart et al., ISCA 2011; Narasiman et al., MICRO 2011). A warp that waits for
/// memory or at a barrier leaves the set; the next one that waits for neither takes its place, in turn.
class TwoLevel {
 public:
  static constexpr PolicyText description{
      "two_level", "two_level",
      "loose round robin among sm.active_warps warps that do not wait for memory or a barrier"};

  TwoLevel() = default;
  explicit TwoLevel(const Settings& settings) : limit_(settings.active_warps) {}

  Candidates narrow(std::uint64_t ready, const View& warps) {
    const std::uint64_t runnable = warps.live & (ready | ~(warps.waits_for_memory | warps.waits_at_barrier));
    active_ &= runnable;
    for (std::uint64_t waiting; has_room() && (waiting = runnable & ~active_) != 0;) {
      entered_ = first_behind(waiting, entered_);
      active_ |= std::uint64_t{1} << entered_;
    }
    // While the set has room, whoever becomes ready enters it at once.
    return {active_, has_room() ? warps.live : active_};
  }
  std::uint32_t choose(std::uint64_t issuable, const View& warps) { return first_behind(issuable, warps.last); }

 private:
  bool has_room() const { return static_cast<std::uint32_t>(std::popcount(active_)) < limit_; }

  std::uint32_t limit_ = max_warps;
  std::uint32_t entered_ = max_warps - 1;  ///< The slot that entered the set last.
  std::uint64_t active_ = 0;
};

}  // namespace lockstep::scheduler
