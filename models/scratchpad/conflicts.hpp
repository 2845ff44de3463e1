#pragma once
// The conflict counter: how many passes a scratchpad access needs. The pipeline, the hash search and the analytic
// models
// all count with this one.

#include <bit>
#include <cstdint>
#include <cstring>

#include "models/hash/address_map.hpp"

namespace lockstep::scratchpad {

/// The largest number of distinct words that fall into one target (bank) among the lanes of `mask`: lanes that name the
/// same word share its access. 0 for an empty mask. words[] is indexed by lane; at most 64 targets.
inline std::uint32_t conflict_degree(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask) {
  // Per bank a chain of the lanes whose words are distinct: its head, and per lane the next one.
  constexpr std::uint8_t none = 0xff;
  std::uint8_t head[64], count[64] = {}, next[32];
  std::memset(head, none, sizeof head);
  std::uint32_t largest = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(rest));
    const std::uint64_t word = words[lane];
    const std::uint32_t bank = map[word];
    std::uint8_t other = head[bank];
    while (other != none && words[other] != word) other = next[other];
    if (other != none) continue;
    next[lane] = head[bank];
    head[bank] = lane;
    if (++count[bank] > largest) largest = count[bank];
  }
  return largest;
}

}  // namespace lockstep::scratchpad
