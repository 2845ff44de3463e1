#pragma once
// The lock bits beside a scratchpad memory (US patent 8,055,856; section 5.1.1 of Van den Braak 2015, section 4.3.4 of
// Gomez-Luna 2012). A load-lock asks for the lock of its word and learns whether it got it; a store-unlock frees it.
// The unit does not track who owns a lock: programs honour the answer.

#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "models/hash/address_map.hpp"

namespace lockstep::scratchpad {

class LockTable {
 public:
  explicit LockTable(std::uint32_t locks) : free_at_(locks, 0), word_(locks, 0) {}

  /// What a lane was told, and why when refused.
  enum class Answer : std::uint8_t { acquired, held_same_word, held_other_word };

  /// Takes the lock when it is free at `now`. A lock released for a later cycle is not free before that cycle.
  Answer acquire(std::uint32_t lock, std::uint64_t word, Cycle now) {
    if (free_at_[lock] > now) return word_[lock] == word ? Answer::held_same_word : Answer::held_other_word;
    free_at_[lock] = never;
    word_[lock] = word;
    return Answer::acquired;
  }
  /// Frees the lock from cycle `at` on.
  void release(std::uint32_t lock, Cycle at) { free_at_[lock] = at; }

  bool held(std::uint32_t lock, Cycle now) const { return free_at_[lock] > now; }
  std::uint64_t word(std::uint32_t lock) const { return word_[lock]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(free_at_.size()); }

 private:
  std::vector<Cycle> free_at_;       ///< never while held.
  std::vector<std::uint64_t> word_;  ///< The word it was last taken for: only to name the kind of a refusal.
};

}  // namespace lockstep::scratchpad
