#pragma once
// What the closed-form models are asked about: the words that the lanes of one warp access.

#include <array>
#include <cstdint>

#include "models/hash/address_map.hpp"

namespace lockstep::analytic {

/// A warp access pattern: a 4-byte word address per lane.
struct WarpAccess {
  std::uint32_t mask = 0;  ///< Lanes that take part.
  std::array<std::uint64_t, 32> word{};
};

/// Where words lie in a scratchpad memory.
struct Layout {
  hash::AddressMap banks, locks;  ///< From bank-wide words, and from 4-byte words.
  std::uint32_t bank_shift = 0;   ///< A bank holds 2^bank_shift 4-byte words side by side.
};

/// Listing 4.3 of Gomez-Luna (2012): the largest number of distinct (bank-wide) words in one bank. 0 without lanes.
std::uint32_t bank_conflict_degree(const Layout& layout, const WarpAccess& access);

/// Listing 4.4 of Gomez-Luna (2012).
struct LockConflicts {
  std::uint32_t degree = 0;   ///< The largest number of lanes that want one lock.
  std::uint32_t winners = 0;  ///< Of every lock, the first lane that wants it.
};
LockConflicts lock_conflicts(const Layout& layout, const WarpAccess& access);

/// The largest number of lanes that want one word. 0 without lanes.
std::uint32_t position_conflict_degree(const WarpAccess& access);

}  // namespace lockstep::analytic
