#pragma once
// When the words of an SM's scratchpad were last updated. A loop that loads a word, computes and swaps the result in
// succeeds in a lane if the word is still what the lane loaded; here times represent values, so any update of the word
// since the load makes the swap fail.
//
// Such loops always end: a swap fails only because somebody's update came between, and of all lanes that loaded a word
// after the same update the first to swap succeeds. So each round serves one lane of every wanted word.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"

namespace lockstep::scratchpad {

/// How the lanes of a compare-and-swap fared.
struct SwapOutcome {
  std::uint32_t swapped = 0;                         ///< Lane mask.
  std::uint32_t lost_position = 0, lost_update = 0;  ///< Lanes that failed: see WordUpdates::swap.
};

class WordUpdates {
 public:
  /// Time begins: no word of a scratchpad of `bytes` has been updated. With 0 bytes nothing is kept.
  void begin(std::uint64_t bytes) { updated_.assign(bytes == 0 ? 0 : std::bit_ceil((bytes + 3) / word_bytes), 0); }
  bool kept() const { return !updated_.empty(); }

  /// Whoever loaded one of the words of these lanes at `now` or before no longer knows it. The addresses count from
  /// `base`. Requires kept().
  void update(const std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes_per_lane, Cycle now,
              std::uint64_t base = 0) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      set(base + address[std::countr_zero(rest)], bytes_per_lane, now);
  }

  /// The lanes swap at `now` what they computed from a load at `loaded_at`. Fails where a word has been updated since
  /// (lost_update); of the others, the first lane of each word succeeds, and its update makes those behind it fail
  /// (lost_position). Elements of less than a word are swapped with their word. Requires kept().
  SwapOutcome swap(const std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes_per_lane, Cycle loaded_at,
                   Cycle now, std::uint64_t base = 0) {
    SwapOutcome outcome;
    std::uint32_t unchanged = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      if (updated_since(base + address[std::countr_zero(rest)], bytes_per_lane, loaded_at)) {
        ++outcome.lost_update;
      } else {
        unchanged |= rest & -rest;
      }
    }
    for (std::uint32_t rest = unchanged; rest != 0; rest &= rest - 1) {
      const std::uint64_t own = base + address[std::countr_zero(rest)];
      if (updated_since(own, bytes_per_lane, loaded_at)) {
        ++outcome.lost_position;
      } else {
        set(own, bytes_per_lane, now);
        outcome.swapped |= rest & -rest;
      }
    }
    return outcome;
  }

 private:
  static constexpr std::uint64_t word_bytes = 4;
  static std::uint64_t last_word(std::uint64_t address, std::uint32_t bytes) {
    return (address + std::max(1u, bytes) - 1) / word_bytes;
  }
  // Addresses wrap as those of an address map do.
  Cycle& of(std::uint64_t word) { return updated_[word & (updated_.size() - 1)]; }
  void set(std::uint64_t address, std::uint32_t bytes, Cycle now) {
    for (std::uint64_t word = address / word_bytes; word <= last_word(address, bytes); ++word) of(word) = now + 1;
  }
  bool updated_since(std::uint64_t address, std::uint32_t bytes, Cycle loaded_at) {
    for (std::uint64_t word = address / word_bytes; word <= last_word(address, bytes); ++word)
      if (of(word) > loaded_at) return true;
    return false;
  }

  std::vector<Cycle> updated_;  ///< By word: the cycle behind its last update; 0: none yet.
};

}  // namespace lockstep::scratchpad
