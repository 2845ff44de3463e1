#pragma once

#include <array>
#include <cstdint>

#include "models/counter/declaration.hpp"
#include "sim/gpu/counters/sm.hpp"

namespace lockstep::gpu {

/// What the memory accesses of one instruction come to.
struct AccessCounters {
  std::uint64_t scratchpad_accesses = 0, scratchpad_passes = 0, bank_conflicts = 0;
  std::uint64_t atomics = 0, lock_iterations = 0, lock_lanes = 0;
  std::uint64_t refused_position = 0, refused_alias = 0, refused_warp = 0, further_lanes = 0;
  std::uint64_t memory_accesses = 0, transactions = 0, moved_bytes = 0, requested_bytes = 0;
  std::uint64_t cache_hits = 0, cache_misses = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = AccessCounters;
    declare(&C::scratchpad_accesses, "scratchpad_accesses", "accesses",
            "Warp accesses to the scratchpad; a loop around an atomic is one");
    declare(&C::scratchpad_passes, "scratchpad_passes", "passes", "Passes of these accesses, in all iterations");
    declare(&C::bank_conflicts, "bank_conflicts", "passes", "Of these, passes added by bank conflicts");
    declare(&C::atomics, "atomics", "accesses", "Warp atomics on the scratchpad");
    declare(&C::lock_iterations, "lock_iterations", "iterations",
            "Iterations of lock loops and of loops around a compare-and-swap");
    declare(&C::lock_lanes, "lock_lanes", "lanes", "Lanes that took part in these iterations");
    declare(&C::refused_position, "refused_position", "lanes",
            "Of these, lanes that retry because another lane of the warp updates the same word");
    declare(&C::refused_alias, "refused_alias", "lanes",
            "Of these, lanes that retry because another lane of the warp locked another word of the same lock");
    declare(&C::refused_warp, "refused_warp", "lanes", "Of these, lanes that retry because of another warp");
    declare(&C::further_lanes, "further_lanes", "lanes",
            "Lanes of native atomics that wait for another lane of the same word");
    declare(&C::memory_accesses, "memory_accesses", "accesses", "Warp accesses to global, local and texture memory");
    declare(&C::transactions, "transactions", "transactions", "Transactions of accesses to global and local memory");
    declare(&C::moved_bytes, "moved_bytes", "bytes", "Bytes of the sectors of global loads and stores");
    declare(&C::requested_bytes, "requested_bytes", "bytes", "Of these, distinct bytes that lanes asked for");
    declare(&C::cache_hits, "cache_hits", "lines", "Lines of loads found in the L1 or texture cache");
    declare(&C::cache_misses, "cache_misses", "lines", "The same that missed it, wholly or in part");
  }
};

/// The accesses that both count so far, without the lookups of the L1 and texture cache, which may come later than the
/// access.
inline AccessCounters accesses_so_far(const SmCounters& sm, const MemoryUnitCounters& memory) {
  AccessCounters all;
  all.scratchpad_accesses = sm.scratchpad_loads + sm.scratchpad_stores + sm.scratchpad_atomics;
  all.scratchpad_passes = sm.scratchpad_load_passes + sm.scratchpad_store_passes + sm.load_lock_passes +
                          sm.store_unlock_passes + sm.scratchpad_atomic_passes + sm.cas_load_passes;
  all.bank_conflicts = sm.scratchpad_bank_conflicts;
  all.atomics = sm.scratchpad_atomics;
  all.lock_iterations = sm.load_locks + sm.cas_iterations;
  all.lock_lanes = sm.lock_lanes + sm.cas_lanes;
  all.refused_position = sm.lock_failed_position + sm.cas_lost_position;
  all.refused_alias = sm.lock_failed_alias;
  all.refused_warp = sm.lock_failed_warp + sm.cas_lost_update;
  all.further_lanes = sm.scratchpad_atomic_further_lanes;
  all.memory_accesses = sm.global_loads + sm.global_stores + sm.global_atomics + memory.tex_cache_requests;
  all.transactions = sm.global_transactions;
  all.moved_bytes = memory.gld_moved_bytes + memory.gst_moved_bytes;
  all.requested_bytes = memory.gld_requested_bytes + memory.gst_requested_bytes;
  return all;
}
/// Adds what came between two of these, which have no lookups of caches: those of `to` stay.
inline void add_difference(AccessCounters& to, const AccessCounters& before, const AccessCounters& after) {
  counter::add(to, counter::difference(after, before));
}

/// An access as it was issued, for people to look at.
struct AccessExample {
  std::uint64_t thread_block = 0;
  std::uint32_t warp = 0;   ///< Within its thread block.
  std::uint32_t lanes = 0;  ///< Those that took part; addresses of others are undefined.
  std::uint32_t bytes_per_lane = 0;
  bool scratchpad = false;  ///< Addresses are bytes of the scratchpad, counted as its bank hash does.
  bool loads = false;
  /// Of a scratchpad access: passes added by bank conflicts, lanes refused, and lanes behind others of the same word. Of
  /// others: transactions.
  std::uint64_t cost = 0;
  std::array<std::uint64_t, 32> address{};  ///< By lane.
  /// One of the scratchpad tells more than one of memory.
  bool costlier_than(const AccessExample& other) const {
    return scratchpad != other.scratchpad ? scratchpad : cost > other.cost;
  }
};

}  // namespace lockstep::gpu
