#include "models/scratchpad/conflicts.hpp"

namespace lockstep::scratchpad {

std::uint32_t one_word_passes(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                              std::uint32_t shift) {
  std::uint32_t passes = 0;
  for (std::uint32_t waiting = mask; waiting != 0; ++passes) {
    const std::uint64_t broadcast = words[std::countr_zero(waiting)] >> shift;
    std::uint64_t taken[many_banks / 64] = {};  // Banks that this pass reads, one bit each.
    taken[map[broadcast] / 64] |= std::uint64_t{1} << map[broadcast] % 64;
    std::uint32_t left = 0;
    for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (words[lane] >> shift == broadcast) continue;
      const std::uint32_t bank = map[words[lane] >> shift];
      std::uint64_t& banks = taken[bank / 64];
      if ((banks >> bank % 64 & 1) != 0) left |= 1u << lane;
      banks |= std::uint64_t{1} << bank % 64;
    }
    waiting = left;
  }
  return passes;
}

}  // namespace lockstep::scratchpad
