#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::scheduler {

/// The warps among which a two-level scheduler chooses (Gebhart et al., ISCA 2011; Narasiman et al., MICRO 2011). A warp
/// that cannot go on for long leaves the set; the next one that can go on takes its place, in turn.
class ActiveSet {
 public:
  ActiveSet() = default;
  explicit ActiveSet(std::uint32_t limit) : limit_(limit) {}

  /// `runnable`: the warps that wait for nothing that takes long. Others leave; waiting ones enter while there is room,
  /// beginning behind the one that entered last.
  void update(std::uint64_t runnable) {
    active_ &= runnable;
    for (std::uint64_t waiting; has_room() && (waiting = runnable & ~active_) != 0;) {
      const std::uint64_t behind = last_ == 63 ? 0 : waiting >> (last_ + 1) << (last_ + 1);
      last_ = static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : waiting));
      active_ |= std::uint64_t{1} << last_;
    }
  }
  std::uint64_t warps() const { return active_; }
  bool has_room() const { return static_cast<std::uint32_t>(std::popcount(active_)) < limit_; }

 private:
  std::uint32_t limit_ = 64, last_ = 63;
  std::uint64_t active_ = 0;
};

}  // namespace lockstep::scheduler
