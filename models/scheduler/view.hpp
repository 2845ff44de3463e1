#pragma once
// What a scheduling policy sees, and what it may do.
//
// A policy is a class in policies/ with
//   static constexpr PolicyText description;                       its name and a line of text
//   std::uint32_t choose(std::uint64_t issuable, const View&);     the slot that issues: one of `issuable`, which is not 0
// and, if it wants them,
//   explicit Policy(const Settings&);                              what the configuration says
//   Candidates narrow(std::uint64_t ready, const View&);           a policy that lets a slot go by although warps are ready
// `issuable` are the warps that are ready and whose functional unit is free; with narrow(), only candidates are among them.

#include <array>
#include <bit>
#include <cstdint>

#include "models/one_of.hpp"

namespace lockstep::scheduler {

/// The most warp slots that one scheduler has.
inline constexpr std::uint32_t max_warps = 64;

/// The warps of one scheduler by warp slot: a bit of a mask or an element of an array each.
struct View {
  std::uint64_t live = 0;                         ///< Slots that hold a warp.
  std::uint32_t last = max_warps - 1;             ///< The slot that issued last.
  std::array<std::uint64_t, max_warps> age{};     ///< Smaller for warps that came earlier.
  std::array<std::uint64_t, max_warps> issued{};  ///< Instructions that the slot's warp has issued.
  /// Warps that wait for something long, until they are ready. Kept for policies with narrow() alone: who can issue waits
  /// for nothing.
  std::uint64_t waits_for_memory = 0, waits_at_barrier = 0;
};

/// What a policy with narrow() chooses among.
struct Candidates {
  std::uint64_t now = 0;  ///< The warps that may issue in this slot.
  /// The warps that change `now` when they become ready, and those of `now` that are not ready.
  std::uint64_t later = 0;
};

/// What the configuration says about policies. Each uses what concerns it.
struct Settings {
  std::uint64_t seed = 0;           ///< Of a policy that draws numbers; no two schedulers should have the same.
  std::uint32_t active_warps = 64;  ///< Of a policy that chooses among some warps: how many.
};

/// The first slot of a mask that is not 0 behind a slot, round the end.
inline std::uint32_t first_behind(std::uint64_t mask, std::uint32_t slot) {
  const std::uint64_t behind = slot == 63 ? 0 : mask >> (slot + 1) << (slot + 1);
  return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : mask));
}

/// The slot of a mask that is not 0 for which before(slot, other) holds against every other.
template <class Before>
std::uint32_t first_by(std::uint64_t mask, Before&& before) {
  auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (before(slot, first)) first = slot;
  }
  return first;
}

}  // namespace lockstep::scheduler
