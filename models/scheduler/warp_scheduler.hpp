#pragma once
// Warp schedulers: which of the warps that could issue now does so. All policies share this one type; the choice is a
// switch, not a virtual call, because it is made in every issue slot.

#include <cstdint>
#include <span>

namespace lockstep::scheduler {

enum class Policy : std::uint8_t {
  loose_round_robin,  ///< The next issuable warp behind the one that issued last.
  greedy_then_oldest  ///< The warp that issued last while it can, then the one longest on the SM.
};

/// Order of choice among the warp slots of one scheduler.
class WarpScheduler {
 public:
  WarpScheduler() = default;
  explicit WarpScheduler(Policy policy) : policy_(policy) {}

  /// The chosen slot, or -1. age[slot] is smaller for warps that came earlier; issuable(slot) says whether the slot can
  /// issue now.
  template <class Issuable>
  int choose(std::span<const std::uint64_t> age, Issuable&& issuable) const {
    const auto slots = static_cast<std::uint32_t>(age.size());
    if (policy_ == Policy::loose_round_robin) {
      for (std::uint32_t n = 1; n <= slots; ++n) {
        std::uint32_t slot = last_ + n;
        if (slot >= slots) slot -= slots;
        if (issuable(slot)) return static_cast<int>(slot);
      }
      return -1;
    }
    if (last_ < slots && issuable(last_)) return static_cast<int>(last_);
    int oldest = -1;
    for (std::uint32_t slot = 0; slot < slots; ++slot)
      if (issuable(slot) && (oldest < 0 || age[slot] < age[static_cast<std::uint32_t>(oldest)]))
        oldest = static_cast<int>(slot);
    return oldest;
  }
  void issued(int slot) { last_ = static_cast<std::uint32_t>(slot); }

 private:
  Policy policy_ = Policy::loose_round_robin;
  std::uint32_t last_ = 0;
};

}  // namespace lockstep::scheduler
