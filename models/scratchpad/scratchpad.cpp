#include "models/scratchpad/scratchpad.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::scratchpad {

Scratchpad::Scratchpad(const Spec& spec, std::uint64_t bytes)
    : spec_(spec),
      bank_shift_(static_cast<std::uint32_t>(std::countr_zero(spec.bank_bytes))),
      bank_map_(hash::make_address_map(spec.bank_hash, spec.banks, bytes / spec.bank_bytes)),
      lock_map_(hash::make_address_map(spec.lock_hash, spec.locks, bytes / lock_word_bytes)),
      locks_(spec.locks) {}

std::uint32_t Scratchpad::passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) {
  if (mask == 0) return 1;
  const std::uint32_t row_bytes = spec_.banks * spec_.bank_bytes;
  const std::uint32_t words_per_lane = std::max(1u, bytes_per_lane >> bank_shift_);
  std::uint64_t words[32];
  if (words_per_lane == 1 && 32 * bytes_per_lane <= row_bytes) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) words[lane] = address[lane] >> bank_shift_;
    return conflict_degree(bank_map_, words, mask);
  }
  // Groups of successive lanes that together are one row wide.
  const std::uint32_t group = std::clamp(row_bytes / std::max(1u, bytes_per_lane), 1u, 32u);
  std::uint32_t total = 0;
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::uint32_t count = 0;
    for (std::uint32_t lane = first; lane < std::min(first + group, 32u); ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (std::uint32_t w = 0; w < words_per_lane; ++w) words[count++] = (address[lane] >> bank_shift_) + w;
    }
    if (count > 0) total += conflict_degree(bank_map_, words, count == 32 ? ~0u : (1u << count) - 1);
  }
  return std::max(total, 1u);
}

LockOutcome Scratchpad::acquire(const std::uint64_t* address, std::uint32_t mask, std::uint64_t holder, Cycle now) {
  LockOutcome outcome;
  std::uint32_t taken_here[32];  // locks that lanes of this very access took
  std::uint32_t taken = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t word = address[lane] / lock_word_bytes;
    const std::uint32_t lock = lock_map_[word];
    const LockTable::Answer answer = locks_.acquire(lock, word, holder, now);
    if (answer == LockTable::Answer::acquired) {
      outcome.acquired |= 1u << lane;
      taken_here[taken++] = lock;
    } else if (std::find(taken_here, taken_here + taken, lock) == taken_here + taken) {
      ++outcome.failed_warp;
    } else if (answer == LockTable::Answer::held_same_word) {
      ++outcome.failed_position;
    } else {
      ++outcome.failed_alias;
    }
  }
  return outcome;
}

void Scratchpad::release(const std::uint64_t* address, std::uint32_t mask, Cycle at) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    locks_.release(lock_map_[address[lane] / lock_word_bytes], at);
  }
}

}  // namespace lockstep::scratchpad
