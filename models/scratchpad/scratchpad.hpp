#pragma once
// One SM's scratchpad memory: banks, passes and lock bits. It knows addresses and time, never data. Addresses are bytes
// of
// the SM's scratchpad: a thread block's offset plus where the block was placed.

#include <cstdint>

#include "isa/trace/stream.hpp"
#include "models/scratchpad/conflicts.hpp"
#include "models/scratchpad/lock_table.hpp"
#include "models/scratchpad/spec.hpp"

namespace lockstep::scratchpad {

/// How the lanes of a load-lock fared.
struct LockOutcome {
  std::uint32_t acquired = 0;                                            ///< Lane mask.
  std::uint32_t failed_position = 0, failed_alias = 0, failed_warp = 0;  ///< Lanes refused, by reason.
};

class Scratchpad {
 public:
  /// `bytes` is the scratchpad of one SM. InputError when a hash SPEC of `spec` is wrong.
  Scratchpad(const Spec& spec, std::uint64_t bytes);

  const Spec& spec() const { return spec_; }

  /// Passes that the lanes of `mask` need for a load or a store of element_bytes * vector_elements bytes per lane at
  /// byte addresses address[]. Lanes are served in groups whose elements together are as wide as all banks, so a 64-bit
  /// access takes at least two passes of half a warp, a 128-bit one four. 0 lanes take one pass.
  std::uint32_t passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane);

  /// The lanes ask in lane order; `holder` names their warp (see LockTable).
  LockOutcome acquire(const std::uint64_t* address, std::uint32_t mask, std::uint64_t holder, Cycle now);
  /// Frees the locks of these lanes at cycle `at`.
  void release(const std::uint64_t* address, std::uint32_t mask, Cycle at);

  /// Frees every lock: time begins again.
  void clear_locks() { locks_.clear(); }

  const LockTable& locks() const { return locks_; }
  std::uint32_t lock_of(std::uint64_t address) const { return lock_map_[address / lock_word_bytes]; }
  const hash::AddressMap& lock_map() const { return lock_map_; }

 private:
  static constexpr std::uint64_t lock_word_bytes = 4;
  Spec spec_;
  std::uint32_t bank_shift_;
  hash::AddressMap bank_map_, lock_map_;
  LockTable locks_;
};

}  // namespace lockstep::scratchpad
