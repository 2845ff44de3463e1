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

/// The same for at most `max_banks` targets; most_lanes only when asked for.
template <bool count_lanes, std::size_t max_banks>
Conflicts count_conflicts(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                          std::uint32_t shift = 0) {
  // Per bank a chain of the lanes whose words are distinct: its head, and per lane the next one.
  constexpr std::uint8_t none = 0xff;
  std::uint8_t head[max_banks], count[max_banks] = {}, next[32], sharers[32];
  std::memset(head, none, sizeof head);
  const std::uint16_t* const table = map.table();
  const std::uint64_t last = map.entries() - 1;
  Conflicts found;
  if (count_lanes && mask != 0) found.most_lanes = 1;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(rest));
    const std::uint64_t word = words[lane] >> shift;
    const std::uint32_t bank = table[word & last];
    std::uint8_t other = head[bank];
    while (other != none && words[other] >> shift != word) other = next[other];
    if (other != none) {
      if (count_lanes && ++sharers[other] > found.most_lanes) found.most_lanes = sharers[other];
      continue;
    }
    if (count_lanes) sharers[lane] = 1;
    next[lane] = head[bank];
    head[bank] = lane;
    if (++count[bank] > found.degree) found.degree = count[bank];
  }
  return found;
}

/// Targets that an address map may have at most.
inline constexpr std::size_t few_banks = 64, many_banks = 1024;

/// The largest number of distinct words that fall into one target (bank) among the lanes of `mask`: lanes that name the
/// same word share its access. 0 for an empty mask. The word of a lane is words[lane] >> shift.
inline std::uint32_t conflict_degree(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                                     std::uint32_t shift = 0) {
  if (map.targets() <= few_banks) [[likely]]
    return count_conflicts<false, few_banks>(map, words, mask, shift).degree;
  return count_conflicts<false, many_banks>(map, words, mask, shift).degree;
}

/// The same with the lanes of the word that most lanes name.
inline Conflicts conflicts(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                           std::uint32_t shift = 0) {
  if (map.targets() <= few_banks) [[likely]]
    return count_conflicts<true, few_banks>(map, words, mask, shift);
  return count_conflicts<true, many_banks>(map, words, mask, shift);
}

/// Passes of a load when a pass serves all lanes of only one word, that of the lowest lane still waiting, and a single
/// lane of every other bank: compute capability 1.x (CUDA Programming Guide 2.3, section 5.1.2.5). 0 for an empty mask.
std::uint32_t one_word_passes(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                              std::uint32_t shift = 0);

}  // namespace lockstep::scratchpad
