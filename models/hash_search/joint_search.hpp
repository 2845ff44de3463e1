#pragma once
// Bank and lock hash together: an atomic's lock loop retries as the locks make it, and every iteration's load-lock and
// store-unlock pass as the banks make them.

#include <string>

#include "models/hash_search/lock_loop.hpp"
#include "models/hash_search/search.hpp"

namespace lockstep::hash {

/// What two hashes make of a set.
struct JointCost {
  std::uint64_t retries = 0;    ///< Of lock loops.
  std::uint64_t conflicts = 0;  ///< Bank conflicts of all requests, those of the loops included.
  std::uint64_t cost = 0;       ///< Weighed with LockCosts.
};

struct JointResult {
  std::string bank_hash, lock_hash;                    ///< The best pair; never worse than the baseline.
  std::string separate_bank_hash, separate_lock_hash;  ///< Each found without the other.
  JointCost before, separate, after;
  std::uint64_t lower_bound = 0;  ///< No pair of mappings of any kind costs less.
  bool optimal = false;           ///< lower_bound is met.
  std::uint64_t steps = 0;
  bool ended_early = false, ended_by_clock = false;

  /// What searching them together gains over the two found apart.
  std::uint64_t gain() const { return separate.cost - after.cost; }
};

JointCost joint_cost(const AccessSet& set, const SearchRequest& request, const LockCosts& costs,
                     const std::string& bank_hash, const std::string& lock_hash);

/// Both hashes of request.family: first each by itself by request.method, then, from every pair of these and of those in use,
/// in turn, each for the other as it is, until neither becomes better; request.unit is not looked at. InputError as search().
JointResult search_joint(const AccessSet& set, const SearchRequest& request, const LockCosts& costs);

}  // namespace lockstep::hash
