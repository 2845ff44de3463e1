#pragma once
// Warp schedulers: which of the warps that could issue now does so. All policies share this one type; the choice is a
// switch, not a virtual call, because it is made in every issue slot.

#include <bit>
#include <cstdint>
#include <span>

namespace lockstep::scheduler {

enum class Policy : std::uint8_t {
  loose_round_robin,   ///< The next issuable warp behind the one that issued last.
  greedy_then_oldest,  ///< The warp that issued last while it can, then the one longest on the SM.
  two_level,           ///< Loose round robin among the warps of an ActiveSet.
  random               ///< Any issuable warp, by a seeded generator: for tests that must hold for every interleaving.
};

/// Chooses among at most 64 warp slots of one scheduler.
class WarpScheduler {
 public:
  WarpScheduler() = default;
  /// `seed` decides the choices of Policy::random; no two schedulers should have the same.
  explicit WarpScheduler(Policy policy, std::uint64_t seed = 0) : policy_(policy), random_(seed) {}

  /// The slot that issues, out of the bit mask of those that can, which is not 0. age[slot] is smaller for warps that
  /// came earlier.
  std::uint32_t choose(std::uint64_t issuable, std::span<const std::uint64_t> age) {
    if (policy_ == Policy::loose_round_robin || policy_ == Policy::two_level) {
      const std::uint64_t behind = last_ == 63 ? 0 : issuable >> (last_ + 1) << (last_ + 1);
      last_ = static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : issuable));
    } else if (policy_ == Policy::random) {
      last_ = any_of(issuable);
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
  std::uint32_t any_of(std::uint64_t issuable) {
    // SplitMix64 (Steele, Lea and Flood 2014).
    std::uint64_t bits = random_ += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    auto skip = (bits ^ bits >> 31) % static_cast<unsigned>(std::popcount(issuable));
    for (; skip > 0; --skip) issuable &= issuable - 1;
    return static_cast<std::uint32_t>(std::countr_zero(issuable));
  }

  Policy policy_ = Policy::loose_round_robin;
  std::uint32_t last_ = 63;
  std::uint64_t random_ = 0;
};

}  // namespace lockstep::scheduler
