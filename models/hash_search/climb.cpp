// Hill climbing over null spaces.

#include <algorithm>
#include <bit>

#include "isa/random.hpp"
#include "models/hash_search/null_space_search.hpp"

namespace lockstep::hash {

namespace {

std::uint64_t dimension_of(std::vector<std::uint32_t> vectors) {
  std::uint64_t dimension = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i] == 0) continue;
    ++dimension;
    const std::uint32_t pivot = std::bit_floor(vectors[i]);
    for (std::size_t j = i + 1; j < vectors.size(); ++j)
      if ((vectors[j] & pivot) != 0) vectors[j] ^= vectors[i];
  }
  return dimension;
}

std::vector<std::uint32_t> random_space(std::uint32_t coordinates, std::uint32_t dimension, Random& random) {
  std::vector<std::uint32_t> basis;
  while (basis.size() < dimension) {
    basis.push_back(random.below(std::uint64_t{1} << coordinates));
    if (dimension_of(basis) < basis.size()) basis.pop_back();
  }
  return basis;
}

/// The problem modulo all but one dimension of a null space, and the vectors' classes in it.
class Neighbours {
 public:
  explicit Neighbours(const Quotient& whole) : whole_(whole) {}

  /// Modulo `basis`.
  void look_from(const std::vector<std::uint32_t>& basis, Effort& effort) {
    steps_ = basis;
    levels_.resize(std::max(levels_.size(), basis.size()));
    const Quotient* from = &whole_;
    for (std::size_t i = 0; i < basis.size(); ++i) {
      levels_[i].assign_modulo(*from, steps_[i]);
      effort.spend(from->requests() + from->size() / 64 + 1);
      const std::uint32_t pivot = Quotient::pivot_of(steps_[i]);
      for (std::size_t j = i + 1; j < basis.size(); ++j) steps_[j] = Quotient::folded(steps_[j], steps_[i], pivot);
      from = &levels_[i];
    }
    from->costs_of_vectors(added_);
    effort.spend(8 * from->requests());  // A pair of words for each word.
    base_ = from->cost();
  }
  const std::vector<std::uint64_t>& added() const { return added_; }
  std::uint64_t base() const { return base_; }
  /// A vector of the whole that stands there for this one.
  std::uint32_t lifted(std::uint32_t vector) const {
    for (std::size_t i = steps_.size(); i-- > 0;) vector = Quotient::unfolded(vector, Quotient::pivot_of(steps_[i]));
    return vector;
  }

 private:
  const Quotient& whole_;
  std::vector<Quotient> levels_;
  std::vector<std::uint32_t> steps_;
  std::vector<std::uint64_t> added_;
  std::uint64_t base_ = 0;
};

/// A basis of the vectors of the space whose coordinates in the basis, those of `functional`, sum to zero.
std::vector<std::uint32_t> hyperplane(const std::vector<std::uint32_t>& basis, std::uint32_t functional) {
  const auto left_out = static_cast<std::size_t>(std::countr_zero(functional));
  std::vector<std::uint32_t> rest;
  for (std::size_t i = 0; i < basis.size(); ++i)
    if (i != left_out) rest.push_back((functional >> i & 1) != 0 ? basis[i] ^ basis[left_out] : basis[i]);
  return rest;
}

}  // namespace

std::uint64_t cost_of(const Quotient& whole, const std::vector<std::uint32_t>& basis) {
  Quotient now = whole, next;
  std::vector<std::uint32_t> steps = basis;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    next.assign_modulo(now, steps[i]);
    for (std::size_t j = i + 1; j < steps.size(); ++j)
      steps[j] = Quotient::folded(steps[j], steps[i], Quotient::pivot_of(steps[i]));
    std::swap(now, next);
  }
  return now.cost();
}

NullSpace climb(const NullSpaceProblem& problem, const Quotient& whole, NullSpace best, std::uint64_t enough,
                Effort& effort, std::uint32_t beginnings, std::uint64_t seed) {
  const std::uint32_t dimension = problem.null_dimension();
  if (dimension == 0) return best;
  Random random(seed);
  Neighbours neighbours(whole);
  const std::uint32_t functionals = (std::uint32_t{1} << dimension) - 1;
  // Every dimension has been tried, on average more than twice, before a place counts as a dead end.
  const std::uint32_t patience = std::min(3 * functionals, 60 * dimension);
  NullSpace now = best;
  std::vector<std::uint32_t> equal;
  // Small problems are worth more beginnings than large ones.
  const std::uint64_t some_work = effort.spent() + 500'000;
  for (std::uint32_t begun = 0;
       (begun < beginnings || effort.spent() < some_work) && best.cost > enough && !effort.over();) {
    for (std::uint32_t idle = 0; idle < patience && best.cost > enough && !effort.over(); ++idle) {
      std::vector<std::uint32_t> rest = hyperplane(now.basis, 1 + random.below(functionals));
      neighbours.look_from(rest, effort);
      const std::vector<std::uint64_t>& added = neighbours.added();
      const std::uint64_t least = *std::min_element(added.begin() + 1, added.end());
      if (neighbours.base() + least > now.cost) continue;  // Cannot be: what was given up is one of them.
      equal.clear();
      for (std::uint32_t vector = 1; vector < added.size(); ++vector)
        if (added[vector] == least) equal.push_back(vector);
      rest.push_back(neighbours.lifted(equal[random.below(equal.size())]));
      if (neighbours.base() + least < now.cost) idle = 0;
      now = {std::move(rest), neighbours.base() + least};
      if (now.cost < best.cost) {
        best = now;
        effort.found(best.cost);
        begun = 0;
      }
    }
    ++begun;
    // Every other beginning is near the best place: two of its dimensions are given up for random ones.
    if (begun % 2 == 0 && dimension > 2) {
      now.basis = best.basis;
      do {
        now.basis[random.below(dimension)] = random.below(whole.size());
        now.basis[random.below(dimension)] = random.below(whole.size());
      } while (dimension_of(now.basis) < dimension);
    } else {
      now.basis = random_space(problem.dimension(), dimension, random);
    }
    now.cost = cost_of(whole, now.basis);
    effort.spend(dimension * whole.requests() + 1);
  }
  return best;
}

NullSpace with_fewer_gates(const NullSpaceProblem& problem, const Quotient& whole, NullSpace best, Effort& effort) {
  const std::uint32_t dimension = problem.null_dimension();
  if (dimension == 0) return best;
  // Of very large null spaces only as many hyperplanes as these are looked at.
  constexpr std::uint32_t most_functionals = 63;
  const std::uint32_t functionals = std::min(most_functionals, (std::uint32_t{1} << dimension) - 1);
  Neighbours neighbours(whole);
  std::uint32_t gates = problem.hash(best.basis).xor_gates();
  for (bool fewer = true; fewer && gates > 0 && !effort.over();) {
    fewer = false;
    const std::vector<std::uint32_t> from = best.basis;
    for (std::uint32_t functional = 1; functional <= functionals && gates > 0 && !effort.over(); ++functional) {
      std::vector<std::uint32_t> basis = hyperplane(from, functional);
      neighbours.look_from(basis, effort);
      basis.push_back(0);
      for (std::uint32_t vector = 1; vector < neighbours.added().size(); ++vector) {
        if (neighbours.base() + neighbours.added()[vector] != best.cost) continue;
        basis.back() = neighbours.lifted(vector);
        const std::uint32_t own = problem.hash(basis).xor_gates();
        effort.spend(std::uint64_t{1} << problem.target_bits);  // As many rows are compared.
        if (own >= gates) continue;
        gates = own;
        best.basis = basis;
        fewer = true;
      }
    }
  }
  return best;
}

}  // namespace lockstep::hash
