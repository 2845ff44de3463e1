#pragma once
// The lock loop of a single warp for an atomic: its iterations and passes (Listing 4.4 of
// Gomez-Luna 2012; section 5.1.1 of Van den Braak 2015).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "models/hash_search/objective.hpp"
#include "models/scratchpad/conflicts.hpp"

namespace lockstep::hash {

/// In every iteration the lanes left ask for their locks in lane order, the first of each lock gets it, and is done: so a
/// lane is done in the iteration whose number is that of the lanes before it that want its lock. Calls
/// of_iteration(left, acquired), both masks of lanes, in order; returns the number of iterations.
template <class OfIteration>
std::uint32_t for_each_iteration(const LockAccess& access, const AddressMap& locks, OfIteration&& of_iteration) {
  // How many lanes so far want each lock; of more locks than are usual, by looking at the lanes.
  std::uint8_t wanted[scratchpad::many_banks];
  const bool usual = locks.targets() <= scratchpad::many_banks;
  if (usual) std::memset(wanted, 0, locks.targets());
  std::uint32_t done_in[32] = {}, lock_of[32] = {}, iterations = 0, lane_number = 0;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lock = lock_of[lane_number] = locks[access.words[lane_number]];
    const auto iteration = usual ? std::uint32_t{wanted[lock]++}
                                 : static_cast<std::uint32_t>(std::count(lock_of, lock_of + lane_number, lock));
    ++lane_number;
    done_in[iteration] |= rest & -rest;
    if (iteration == iterations) ++iterations;
  }
  std::uint32_t left = access.mask;
  for (std::uint32_t i = 0; i < iterations; ++i) {
    of_iteration(left, done_in[i]);
    left &= ~done_in[i];
  }
  return iterations;
}

/// The relative costs of retries and passes. In cycles of a single warp, a retry costs load-lock, update, store-unlock
/// and the branch back; a conflict, one more pass of an iteration, costs its spacing.
struct LockCosts {
  std::uint64_t retry = 1, conflict = 0;
};

/// What the lock loops of a set do, in sum.
struct LockCounts {
  std::uint64_t retries = 0;   ///< Iterations beyond the first.
  std::uint64_t passes = 0;    ///< Of all load-locks and store-unlocks.
  std::uint64_t requests = 0;  ///< That these are made of: passes without conflicts.
  std::uint64_t conflicts() const { return passes - requests; }
};
LockCounts count_lock_loops(const AccessSet& set, const AddressMap& locks, const AddressMap& banks);

/// The set with every lock loop replaced by the requests that it makes with this lock map.
AccessSet with_lock_trips(const AccessSet& set, const AddressMap& locks);

/// The distinct 4-byte words of every lock loop, as requests.
AccessSet lock_words(const AccessSet& set);

/// Retries that no lock map avoids: lanes that want one word are served one after the other, and there are no more locks
/// than there are.
std::uint64_t least_retries(const AccessSet& set);

/// The cost of lock maps: retries, and the bank conflicts of the loops when these cost anything.
class LockObjective final : public Objective {
 public:
  /// `banks` decides on the conflicts.
  LockObjective(const AccessSet& set, const AddressMap& banks, const LockCosts& costs);
  std::uint32_t targets() const override { return set_.rules().locks; }
  std::uint32_t word_bits() const override { return set_.lock_word_bits(); }
  std::uint64_t cost(const AddressMap& map, std::uint64_t limit) const override;
  std::uint64_t least() const override;
  std::size_t requests() const override { return set_.lock_access_count(); }
  const WeightedSequences& references() const override { return references_; }

 private:
  const AccessSet& set_;
  const AddressMap& banks_;
  LockCosts costs_;
  WeightedSequences references_;
};

}  // namespace lockstep::hash
