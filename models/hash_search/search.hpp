#pragma once
// The best hash of a family for what kernels access.

#include <optional>
#include <string>
#include <vector>

#include "models/hash_search/access_set.hpp"
#include "models/hash_search/effort.hpp"

namespace lockstep::hash {

/// What the hash chooses among.
enum class Unit : std::uint8_t { bank, lock };

struct SearchRequest {
  Unit unit = Unit::bank;
  std::string family = "matrix", method = "exact";  ///< See search_methods().
  /// 4-byte words of the scratchpad: the hash takes all their address bits.
  std::uint64_t words = 12 * 1024;
  /// What is in use without the search: the one that is compared with, and the one of the other unit.
  std::string bank_hash = "mod", lock_hash = "mod";
  std::uint64_t steps = 0;  ///< Limit of the work, in requests evaluated; 0: default_steps.
  double seconds = 0;       ///< Limit of the time; 0: none. What is found may then depend on the machine.
  Effort::Progress progress;
};

/// Some minutes.
inline constexpr std::uint64_t default_steps = 1'000'000'000;

/// Costs are passes over the banks, or retries of lock loops.
struct SearchResult {
  std::string hash;                        ///< The best SPEC: what was found, or the baseline when that is better.
  std::optional<std::uint32_t> xor_gates;  ///< Of `hash`, when it is linear.
  std::string found;                       ///< What the method chose.
  std::uint64_t before = 0, found_cost = 0, after = 0;  ///< Cost of the baseline, of `found`, of `hash`.
  /// Passes of requests without conflicts; 0 for retries. Conflicts are what a cost has beyond it.
  std::uint64_t without_conflicts = 0;
  std::uint64_t accesses = 0;     ///< Requests, or atomics.
  std::uint64_t least = 0;        ///< No mapping of any kind costs less.
  std::uint64_t lower_bound = 0;  ///< Nothing in the family costs less; never above `after`.
  bool optimal = false;           ///< lower_bound == after: nothing in the family is better than `hash`.
  std::uint64_t steps = 0;        ///< Requests looked at.
  std::uint64_t tried = 0;        ///< Hashes whose cost was looked at, where they are tried one by one.
  bool ended_early = false, ended_by_clock = false;  ///< By a limit.

  std::uint64_t conflicts_before() const { return before - without_conflicts; }
  std::uint64_t conflicts_after() const { return after - without_conflicts; }
};

/// A family with the methods that search it.
struct SearchMethods {
  std::string family;
  std::vector<std::string> methods;
};
const std::vector<SearchMethods>& search_methods();

/// InputError when there is no such family or method, naming those that there are, or when the number of targets does not
/// suit the family.
SearchResult search(const AccessSet& set, const SearchRequest& request);

/// What a hash SPEC costs: passes, with the iterations of lock loops under request.lock_hash; or retries. The rest is as in
/// SearchResult.
struct HashCost {
  std::uint64_t cost = 0, without_conflicts = 0, least = 0;
  std::uint64_t conflicts() const { return cost - without_conflicts; }
};
HashCost cost_of(const AccessSet& set, const SearchRequest& request, const std::string& spec);

}  // namespace lockstep::hash
