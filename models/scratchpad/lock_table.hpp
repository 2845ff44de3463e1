#pragma once
// The lock bits beside a scratchpad memory (US patent 8,055,856; section 5.1.1 of Van den Braak 2015, section 4.3.4 of
// Gomez-Luna 2012). A load-lock asks for the lock of its word and learns whether it got it; a store-unlock frees it.
// The unit does not enforce who owns a lock: programs honour the answer. Who took it last is kept for messages alone.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "models/hash/address_map.hpp"

namespace lockstep::scratchpad {

class LockTable {
 public:
  explicit LockTable(std::uint32_t locks) : locks_(locks) {}

  /// What a lane was told, and why when refused.
  enum class Answer : std::uint8_t { acquired, held_same_word, held_other_word };

  /// Takes the lock when it is free at `now`. A lock released for a later cycle is not free before that cycle. `holder`
  /// is whatever names the asking warp to the caller.
  Answer acquire(std::uint32_t lock, std::uint64_t word, std::uint64_t holder, Cycle now) {
    Lock& one = locks_[lock];
    if (one.free_at > now) return one.word == word ? Answer::held_same_word : Answer::held_other_word;
    one = {now | taken, word, holder};
    return Answer::acquired;
  }
  /// What acquire() does, told as three facts of which none costs a branch: whether the lock was free, whether the same
  /// holder had taken it in this very cycle, and whether it was last taken for the same word.
  struct Facts {
    bool acquired = false, own = false, same_word = false;
  };
  Facts take(std::uint32_t lock, std::uint64_t word, std::uint64_t holder, Cycle now) {
    Lock& one = locks_[lock];
    const bool free = one.free_at <= now;
    const Facts facts{free, one.free_at == (now | taken) && one.holder == holder, one.word == word};
    one = {free ? now | taken : one.free_at, free ? word : one.word, free ? holder : one.holder};
    return facts;
  }
  /// Frees the lock from cycle `at` on.
  void release(std::uint32_t lock, Cycle at) { locks_[lock].free_at = at; }
  /// Frees every lock and forgets who held it.
  void clear() { std::fill(locks_.begin(), locks_.end(), Lock{}); }

  bool held(std::uint32_t lock, Cycle now) const { return locks_[lock].free_at > now; }
  /// Of a lock whose release has not been asked for: the cycle at which it was taken. never for any other.
  Cycle taken_at(std::uint32_t lock) const {
    const Cycle state = locks_[lock].free_at;
    return (state & taken) != 0 ? state & ~taken : never;
  }
  /// Whom and for what it was last taken.
  std::uint64_t holder(std::uint32_t lock) const { return locks_[lock].holder; }
  std::uint64_t word(std::uint32_t lock) const { return locks_[lock].word; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(locks_.size()); }

 private:
  static constexpr Cycle taken = Cycle{1} << 63;
  struct Lock {
    Cycle free_at = 0;       ///< While held without a known end: `taken` and the cycle at which it was taken.
    std::uint64_t word = 0;  ///< The word it was last taken for: names the kind of a refusal.
    std::uint64_t holder = 0;
  };
  std::vector<Lock> locks_;
};

}  // namespace lockstep::scratchpad
