#pragma once
// The lock bits of a scratchpad memory (US patent 8,055,856; section 5.1.1 of Van den Braak 2015, section 4.3.4 of
// Gomez-Luna 2012). A load-lock asks for the lock of its word and learns whether it got it; a store-unlock frees it.
// The unit does not enforce who owns a lock: programs honour the answer. The last holder is kept only for messages.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "models/hash/address_map.hpp"

namespace lockstep::scratchpad {

class LockTable {
 public:
  explicit LockTable(std::uint32_t locks) : locks_(locks) {}

  /// The answer to a lane's attempt to acquire a lock: whether it was free; if not, whether the same holder had taken it in
  /// this very cycle, and whether it did so for the same word.
  struct Facts {
    bool acquired = false, own = false, own_word = false;
  };
  /// Takes the lock when it is free at `now`. A lock released for a later cycle is not free before that cycle. `holder`
  /// is whatever names the asking warp to the caller; warps of one time must differ in it. Answers come in any order, so
  /// nothing here branches on them.
  Facts take(std::uint32_t lock, std::uint32_t word, std::uint32_t holder, Cycle now) {
    Lock& one = locks_[lock];
    const std::uint64_t purpose = std::uint64_t{holder} << 32 | word;
    const Cycle other_time = one.free_at ^ (now | taken);
    const std::uint64_t other_purpose = one.purpose ^ purpose;
    const bool free = one.free_at <= now;
    const std::uint64_t change = free ? ~std::uint64_t{0} : 0;
    one.free_at ^= other_time & change;
    one.purpose ^= other_purpose & change;
    return {free, (other_time | other_purpose >> 32) == 0, (other_time | other_purpose) == 0};
  }
  /// Frees the lock from cycle `at` on.
  void release(std::uint32_t lock, Cycle at) { locks_[lock].free_at = at; }
  /// Releases every lock and forgets its holder.
  void clear() { std::fill(locks_.begin(), locks_.end(), Lock{}); }

  bool held(std::uint32_t lock, Cycle now) const { return locks_[lock].free_at > now; }
  /// Of a lock whose release has not been asked for: the cycle at which it was taken. never for any other.
  Cycle taken_at(std::uint32_t lock) const {
    const Cycle state = locks_[lock].free_at;
    return (state & taken) != 0 ? state & ~taken : never;
  }
  /// The last holder of the lock, and the word that it was acquired for.
  std::uint32_t holder(std::uint32_t lock) const { return static_cast<std::uint32_t>(locks_[lock].purpose >> 32); }
  std::uint32_t word(std::uint32_t lock) const { return static_cast<std::uint32_t>(locks_[lock].purpose); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(locks_.size()); }

 private:
  static constexpr Cycle taken = Cycle{1} << 63;
  struct Lock {
    Cycle free_at = 0;          ///< While held without a known end: `taken` and the cycle at which it was taken.
    std::uint64_t purpose = 0;  ///< Last holder (upper half) and word: the kind of a failed attempt.
  };
  std::vector<Lock> locks_;
};

}  // namespace lockstep::scratchpad
