#pragma once
// The conflict counter: how many passes a scratchpad access needs. The pipeline, the hash search and the analytic
// models all count with this one.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/hash/address_map.hpp"

namespace lockstep::scratchpad {

/// How the lanes of an access share banks and words.
struct Conflicts {
  std::uint32_t degree = 0;      ///< The largest number of distinct words in one bank.
  std::uint32_t most_lanes = 0;  ///< The largest number of lanes that name one word.
};

/// Both for at most `max_banks` targets.
template <std::size_t max_banks>
Conflicts count_conflicts(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                          std::uint32_t shift) {
  // Per bank a chain of the lanes whose words are distinct: its head, and per lane the next one.
  constexpr std::uint8_t none = 0xff;
  std::uint8_t head[max_banks], count[max_banks] = {}, next[32], sharers[32];
  std::memset(head, none, sizeof head);
  const std::uint16_t* const table = map.table();
  const std::uint64_t last = map.entries() - 1;
  Conflicts found;
  if (mask != 0) found.most_lanes = 1;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(rest));
    const std::uint64_t word = words[lane] >> shift;
    const std::uint32_t bank = table[word & last];
    std::uint8_t other = head[bank];
    while (other != none && words[other] >> shift != word) other = next[other];
    if (other != none) {
      if (++sharers[other] > found.most_lanes) found.most_lanes = sharers[other];
      continue;
    }
    sharers[lane] = 1;
    next[lane] = head[bank];
    head[bank] = lane;
    if (++count[bank] > found.degree) found.degree = count[bank];
  }
  return found;
}

/// Targets that an address map may have at most.
inline constexpr std::size_t few_banks = 64, many_banks = 1024;

/// How many of words[0 .. count - 1] are distinct; at most 32, at least one.
inline std::uint32_t distinct_words(const std::uint64_t* words, std::uint32_t count) {
  // Those of most patterns rise or fall.
  bool rising = true, falling = true;
  for (std::uint32_t i = 1; i < count; ++i) {
    rising &= words[i - 1] < words[i];
    falling &= words[i - 1] > words[i];
  }
  if (rising || falling) return count;
  std::uint32_t distinct = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    bool seen = false;
    for (std::uint32_t j = 0; j < i; ++j) seen |= words[j] == words[i];
    distinct += std::uint32_t{!seen};
  }
  return distinct;
}

/// The largest number of distinct words in one of at most `max_banks` targets, the word of a lane being
/// words[lane] >> shift(). Lanes are counted first, without a branch; their words are told apart only where most lanes
/// meet.
template <std::size_t max_banks, class Shift>
std::uint32_t largest_degree(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask, Shift shift) {
  // Per bank: lanes so far << 8 | the last of them. Per lane: what its bank held before it came.
  std::uint16_t bank_lanes[max_banks] = {}, before[32];
  const std::uint16_t* const table = map.table();
  const std::uint64_t last = map.entries() - 1;
  std::uint32_t fullest = 0;
  const auto bank_of = [&](std::uint32_t lane) { return table[words[lane] >> shift() & last]; };
  const auto add = [&](std::uint32_t lane) {
    std::uint16_t& bank = bank_lanes[bank_of(lane)];
    before[lane] = bank;
    const std::uint32_t with_this = (bank | 0xffu) + 1 + lane;
    bank = static_cast<std::uint16_t>(with_this);
    fullest = with_this > fullest ? with_this : fullest;
  };
  if (mask == ~0u) [[likely]] {
#pragma GCC unroll 8
    for (std::uint32_t lane = 0; lane < 32; ++lane) add(lane);
  } else {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      add(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
  const std::uint32_t most = fullest >> 8;
  if (most <= 1) return most;

  const auto distinct_in = [&](std::uint32_t lanes) {
    const std::uint32_t count = lanes >> 8;
    if (count <= 4) [[likely]] {  // Without a branch on their number, which nothing foretells.
      const std::uint32_t a = lanes & 0xff, b = before[a] & 0xff;
      const std::uint32_t c = count > 2 ? before[b] & 0xff : a, d = count > 3 ? before[c] & 0xff : a;
      const std::uint64_t x = words[a] >> shift(), y = words[b] >> shift(), z = words[c] >> shift(),
                          w = words[d] >> shift();
      const unsigned third = unsigned{x == z} | unsigned{y == z},
                     fourth = unsigned{x == w} | unsigned{y == w} | unsigned{z == w};
      if ((unsigned{x == y} | (third & unsigned{count > 2}) | (fourth & unsigned{count > 3})) == 0) [[likely]]
        return count;
    }
    std::uint64_t found[32];
    for (std::uint32_t i = 0; i < count; ++i, lanes = before[lanes & 0xff]) found[i] = words[lanes & 0xff] >> shift();
    return distinct_words(found, count);
  };
  std::uint32_t degree = distinct_in(fullest);
  if (degree == most) return degree;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    std::uint16_t& bank = bank_lanes[bank_of(static_cast<std::uint32_t>(std::countr_zero(rest)))];
    if (bank >> 8 <= static_cast<int>(degree)) continue;
    const std::uint32_t distinct = distinct_in(bank);
    bank = 0;  // Looked at once.
    if (distinct > degree) degree = distinct;
  }
  return degree;
}

/// The largest number of distinct words that fall into one target (bank) among the lanes of `mask`: lanes that name the
/// same word share its access. 0 for an empty mask. The word of a lane is words[lane] >> shift.
inline std::uint32_t conflict_degree(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                                     std::uint32_t shift = 0) {
  const auto at_most = [&](auto&& shifted) {
    if (map.targets() <= 32) [[likely]]
      return largest_degree<32>(map, words, mask, shifted);
    return map.targets() <= few_banks ? largest_degree<few_banks>(map, words, mask, shifted)
                                      : largest_degree<many_banks>(map, words, mask, shifted);
  };
  // Shifts by a constant are cheaper than by any number.
  if (shift == 0) return at_most([] { return 0; });
  if (shift == 2) [[likely]]
    return at_most([] { return 2; });
  return at_most([shift] { return shift; });
}

/// The same with the lanes of the word that most lanes name.
inline Conflicts conflicts(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                           std::uint32_t shift = 0) {
  if (map.targets() <= few_banks) [[likely]]
    return count_conflicts<few_banks>(map, words, mask, shift);
  return count_conflicts<many_banks>(map, words, mask, shift);
}

/// Passes of a load when a pass serves all lanes of only one word, that of the lowest lane still waiting, and a single
/// lane of every other bank: compute capability 1.x (CUDA Programming Guide 2.3, section 5.1.2.5). 0 for an empty mask.
std::uint32_t one_word_passes(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                              std::uint32_t shift = 0);

}  // namespace lockstep::scratchpad
