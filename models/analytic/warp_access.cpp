#include "models/analytic/warp_access.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "models/scratchpad/conflicts.hpp"

namespace lockstep::analytic {

namespace {

/// Calls visit(lane) for every lane of the mask, lowest first.
template <class Visit>
void for_each_lane(std::uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

}  // namespace

std::uint32_t bank_conflict_degree(const Layout& layout, const WarpAccess& access) {
  std::uint64_t words[32] = {};
  for_each_lane(access.mask, [&](std::uint32_t lane) { words[lane] = access.word[lane] >> layout.bank_shift; });
  return scratchpad::conflict_degree(layout.banks, words, access.mask);
}

LockConflicts lock_conflicts(const Layout& layout, const WarpAccess& access) {
  LockConflicts conflicts;
  std::map<std::uint32_t, std::uint32_t> lanes_of_lock;
  for_each_lane(access.mask, [&](std::uint32_t lane) {
    const std::uint32_t count = ++lanes_of_lock[layout.locks[access.word[lane]]];
    if (count == 1) conflicts.winners |= 1u << lane;
    conflicts.degree = std::max(conflicts.degree, count);
  });
  return conflicts;
}

std::uint32_t position_conflict_degree(const WarpAccess& access) {
  std::uint32_t degree = 0;
  std::map<std::uint64_t, std::uint32_t> lanes_of_word;
  for_each_lane(access.mask,
                [&](std::uint32_t lane) { degree = std::max(degree, ++lanes_of_word[access.word[lane]]); });
  return degree;
}

}  // namespace lockstep::analytic
