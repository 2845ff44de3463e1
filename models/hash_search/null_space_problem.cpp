#include "models/hash_search/null_space_problem.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "models/hash_search/objective.hpp"

namespace lockstep::hash {

namespace {

/// Collects vectors and keeps a basis of their span in reduced row echelon form.
class Span {
 public:
  void add(std::uint64_t vector) {
    for (const std::uint64_t other : basis_)
      if ((vector & std::bit_floor(other)) != 0) vector ^= other;
    if (vector == 0) return;
    const std::uint64_t pivot = std::bit_floor(vector);
    for (std::uint64_t& other : basis_)
      if ((other & pivot) != 0) other ^= vector;
    basis_.insert(std::lower_bound(basis_.begin(), basis_.end(), vector), vector);
  }
  const std::vector<std::uint64_t>& basis() const { return basis_; }

 private:
  std::vector<std::uint64_t> basis_;  ///< Lowest highest bit first.
};

std::uint32_t coordinates(const std::vector<std::uint64_t>& span, std::uint64_t word) {
  std::uint32_t result = 0;
  for (std::size_t i = 0; i < span.size(); ++i)
    if ((word & std::bit_floor(span[i])) != 0) result |= std::uint32_t{1} << i;
  return result;
}

/// Requests, given as words with repetitions, in coordinates. `least_of` tells what a request costs at least.
template <class LeastOf>
NullSpaceProblem make_problem(const WeightedSequences& sets, std::uint32_t target_bits, std::uint32_t word_bits,
                              LeastOf&& least_of) {
  NullSpaceProblem problem;
  problem.word_bits = word_bits;
  problem.target_bits = target_bits;
  Span span;
  for (const WeightedSequences::Entry& entry : sets.entries()) {
    const auto words = sets.values(entry);
    for (const std::uint32_t word : words) span.add(word ^ words[0]);
  }
  problem.span = span.basis();
  std::vector<std::uint32_t> order(sets.entries().size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sets.entries()[a].weight > sets.entries()[b].weight;
  });
  for (const std::uint32_t number : order) {
    const WeightedSequences::Entry& entry = sets.entries()[number];
    const auto words = sets.values(entry);
    NullSpaceProblem::Request request{entry.weight, static_cast<std::uint32_t>(problem.cells.size()), 0};
    for (const std::uint32_t word : words) {
      const std::uint32_t at = coordinates(problem.span, word ^ words[0]);
      const auto first = problem.cells.begin() + request.first;
      const auto known = std::find_if(first, problem.cells.end(), [at](const auto& cell) { return cell.word == at; });
      if (known != problem.cells.end()) {
        ++known->load;
      } else {
        problem.cells.push_back({at, 1});
      }
    }
    request.count = static_cast<std::uint32_t>(problem.cells.size()) - request.first;
    const std::uint64_t least = entry.weight * least_of(problem.cells.data() + request.first, request.count);
    problem.least += least;
    if (request.count > 1) {
      problem.requests.push_back(request);
    } else {
      problem.constant += least;
      problem.cells.pop_back();
    }
  }
  return problem;
}

}  // namespace

LinearHash NullSpaceProblem::hash(const std::vector<std::uint32_t>& null_space) const {
  std::vector<std::uint64_t> vectors;
  for (const std::uint32_t vector : null_space) {
    std::uint64_t lifted = 0;
    for (std::size_t i = 0; i < span.size(); ++i)
      if ((vector >> i & 1) != 0) lifted ^= span[i];
    vectors.push_back(lifted);
  }
  // Nothing is ever accessed beyond the span: any address bit that none of its pivots is may go into the null space.
  std::uint64_t pivots = 0;
  for (const std::uint64_t vector : span) pivots |= std::bit_floor(vector);
  for (std::uint32_t bit = word_bits; bit-- > 0 && vectors.size() < word_bits - target_bits;)
    if ((pivots >> bit & 1) == 0) vectors.push_back(std::uint64_t{1} << bit);
  return hash_with_null_space(vectors, word_bits);
}

std::vector<std::uint32_t> NullSpaceProblem::part_of(const LinearHash& hash) const {
  // Combinations of the span's vectors that fall onto target 0: elimination on their targets, remembering how each came
  // to be.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> echelon;  // Target, coordinates.
  std::vector<std::uint32_t> part;
  for (std::size_t i = 0; i < span.size(); ++i) {
    std::uint32_t target = hash.target_of(span[i]), made_of = std::uint32_t{1} << i;
    for (const auto& [other, parts] : echelon)
      if ((target & std::bit_floor(other)) != 0) {
        target ^= other;
        made_of ^= parts;
      }
    if (target == 0) {
      part.push_back(made_of);
      continue;
    }
    echelon.emplace_back(target, made_of);
    std::sort(echelon.begin(), echelon.end(), std::greater<>());
  }
  return part;
}

NullSpaceProblem bank_problem(const AccessSet& set, std::uint32_t target_bits, std::uint32_t word_bits) {
  const BankObjective objective(set, true);
  NullSpaceProblem problem = make_problem(objective.references(), target_bits, word_bits,
                                          [&](const NullSpaceProblem::Cell*, std::uint32_t count) {
                                            return ((std::uint64_t{count} - 1) >> target_bits) + 1;
                                          });
  return problem;
}

NullSpaceProblem lock_problem(const AccessSet& set, std::uint32_t target_bits, std::uint32_t word_bits) {
  WeightedSequences lanes;
  std::uint32_t words[32];
  for (std::size_t n = 0; n < set.lock_access_count(); ++n) {
    const LockAccess access = set.lock_access(n);
    std::transform(access.words.begin(), access.words.end(), words,
                   [&](std::uint32_t word) { return word ^ access.words[0]; });
    std::sort(words, words + access.words.size());
    lanes.add(0, {words, access.words.size()}, access.weight);
  }
  NullSpaceProblem problem =
      make_problem(lanes, target_bits, word_bits, [&](const NullSpaceProblem::Cell* cells, std::uint32_t count) {
        std::uint64_t most = 1, all = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          most = std::max<std::uint64_t>(most, cells[i].load);
          all += cells[i].load;
        }
        return std::max(most, ((all - 1) >> target_bits) + 1);
      });
  return problem;
}

}  // namespace lockstep::hash
