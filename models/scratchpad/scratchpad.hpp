#pragma once
// One SM's scratchpad memory: banks, passes and lock bits. It knows addresses and time, never data. Addresses are bytes
// from where the bank hash counts (Spec::bank_hash_origin). Where that is a thread block's beginning, `base` is the block's
// place in the SM's scratchpad, and otherwise 0. All lanes of an access have one base, so which banks they share does not
// depend on it.

#include <cstdint>
#include <memory>
#include <string_view>

#include "isa/trace/stream.hpp"
#include "models/scratchpad/conflicts.hpp"
#include "models/scratchpad/lock_table.hpp"
#include "models/scratchpad/requests.hpp"
#include "models/scratchpad/spec.hpp"

namespace lockstep::scratchpad {

/// The passes of one access through the load-store unit, its lanes being served in requests (requests.hpp).
struct Passes {
  std::uint32_t all = 1;      ///< Passes; an access without lanes makes one.
  std::uint32_t further = 0;  ///< Beyond the first of every request: replays.
  std::uint32_t split = 0;    ///< Requests and further passes that only the width of the elements adds.
  std::uint32_t parts = 0;    ///< Requests beyond the first that are there because parts of a warp are served apart.
  std::uint32_t degree = 1;   ///< The most passes of a request.
  /// Of a native atomic: lanes beyond the first of the word that most lanes of a request name, summed over requests.
  std::uint32_t further_lanes = 0;
};

/// How the lanes of a load-lock fared.
struct LockOutcome {
  std::uint32_t acquired = 0;                                            ///< Lane mask.
  std::uint32_t failed_position = 0, failed_alias = 0, failed_warp = 0;  ///< Lanes refused, by reason.
};

/// The hash functions that a kernel runs with, as tables.
struct Maps {
  hash::AddressMap banks, locks;
};
/// Those of a kernel for a scratchpad of `bytes`. InputError when a hash SPEC is wrong.
Maps make_maps(const Spec& spec, std::uint64_t bytes, std::string_view kernel);

class Scratchpad {
 public:
  static constexpr std::uint64_t lock_word_bytes = 4;

  /// `bytes` is the scratchpad of one SM; its hash functions are those of a kernel that none is named for. InputError
  /// when a hash SPEC of `spec` is wrong.
  Scratchpad(const Spec& spec, std::uint64_t bytes);

  const Spec& spec() const { return spec_; }
  /// Other hash functions, and all locks free: for another kernel.
  void begin_kernel(std::shared_ptr<const Maps> maps);

  /// Passes of the lanes of `mask` at byte addresses address[], for a load or load-lock of bytes_per_lane each.
  Passes load_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) const;
  /// The same for a store or store-unlock.
  Passes store_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) const;
  /// The same of lanes that each name a row of 16 bytes of a matrix, to be loaded or stored: eight lanes are a request, also
  /// where neighbours name the same row.
  Passes row_passes(const std::uint64_t* address, std::uint32_t mask) const;
  /// The same for a native atomic; `aggregated` when lanes with one word take a single update.
  Passes atomic_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                       bool aggregated) const;

  /// Whether lanes that need no further pass (Passes::further) need none either when some of them are left out.
  bool keeps_free_of_conflicts(std::uint32_t bytes_per_lane) const;

  /// The lanes ask in lane order; `holder` names their warp (see LockTable).
  LockOutcome acquire(const std::uint64_t* address, std::uint32_t mask, std::uint32_t holder, Cycle now,
                      std::uint64_t base = 0);
  /// Frees the locks of these lanes at cycle `at`.
  void release(const std::uint64_t* address, std::uint32_t mask, Cycle at, std::uint64_t base = 0);

  /// Of a byte, counted as for load_passes().
  std::uint32_t bank_of(std::uint64_t address) const { return maps_->banks[address / spec_.bank_bytes]; }

  const LockTable& locks() const { return locks_; }
  /// Of a byte of the SM's scratchpad.
  std::uint32_t lock_of(std::uint64_t address) const { return maps_->locks[address / lock_word_bytes]; }

 private:
  template <class OfRequest>
  Passes over_requests(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane, bool loads,
                       OfRequest&& of_request) const;

  Spec spec_;
  RequestShape shape_;
  std::uint32_t bank_shift_;
  std::shared_ptr<const Maps> maps_;
  LockTable locks_;
};

}  // namespace lockstep::scratchpad
