#pragma once
// Which lanes of a scratchpad access meet in one bank, and which on one word.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/scratchpad/scratchpad.hpp"
#include "sim/gpu/counters/access.hpp"

namespace lockstep::explain {

/// The fullest bank of an access, or of the request of it that has the fullest.
struct Collision {
  std::uint32_t degree = 1;                 ///< Distinct words of the bank: the passes of the request.
  std::uint32_t bank = 0;                   ///< Its number, counted from the beginning of where the bank hash counts.
  std::vector<std::uint64_t> words;         ///< These words, of the width of a bank.
  std::vector<std::uint32_t> lanes;         ///< That access one of them.
  std::uint64_t shared_word = 0;            ///< The word that most lanes access,
  std::vector<std::uint32_t> shared_lanes;  ///< and these.
  /// The distance that all distances of `words` are multiples of; 0 for one word.
  std::uint64_t stride() const;
};

/// None for an access that is not to the scratchpad.
std::optional<Collision> collision_of(const gpu::AccessExample& example, const scratchpad::Spec& spec,
                                      const scratchpad::Maps& maps);

}  // namespace lockstep::explain
