#pragma once
// One SM's scratchpad memory: banks, passes and lock bits. It knows addresses and time, never data. Addresses are bytes
// of the SM's scratchpad: a thread block's offset plus where the block was placed.

#include <cstdint>

#include "isa/trace/stream.hpp"
#include "models/scratchpad/conflicts.hpp"
#include "models/scratchpad/lock_table.hpp"
#include "models/scratchpad/requests.hpp"
#include "models/scratchpad/spec.hpp"

namespace lockstep::scratchpad {

/// The trips of one access through the load-store unit, its lanes being served in requests (requests.hpp).
struct Passes {
  std::uint32_t all = 1;      ///< Trips; an access without lanes makes one.
  std::uint32_t further = 0;  ///< Beyond the first of every request: replays.
  std::uint32_t split = 0;    ///< Requests and further trips that only the width of the elements adds.
  std::uint32_t parts = 0;    ///< Requests beyond the first that are there because parts of a warp are served apart.
  std::uint32_t degree = 1;   ///< The most trips of a request.
  /// Of a native atomic: lanes beyond the first of the word that most lanes of a request name, summed over requests.
  std::uint32_t further_lanes = 0;
};

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

  /// Passes of the lanes of `mask` at byte addresses address[], for a load or load-lock of bytes_per_lane each.
  Passes load_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) const;
  /// The same for a store or store-unlock.
  Passes store_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) const;
  /// The same for a native atomic; `aggregated` when lanes with one word take a single update.
  Passes atomic_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                       bool aggregated) const;

  /// Whether lanes that need no further pass (Passes::further) need none either when some of them are left out.
  bool keeps_free_of_conflicts(std::uint32_t bytes_per_lane) const;

  /// The lanes ask in lane order; `holder` names their warp (see LockTable).
  LockOutcome acquire(const std::uint64_t* address, std::uint32_t mask, std::uint32_t holder, Cycle now);
  /// Frees the locks of these lanes at cycle `at`.
  void release(const std::uint64_t* address, std::uint32_t mask, Cycle at);

  /// Frees every lock: time begins again.
  void clear_locks() { locks_.clear(); }

  const LockTable& locks() const { return locks_; }
  std::uint32_t lock_of(std::uint64_t address) const { return lock_map_[address / lock_word_bytes]; }
  const hash::AddressMap& lock_map() const { return lock_map_; }

 private:
  template <class OfRequest>
  Passes over_requests(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                       OfRequest&& of_request) const;

  static constexpr std::uint64_t lock_word_bytes = 4;
  Spec spec_;
  RequestShape shape_;
  std::uint32_t bank_shift_;
  hash::AddressMap bank_map_, lock_map_;
  LockTable locks_;
};

}  // namespace lockstep::scratchpad
