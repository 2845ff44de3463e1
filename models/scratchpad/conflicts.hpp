#pragma once
// The conflict counter: how many passes a scratchpad access needs. The pipeline, the hash search and the analytic models
// all count with this one.

#include <bit>
#include <cstdint>

#include "models/hash/address_map.hpp"

namespace lockstep::scratchpad {

/// The largest number of distinct words that fall into one target (bank) among the lanes of `mask`: lanes that name the
/// same word share its access. 0 for an empty mask. words[] is indexed by lane.
class ConflictCounter {
 public:
  std::uint32_t degree(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask) {
    ++epoch_;
    std::uint32_t largest = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      Bank& bank = banks_[map[words[lane]]];
      if (bank.epoch != epoch_) {
        bank.epoch = epoch_;
        bank.count = 0;
      }
      bool known = false;
      for (std::uint32_t i = 0; i < bank.count && !known; ++i) known = bank.words[i] == words[lane];
      if (known) continue;
      bank.words[bank.count++] = words[lane];
      if (bank.count > largest) largest = bank.count;
    }
    return largest;
  }

 private:
  struct Bank {
    std::uint64_t epoch = 0;
    std::uint32_t count = 0;
    std::uint64_t words[32];
  };
  static constexpr std::uint32_t max_banks = 64;
  std::uint64_t epoch_ = 0;
  Bank banks_[max_banks];
};

}  // namespace lockstep::scratchpad
