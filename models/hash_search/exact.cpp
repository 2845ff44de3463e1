// Branch and bound over null spaces.
//
// Vectors are chosen one after the other, and the problem is seen modulo those chosen (ConflictStack). Words that have fallen
// together stay together, so its cost bounds that of all null spaces with these vectors from below, and a vector too dear
// here is too dear from here on.
//
// What is branched on: when `left` dimensions are still to be chosen among classes of dimension d, a subspace T of dimension
// d - left + 1 has a vector other than 0 in common with every choice. So it is enough to try the vectors of T, each without
// those tried before it. T is chosen such that few of its vectors are still possible; when none is, this is a dead end.
// Vectors that add much come first: little remains below them, and the others lose them.

#include <algorithm>
#include <bit>
#include <numeric>

#include "models/hash_search/null_space_search.hpp"

namespace lockstep::hash {

ExactSearch::ExactSearch(const NullSpaceProblem& problem, const Quotient& whole)
    : dimension_(problem.null_dimension()),
      stack_(whole, std::max(1u, dimension_)),
      levels_(std::max(1u, dimension_)) {}

ExactSearch::Outcome ExactSearch::run(std::uint64_t below, Effort& effort) {
  below_ = below;
  best_.reset();
  stopped_ = false;
  Level& root = levels_[0];
  const std::uint64_t base = stack_.cost(0);
  if (dimension_ == 0) {
    const std::uint64_t cost = judge_ && base < below ? judge_({}, below) : base;
    if (cost < below) best_ = NullSpace{{}, cost};
    return {best_, true, std::min(cost, below)};
  }
  bound_ = ~std::uint64_t{0};
  root.excluded.assign(stack_.size(0), 0);
  stack_.begin(root.added);
  if (base < below) descend(0, effort);
  return {best_, !stopped_, stopped_ ? std::min(bound_, below_) : below_};
}

std::uint64_t ExactSearch::prove(NullSpace& best, std::uint64_t bound, Effort& effort) {
  constexpr std::uint64_t parts = 4;
  const std::uint64_t from = bound, gap = best.cost - std::min(bound, best.cost);
  for (std::uint64_t part = 1; part <= parts && bound < best.cost && !effort.over(); ++part) {
    const std::uint64_t below = std::min(best.cost, from + std::max<std::uint64_t>(1, gap * part / parts));
    if (below <= bound) continue;
    const Outcome outcome = run(below, effort);
    if (outcome.better) best = *outcome.better;
    // A complete search that found something has found the least.
    bound = outcome.complete ? std::min(below, best.cost) : std::max(bound, std::min(outcome.bound, best.cost));
    effort.ruled_out_below(bound);
  }
  return std::min(bound, best.cost);
}

std::uint64_t bound_by_averages(const NullSpaceProblem& problem, Effort& effort) {
  constexpr std::uint64_t scale = 1024;
  effort.count_findings(false);  // Costs are in other units.
  const Quotient averages = Quotient::of_averages(problem, scale);
  NullSpace best{{}, averages.cost()};
  for (std::uint32_t i = 0; i < problem.null_dimension(); ++i) best.basis.push_back(std::uint32_t{1} << i);
  best.cost = cost_of(averages, best.basis);
  best = climb(problem, averages, best, averages.cost(), effort, 3);
  const std::uint64_t bound = ExactSearch(problem, averages).prove(best, averages.cost(), effort);
  effort.count_findings(true);
  return (bound + scale - 1) / scale;
}

/// The vectors chosen, in coordinates of the whole.
std::vector<std::uint32_t> ExactSearch::chosen(std::uint32_t depth) const {
  std::vector<std::uint32_t> basis;
  for (std::uint32_t i = 0; i <= depth; ++i) {
    std::uint32_t vector = levels_[i].vector;
    for (std::uint32_t j = i; j-- > 0;) vector = Quotient::unfolded(vector, Quotient::pivot_of(levels_[j].vector));
    basis.push_back(vector);
  }
  return basis;
}

/// The best vector to end with.
void ExactSearch::choose_last(std::uint32_t depth, Effort& effort) {
  Level& level = levels_[depth];
  for (std::uint32_t vector = 1; vector < level.added.size(); ++vector) {
    std::uint64_t cost = stack_.cost(depth) + level.added[vector];
    if (level.excluded[vector] != 0 || cost >= below_) continue;
    if (judge_ && effort.over()) {
      stopped_ = true;
      bound_ = std::min(bound_, stack_.cost(depth));
      return;
    }
    level.vector = vector;
    std::vector<std::uint32_t> basis = chosen(depth);
    if (judge_) {
      cost = judge_(basis, below_);
      effort.spend(judge_steps_);
      if (cost >= below_) continue;
    }
    best_ = NullSpace{std::move(basis), cost};
    effort.found(cost);
    below_ = cost;
  }
}

/// Excludes what is too dear, and finds T. Whether something is left to try in it.
bool ExactSearch::has_branches(std::uint32_t depth) {
  Level& level = levels_[depth];
  for (std::uint32_t v = 1; v < level.added.size(); ++v)
    if (stack_.cost(depth) + level.added[v] >= below_) level.excluded[v] = 1;
  if (depth + 1 == dimension_) return true;
  find_trap(depth);
  return std::any_of(members_.begin(), members_.end(),
                     [&](std::uint32_t v) { return v != 0 && level.excluded[v] == 0; });
}

/// Finds T, dimension by dimension: each time the half of the space with the fewest wanted vectors in it. How many there
/// are in every half is one Walsh-Hadamard transform. Leaves the vectors of T in members_.
void ExactSearch::find_trap(std::uint32_t depth) {
  const Level& level = levels_[depth];
  members_.resize(level.added.size());
  std::iota(members_.begin(), members_.end(), 0);
  wanted_.resize(members_.size());
  const std::uint64_t slack = below_ - stack_.cost(depth);
  for (std::uint32_t v = 0; v < wanted_.size(); ++v) {
    const bool possible = v != 0 && level.excluded[v] == 0;
    // The less it adds, the more is left to try below it.
    wanted_[v] = possible ? 4 + static_cast<std::int32_t>(4 * (slack - level.added[v]) / slack) : 0;
  }
  for (std::uint32_t left = dimension_ - depth; left > 1; --left) {
    const std::size_t size = members_.size();
    spectrum_ = wanted_;
    for (std::size_t half = 1; half < size; half *= 2)
      for (std::size_t i = 0; i < size; i += 2 * half)
        for (std::size_t j = i; j < i + half; ++j) {
          const std::int32_t a = spectrum_[j], b = spectrum_[j + half];
          spectrum_[j] = a + b;
          spectrum_[j + half] = a - b;
        }
    // Vectors with an even number of bits in common with u: (spectrum[0] + spectrum[u]) / 2.
    const auto u =
        static_cast<std::uint32_t>(std::min_element(spectrum_.begin() + 1, spectrum_.end()) - spectrum_.begin());
    const std::uint32_t pivot = Quotient::pivot_of(u);
    spectrum_.resize(size / 2);
    half_.resize(size / 2);
    for (std::uint32_t w = 0; w < size / 2; ++w) {
      const std::uint32_t without = Quotient::unfolded(w, pivot);
      const std::uint32_t v = without | static_cast<std::uint32_t>(std::popcount(without & u) & 1) << pivot;
      spectrum_[w] = wanted_[v];
      half_[w] = members_[v];
    }
    wanted_.swap(spectrum_);
    members_.swap(half_);
  }
}

void ExactSearch::descend(std::uint32_t depth, Effort& effort) {
  Level& level = levels_[depth];
  if (!has_branches(depth)) return;
  constexpr std::uint64_t vectors_per_step = 16;  // Of a search for branches.
  for (std::uint32_t part = 0; part < stack_.parts(); ++part) {
    effort.spend(stack_.look_at(depth, part, level.added) + level.added.size() / vectors_per_step);
    if (!has_branches(depth)) return;
  }
  if (depth + 1 == dimension_) return choose_last(depth, effort);
  std::vector<std::uint32_t> branches;
  for (const std::uint32_t v : members_)
    if (v != 0 && level.excluded[v] == 0) branches.push_back(v);
  std::stable_sort(branches.begin(), branches.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return level.added[a] > level.added[b]; });
  Level& next = levels_[depth + 1];
  for (const std::uint32_t vector : branches) {
    if (effort.over()) {
      stopped_ = true;
      bound_ = std::min(bound_, stack_.cost(depth) + level.added[branches.back()]);
      return;
    }
    level.vector = vector;
    // What has been found meanwhile may be cheaper.
    if (stack_.cost(depth) + level.added[vector] < below_) {
      const std::uint32_t pivot = Quotient::pivot_of(vector);
      next.excluded.resize(stack_.size(depth + 1));
      for (std::uint32_t w = 0; w < next.excluded.size(); ++w) {
        const std::uint32_t v = Quotient::unfolded(w, pivot);
        next.excluded[w] = level.excluded[v] | level.excluded[v ^ vector];
      }
      next.excluded[0] = 0;
      effort.spend(stack_.choose(depth, vector, level.added[vector], below_, next.added, next.excluded));
      descend(depth + 1, effort);
    }
    level.excluded[vector] = 1;
  }
}

}  // namespace lockstep::hash
