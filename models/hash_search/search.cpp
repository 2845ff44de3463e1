#include "models/hash_search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "isa/error.hpp"
#include "models/hash_search/candidates.hpp"
#include "models/hash_search/heuristics.hpp"
#include "models/hash_search/lock_loop.hpp"
#include "models/hash_search/null_space_search.hpp"
#include "models/hash_search/row_climb.hpp"
#include "models/hash_search/strides.hpp"

namespace lockstep::hash {

namespace {

/// Beginnings of a hill climb.
constexpr std::uint32_t usual_beginnings = 10;
/// A hill climb first looks at no more requests than these, chosen evenly; the cost of what it finds is counted over all.
constexpr std::size_t most_climbed_requests = 4096;
/// Work on fewer XOR gates: some tenths of a second at most.
constexpr std::uint64_t gate_steps = 1'000'000;
/// So few tell which of thousands of hashes are worth a closer look.
constexpr std::size_t glanced_requests = 512;

std::uint32_t bits_for(std::uint64_t numbers) {
  return numbers <= 1 ? 1 : static_cast<std::uint32_t>(std::bit_width(numbers - 1));
}

/// The state of a running search.
class Search {
 public:
  Search(const AccessSet& set, const SearchRequest& request)
      : request_(request),
        set_(set),
        banks_(request.unit == Unit::bank),
        targets_(banks_ ? set.rules().shape.banks : set.rules().locks),
        words_(banks_ ? std::max<std::uint64_t>(1, request.words * 4 / set.rules().shape.bank_bytes) : request.words),
        word_bits_(std::max({bits_for(words_), bits_for(targets_), banks_ ? set.word_bits() : set.lock_word_bits()})),
        effort_(request.steps == 0 ? default_steps : request.steps, request.seconds, request.progress),
        made_trips_(set.rules()),
        trips_(set.lock_access_count() > 0 ? made_trips_ : set) {
    const std::uint64_t bytes = request.words * 4;
    if (banks_ && set.lock_access_count() > 0) {
      made_trips_ = with_lock_trips(set, make_address_map(request.lock_hash, set.rules().locks, request.words));
    } else if (!banks_) {
      bank_map_ = make_address_map(request.bank_hash, set.rules().shape.banks, bytes / set.rules().shape.bank_bytes);
    }
  }

  SearchResult run() {
    const std::string& baseline = banks_ ? request_.bank_hash : request_.lock_hash;
    result_.before = cost(baseline);
    result_.without_conflicts = without_conflicts();
    result_.accesses = banks_ ? trips_.request_weight() : set_.lock_access_weight();
    linear_ = make_objective(true);
    result_.least = linear_->least();
    if (request_.method == "exhaustive" || request_.method == "pruned" ||
        (request_.method == "exact" && request_.family != "matrix")) {
      try_all(candidates());
    } else {
      require_power_of_two();
      if (request_.family == "matrix") {
        null_spaces(request_.method == "exact");
      } else if (request_.method == "climb") {
        climb_bits();
      } else {
        choose_bits();
      }
    }
    return finish(baseline);
  }

  std::uint64_t without_conflicts() const { return banks_ ? trips_.request_weight() : 0; }
  HashCost cost_and_floor(const std::string& spec) const {
    return {cost(spec), without_conflicts(), make_objective(false)->least()};
  }

  std::uint64_t cost(const std::string& spec) const {
    const AddressMap map = make_address_map(spec, targets_, std::uint64_t{1} << word_bits_);
    return banks_ ? count_passes(trips_, map) : count_lock_loops(set_, map, bank_map_).retries;
  }

 private:
  std::uint32_t target_bits() const { return static_cast<std::uint32_t>(std::bit_width(targets_)) - 1; }

  void require_power_of_two() const {
    if (!std::has_single_bit(targets_))
      throw InputError(fmt::format("family \"{}\" chooses among a power of two; this GPU has {} {}", request_.family,
                                   targets_, banks_ ? "banks" : "locks"));
  }

  std::unique_ptr<Objective> make_objective(bool linear) const {
    if (banks_) return std::make_unique<BankObjective>(trips_, linear);
    return std::make_unique<LockObjective>(set_, bank_map_, LockCosts{});
  }

  std::vector<Candidate> candidates() const {
    if (request_.family == "bits" || request_.family.starts_with("bitvector")) require_power_of_two();
    if (request_.method != "pruned") return *all_candidates(request_.family, targets_, word_bits_);
    const std::vector<StrideBits> strides = strides_of(banks_ ? trips_.requests() : lock_words(set_).requests());
    std::vector<Candidate> left;
    for (const BitVectorXor& one : pruned_bit_vector_xors(strides, word_bits_, target_bits()))
      if (one.usable(target_bits(), word_bits_)) left.push_back({one.spec(), one.hash(target_bits())});
    return left;
  }

  void try_all(const std::vector<Candidate>& all) {
    if (all.empty())
      throw InputError(fmt::format("family \"{}\" has no member for {} {} and addresses of {} bits", request_.family,
                                   targets_, banks_ ? "banks" : "locks", word_bits_));
    std::unique_ptr<Objective> any;
    std::uint64_t best = Objective::no_limit;
    for (const Candidate& one : all) {
      if (effort_.over()) break;
      if (!one.linear && !any) any = make_objective(false);
      const Objective& objective = one.linear ? *linear_ : *any;
      const std::uint64_t own =
          objective.cost(one.linear ? make_address_map(*one.linear, word_bits_)
                                    : make_address_map(one.spec, targets_, std::uint64_t{1} << word_bits_),
                         best);
      effort_.spend(objective.requests());
      ++result_.tried;
      if (own >= best) continue;
      best = own;
      result_.found = one.spec;
      if (best == result_.least) break;
    }
    // The pruned ones stand for themselves alone.
    if (!effort_.over() && request_.method != "pruned") result_.lower_bound = best;
  }

  void choose_bits() {
    const std::vector<std::uint64_t> rows = candidate_rows(word_bits_, request_.family == "bits-xor");
    const LinearHash chosen = request_.method == "givargis"
                                  ? givargis(linear_->references(), rows, target_bits())
                                  : minimum_imbalance(linear_->references(), rows, target_bits());
    effort_.spend(linear_->requests() * target_bits());
    result_.tried = 1;
    result_.found = chosen.spec();
  }

  /// The objective over a part of the accesses.
  std::unique_ptr<Objective> thinned_objective(std::size_t most) {
    if (banks_) return std::make_unique<BankObjective>(trips_.thinned(most), true);
    thinned_ = set_.thinned(most);
    return std::make_unique<LockObjective>(thinned_, bank_map_, LockCosts{});
  }

  void climb_bits() {
    const std::vector<std::uint64_t> rows = candidate_rows(word_bits_, request_.family == "bits-xor");
    const LinearHash start = minimum_imbalance(linear_->references(), rows, target_bits());
    const std::unique_ptr<Objective> few = thinned_objective(most_climbed_requests);
    const RowClimb climbed = climb_rows(*few, start, rows, RowMove::replace, word_bits_, usual_beginnings, effort_);
    result_.tried = climbed.tried;
    result_.found = climbed.hash.spec();
  }

  /// Passes of a null space where only one word is broadcast: they also depend on which lane comes first, so that functions
  /// which are equal by their distinct words are not.
  std::uint64_t passes_by_lane(const NullSpaceProblem& all, const std::vector<std::uint32_t>& basis,
                               std::uint64_t limit) const {
    return linear_->cost(make_address_map(all.hash(basis), word_bits_), limit);
  }
  bool serves_by_lane() const { return banks_ && !trips_.lane_requests().entries().empty(); }

  NullSpaceProblem problem() const {
    NullSpaceProblem found =
        banks_ ? bank_problem(trips_, target_bits(), word_bits_) : lock_problem(set_, target_bits(), word_bits_);
    if (found.dimension() > most_coordinates)
      throw InputError(
          fmt::format("the accessed words differ in {} independent ways; the family \"matrix\" can be "
                      "searched up to {} (search the families bits or bits-xor)",
                      found.dimension(), most_coordinates));
    return found;
  }

  LinearHash best_bit_vector_xor() {
    const std::unique_ptr<Objective> few = thinned_objective(glanced_requests);
    std::uint64_t best = Objective::no_limit;
    LinearHash chosen;
    for (const BitVectorXor& one : all_bit_vector_xors(word_bits_, target_bits())) {
      if (!one.usable(target_bits(), word_bits_)) continue;
      const LinearHash linear = one.hash(target_bits());
      const std::uint64_t own = few->cost(make_address_map(linear, word_bits_), best);
      effort_.spend(few->requests());
      if (own >= best) continue;
      best = own;
      chosen = linear;
    }
    return chosen;
  }

  void null_spaces(bool prove);
  void null_spaces_by_lane(bool prove, const NullSpaceProblem& all, const Quotient& whole, NullSpace best);

  SearchResult finish(const std::string& baseline) {
    result_.found_cost = cost(result_.found);
    result_.hash = result_.found_cost < result_.before ? result_.found : baseline;
    result_.after = std::min(result_.found_cost, result_.before);
    result_.lower_bound = std::min(std::max(result_.lower_bound, result_.least), result_.after);
    result_.optimal = result_.lower_bound == result_.after;
    if (std::has_single_bit(targets_))
      if (const auto linear = linear_hash(result_.hash, targets_, word_bits_)) result_.xor_gates = linear->xor_gates();
    result_.steps = effort_.spent();
    result_.ended_early = effort_.over() && !result_.optimal;
    result_.ended_by_clock = result_.ended_early && effort_.ended_by_clock();
    return result_;
  }

  const SearchRequest& request_;
  const AccessSet& set_;
  bool banks_;
  std::uint32_t targets_;
  std::uint64_t words_;
  std::uint32_t word_bits_;
  Effort effort_;
  AccessSet made_trips_;
  const AccessSet& trips_;  ///< Everything as requests, for banks.
  AddressMap bank_map_;     ///< For locks.
  AccessSet thinned_{ServiceRules{}};
  std::unique_ptr<Objective> linear_;
  SearchResult result_;
};

/// Every n-th request, so that no more are left than may be climbed over.
NullSpaceProblem thinned(const NullSpaceProblem& problem) {
  NullSpaceProblem few = problem;
  few.requests.clear();
  const std::size_t step = (problem.requests.size() + most_climbed_requests - 1) / most_climbed_requests;
  for (std::size_t n = 0; n < problem.requests.size(); n += step) few.requests.push_back(problem.requests[n]);
  return few;
}

void Search::null_spaces(bool prove) {
  const NullSpaceProblem all = problem();
  const Quotient whole(all);
  // From the best of the lowest bits, what the heuristic finds, and the best two bit vectors at a glance.
  NullSpace best{{}, Objective::no_limit};
  const std::vector<std::uint64_t> pairs = candidate_rows(word_bits_, true);
  LinearHash low_bits;
  for (std::uint32_t i = 0; i < target_bits(); ++i) low_bits.rows.push_back(std::uint64_t{1} << i);
  std::vector<LinearHash> starts = {low_bits, minimum_imbalance(linear_->references(), pairs, target_bits())};
  if (all.requests.size() > most_climbed_requests) starts.push_back(best_bit_vector_xor());
  for (const LinearHash& start : starts) {
    NullSpace one{all.part_of(start), 0};
    // More may fall together than must.
    one.basis.resize(all.null_dimension());
    one.cost = lockstep::hash::cost_of(whole, one.basis);
    if (one.cost < best.cost) best = std::move(one);
  }
  const bool large = all.requests.size() > most_climbed_requests;
  if (large && best.cost > all.least) {
    const NullSpaceProblem few = thinned(all);
    const Quotient fewer(few);
    effort_.begin_part(prove ? 0.05 : 0.2);
    effort_.count_findings(false);
    NullSpace climbed = climb(few, fewer, {best.basis, lockstep::hash::cost_of(fewer, best.basis)}, few.constant,
                              effort_, usual_beginnings);
    effort_.count_findings(true);
    effort_.end_part();
    climbed.cost = lockstep::hash::cost_of(whole, climbed.basis);
    if (climbed.cost < best.cost) best = std::move(climbed);
  }
  effort_.found(best.cost);
  effort_.ruled_out_below(all.least);
  effort_.begin_part(!prove ? 1 : large ? 0.05 : 0.2);
  best = climb(all, whole, best, all.least, effort_, large ? 1 : usual_beginnings);
  effort_.end_part();
  if (serves_by_lane()) return null_spaces_by_lane(prove, all, whole, best);
  if (prove) {
    std::uint64_t bound = all.least;
    if (best.cost > bound) {
      effort_.begin_part(large ? 0.85 : 1);
      bound = ExactSearch(all, whole).prove(best, bound, effort_);
      effort_.end_part();
    }
    if (large && best.cost > bound) {
      effort_.begin_part(0.5);
      bound = std::min(best.cost, std::max(bound, bound_by_averages(all, effort_)));
      effort_.end_part();
    }
    // Where there was no time for a proof, there may still be something better.
    if (best.cost > bound) best = climb(all, whole, best, bound, effort_, usual_beginnings);
    result_.lower_bound = bound;
  }
  if (!large) {
    // The proof may have spent all; this takes no longer than a part of it.
    Effort for_gates(gate_steps, request_.seconds);
    best = with_fewer_gates(all, whole, best, for_gates);
  }
  result_.found = all.hash(best.basis).spec();
}

/// From the best by distinct words: to the best by lanes, and the proof of that.
void Search::null_spaces_by_lane(bool prove, const NullSpaceProblem& all, const Quotient& whole, NullSpace best) {
  const std::vector<std::uint64_t> pairs = candidate_rows(word_bits_, true);
  const auto climb_from = [&](const NullSpace& from, std::uint32_t beginnings) {
    const LinearHash hash =
        climb_rows(*linear_, all.hash(from.basis), pairs, RowMove::add, word_bits_, beginnings, effort_).hash;
    NullSpace found{all.part_of(hash), 0};
    found.basis.resize(all.null_dimension());
    found.cost = passes_by_lane(all, found.basis, Objective::no_limit);
    return found.cost < from.cost ? found : from;
  };
  best.cost = passes_by_lane(all, best.basis, Objective::no_limit);
  effort_.begin_part(prove ? 0.2 : 1);
  best = climb_from(best, usual_beginnings);
  effort_.end_part();
  if (prove) {
    std::uint64_t bound = std::max(all.least, result_.least);
    if (best.cost > bound) {
      ExactSearch exact(all, whole);
      exact.judge_by([&](const auto& basis, std::uint64_t limit) { return passes_by_lane(all, basis, limit); },
                     linear_->requests());
      bound = exact.prove(best, bound, effort_);
    }
    if (best.cost > bound) best = climb_from(best, usual_beginnings);
    result_.lower_bound = bound;
  }
  // Fewer gates at the same cost by distinct words, if that is the same by lanes.
  Effort for_gates(gate_steps, request_.seconds);
  const NullSpace simpler =
      with_fewer_gates(all, whole, {best.basis, lockstep::hash::cost_of(whole, best.basis)}, for_gates);
  if (passes_by_lane(all, simpler.basis, Objective::no_limit) <= best.cost) best.basis = simpler.basis;
  result_.found = all.hash(best.basis).spec();
}

}  // namespace

const std::vector<SearchMethods>& search_methods() {
  static const std::vector<SearchMethods> all = {
      {"mod", {"exact"}},
      {"xor", {"exact"}},
      {"add", {"exact"}},
      {"bitvector", {"exhaustive", "exact"}},
      {"bitvector-xor", {"pruned", "exhaustive", "exact"}},
      {"bits", {"givargis", "mih", "climb", "exhaustive", "exact"}},
      {"bits-xor", {"givargis", "mih", "climb"}},
      {"matrix", {"climb", "exact"}},
      {"ipoly", {"exhaustive", "exact"}},
      {"swizzle", {"exhaustive", "exact"}},
      {"modulus", {"exhaustive", "exact"}},
  };
  return all;
}

namespace {

void check(const AccessSet& set, const SearchRequest& request) {
  std::vector<std::string> names;
  const SearchMethods* family = nullptr;
  for (const SearchMethods& one : search_methods()) {
    names.push_back(one.family);
    if (one.family == request.family) family = &one;
  }
  if (family == nullptr)
    throw InputError(
        fmt::format("family \"{}\" cannot be searched; there are: {}", request.family, fmt::join(names, ", ")));
  if (std::find(family->methods.begin(), family->methods.end(), request.method) == family->methods.end())
    throw InputError(fmt::format("no method \"{}\" for family \"{}\"; there are: {}", request.method, request.family,
                                 fmt::join(family->methods, ", ")));
  if (set.empty()) throw InputError("no access to scratchpad memory to search a hash for");
  if (request.unit == Unit::lock && set.lock_access_count() == 0)
    throw InputError("no atomic that acquires a lock: nothing to search a lock hash for");
}

}  // namespace

SearchResult search(const AccessSet& set, const SearchRequest& request) {
  check(set, request);
  return Search(set, request).run();
}

HashCost cost_of(const AccessSet& set, const SearchRequest& request, const std::string& spec) {
  return Search(set, request).cost_and_floor(spec);
}

}  // namespace lockstep::hash
