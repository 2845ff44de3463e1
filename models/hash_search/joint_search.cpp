#include "models/hash_search/joint_search.hpp"

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "models/hash_search/candidates.hpp"
#include "models/hash_search/heuristics.hpp"
#include "models/hash_search/row_climb.hpp"

namespace lockstep::hash {

namespace {

/// A step of the lock hash looks at no more lock loops than these, chosen evenly; what it finds is counted over all.
constexpr std::size_t most_loops = 1024;
/// Of a hill climb over lock hashes.
constexpr std::uint32_t joint_beginnings = 3;
/// Shares of the effort for the searches apart, and for each search in turn from all starts together.
constexpr double share_apart = 0.2, share_in_turn = 0.1;

/// Bits that number every 4-byte word of the scratchpad, and every one that is accessed.
std::uint32_t address_bits(const AccessSet& set, const SearchRequest& request) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(2, request.words) - 1));
  return std::max({set.word_bits(), set.lock_word_bits(), bits});
}

/// What is left of a request's limits after a part of it.
SearchRequest part_of(const SearchRequest& request, double share) {
  SearchRequest part = request;
  part.steps =
      static_cast<std::uint64_t>(share * static_cast<double>(request.steps == 0 ? default_steps : request.steps));
  part.seconds = share * request.seconds;
  return part;
}

/// The lock hash of the family that suits the banks best: of those close to `now`, or of all when they can be listed.
std::string better_locks(const AccessSet& set, const SearchRequest& request, const LockCosts& costs,
                         const std::string& now, const AddressMap& banks, Effort& effort) {
  const std::uint32_t locks = set.rules().locks, bits = static_cast<std::uint32_t>(std::bit_width(locks)) - 1;
  const std::uint32_t word_bits = std::max(address_bits(set, request), bits);
  const AccessSet few = set.thinned(most_loops);
  const LockObjective objective(few, banks, costs);
  const bool rows = request.family == "bits" || request.family == "bits-xor" || request.family == "matrix";
  if (!rows) {
    std::string best = now;
    std::uint64_t cost =
        objective.cost(make_address_map(now, locks, std::uint64_t{1} << word_bits), Objective::no_limit);
    const std::optional<std::vector<Candidate>> all = all_candidates(request.family, locks, word_bits);
    for (const Candidate& one : *all) {
      if (effort.over()) break;
      const std::uint64_t own = objective.cost(make_address_map(one.spec, locks, std::uint64_t{1} << word_bits), cost);
      effort.spend(objective.requests());
      if (own >= cost) continue;
      cost = own;
      best = one.spec;
    }
    return best;
  }
  const std::optional<LinearHash> start = linear_hash(now, locks, word_bits);
  if (!start) return now;
  const bool free = request.family == "matrix";
  return climb_rows(objective, *start, candidate_rows(word_bits, free || request.family == "bits-xor"),
                    free ? RowMove::add : RowMove::replace, word_bits, joint_beginnings, effort)
      .hash.spec();
}

}  // namespace

JointCost joint_cost(const AccessSet& set, const SearchRequest& request, const LockCosts& costs,
                     const std::string& bank_hash, const std::string& lock_hash) {
  const ServiceRules& rules = set.rules();
  const std::uint64_t words = std::uint64_t{1} << address_bits(set, request);
  const AddressMap banks = make_address_map(bank_hash, rules.shape.banks, words * 4 / rules.shape.bank_bytes);
  const AddressMap locks = make_address_map(lock_hash, rules.locks, words);
  const LockCounts loops = count_lock_loops(set, locks, banks);
  JointCost sum;
  sum.retries = loops.retries;
  sum.conflicts = loops.conflicts() + count_passes(set, banks) - set.request_weight();
  sum.cost = costs.retry * sum.retries + costs.conflict * sum.conflicts;
  return sum;
}

JointResult search_joint(const AccessSet& set, const SearchRequest& request, const LockCosts& costs) {
  JointResult result;
  const auto cost = [&](const std::string& banks, const std::string& locks) {
    return joint_cost(set, request, costs, banks, locks);
  };
  result.before = cost(request.bank_hash, request.lock_hash);
  SearchRequest apart = part_of(request, share_apart);
  apart.unit = Unit::bank;
  const SearchResult banks = search(set, apart);
  apart.unit = Unit::lock;
  const SearchResult locks = search(set, apart);
  result.steps = banks.steps + locks.steps;
  result.separate_bank_hash = banks.hash;
  result.separate_lock_hash = locks.hash;
  result.separate = cost(banks.hash, locks.hash);

  // From every pair of what is in use and what was found apart, each hash in turn for the other.
  struct Pair {
    std::string banks, locks;
    JointCost cost;
  };
  std::vector<Pair> starts;
  for (const std::string& bank_hash : {request.bank_hash, banks.hash})
    for (const std::string& lock_hash : {request.lock_hash, locks.hash})
      if (std::none_of(starts.begin(), starts.end(),
                       [&](const Pair& p) { return p.banks == bank_hash && p.locks == lock_hash; }))
        starts.push_back({bank_hash, lock_hash, cost(bank_hash, lock_hash)});
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Pair& a, const Pair& b) { return a.cost.cost < b.cost.cost; });
  result.lower_bound = costs.retry * least_retries(set);
  const SearchRequest limits = part_of(request, share_in_turn / static_cast<double>(starts.size()));
  const std::uint64_t bytes = std::uint64_t{4} << address_bits(set, request);
  Pair best = starts.front();
  for (Pair now : starts) {
    const auto take = [&](const std::string& bank_hash, const std::string& lock_hash) {
      const JointCost own = cost(bank_hash, lock_hash);
      if (own.cost >= now.cost.cost) return false;
      now = {bank_hash, lock_hash, own};
      return true;
    };
    for (int round = 0; round < 3 && best.cost.cost > result.lower_bound; ++round) {
      Effort effort(limits.steps, limits.seconds, request.progress);
      const AddressMap bank_map =
          make_address_map(now.banks, set.rules().shape.banks, bytes / set.rules().shape.bank_bytes);
      bool better = take(now.banks, better_locks(set, request, costs, now.locks, bank_map, effort));
      SearchRequest in_turn = limits;
      in_turn.unit = Unit::bank;
      in_turn.bank_hash = now.banks;
      in_turn.lock_hash = now.locks;
      const SearchResult found = search(set, in_turn);
      better |= take(found.hash, now.locks);
      if (now.cost.cost < best.cost.cost) best = now;
      result.steps += effort.spent() + found.steps;
      result.ended_early |= effort.over() || found.ended_early;
      result.ended_by_clock |= effort.ended_by_clock() || found.ended_by_clock;
      if (!better) break;
    }
  }
  result.bank_hash = best.banks;
  result.lock_hash = best.locks;
  result.after = best.cost;
  result.ended_early |= banks.ended_early || locks.ended_early;
  result.ended_by_clock |= banks.ended_by_clock || locks.ended_by_clock;
  result.optimal = result.after.cost == result.lower_bound;
  return result;
}

}  // namespace lockstep::hash
