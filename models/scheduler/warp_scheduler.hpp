#pragma once
// Warp schedulers: which of the warps that could issue now does so. All policies share this one type; the choice is a
// switch, not a virtual call, because it is made in every issue slot.

#include <bit>
#include <cstdint>
#include <span>

namespace lockstep::scheduler {

enum class Policy : std::uint8_t {
  loose_round_robin,  ///< The next issuable warp behind the one that issued last.
  greedy_then_oldest  ///< The warp that issued last while it can, then the one longest on the SM.
};

/// Chooses among at most 64 warp slots of one scheduler.
class WarpScheduler {
 public:
  WarpScheduler() = default;
  explicit WarpScheduler(Policy policy) : policy_(policy) {}

  /// The slot that issues, out of the bit mask of those that can, which is not 0. age[slot] is smaller for warps that
  /// came earlier.
  std::uint32_t choose(std::uint64_t issuable, std::span<const std::uint64_t> age) {
    if (policy_ == Policy::loose_round_robin) {
      const std::uint64_t behind = last_ == 63 ? 0 : issuable >> (last_ + 1) << (last_ + 1);
      last_ = static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : issuable));
    } else if ((issuable >> last_ & 1) == 0) {
      std::uint32_t oldest = static_cast<std::uint32_t>(std::countr_zero(issuable));
      for (std::uint64_t rest = issuable; rest != 0; rest &= rest - 1) {
        const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (age[slot] < age[oldest]) oldest = slot;
      }
      last_ = oldest;
    }
    return last_;
  }

 private:
  Policy policy_ = Policy::loose_round_robin;
  std::uint32_t last_ = 63;
};

}  // namespace lockstep::scheduler
