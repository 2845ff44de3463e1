#pragma once
// The best null space: hill climbing over all null spaces, and the proof that none is better.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/hash_search/conflict_stack.hpp"
#include "models/hash_search/effort.hpp"
#include "models/hash_search/null_space_problem.hpp"
#include "models/hash_search/quotient.hpp"

namespace lockstep::hash {

/// A null space in coordinates of the problem's span, and its cost.
struct NullSpace {
  std::vector<std::uint32_t> basis;
  std::uint64_t cost = 0;
};

/// The spans that the searches below can take in.
inline constexpr std::uint32_t most_coordinates = 16;

std::uint64_t cost_of(const Quotient& whole, const std::vector<std::uint32_t>& basis);

/// Steps from null space to null space: one dimension, taken at random, is given up and the best one put in its place.
/// Restarts from other null spaces when nothing better is found; ends when the effort does, when the cost is `enough`,
/// or when as many beginnings as asked for brought nothing new. The same seed takes the same way.
NullSpace climb(const NullSpaceProblem& problem, const Quotient& whole, NullSpace best, std::uint64_t enough,
                Effort& effort, std::uint32_t beginnings, std::uint64_t seed = 1);

/// Continues among null spaces of the same cost, one dimension at a time, as long as the function takes fewer XOR gates.
NullSpace with_fewer_gates(const NullSpaceProblem& problem, const Quotient& whole, NullSpace best, Effort& effort);

/// A bound on the cost of all null spaces of the problem, from the averages of their loads (Quotient::of_averages).
std::uint64_t bound_by_averages(const NullSpaceProblem& problem, Effort& effort);

/// Branch and bound over the null spaces of the problem. `whole` must outlive it.
class ExactSearch {
 public:
  ExactSearch(const NullSpaceProblem& problem, const Quotient& whole);

  /// What a whole null space costs, where that is more than the cost by distinct words, which bounds it from below; or some
  /// number that is not below `limit`.
  using Judge = std::function<std::uint64_t(const std::vector<std::uint32_t>& basis, std::uint64_t limit)>;
  /// Costs are those of `judge` from here on; each call of it counts as so many steps.
  void judge_by(Judge judge, std::uint64_t steps) {
    judge_ = std::move(judge);
    judge_steps_ = steps;
  }

  struct Outcome {
    std::optional<NullSpace> better;  ///< The best that costs less than asked for.
    bool complete = false;            ///< Nothing was left out: without `better`, nothing costs less.
    std::uint64_t bound = 0;          ///< No null space costs less than this, or than what was asked for.
  };
  /// Looks for null spaces that cost less than `below`.
  Outcome run(std::uint64_t below, Effort& effort);
  /// Improves `best`, given that nothing costs less than `bound`: rules out low costs first, which is quick, and a bound
  /// when the effort does not suffice for more. Returns the bound that has been reached; it is best.cost when that is
  /// proved to be the least.
  std::uint64_t prove(NullSpace& best, std::uint64_t bound, Effort& effort);

 private:
  struct Level {
    std::vector<std::uint64_t> added;    ///< What each vector would add to the cost, or a bound of it.
    std::vector<std::uint8_t> excluded;  ///< Vectors that no null space sought here contains.
    std::uint32_t vector = 0;            ///< Chosen last, in this level's coordinates.
  };
  void descend(std::uint32_t depth, Effort& effort);
  void choose_last(std::uint32_t depth, Effort& effort);
  std::vector<std::uint32_t> chosen(std::uint32_t depth) const;
  bool has_branches(std::uint32_t depth);
  void find_trap(std::uint32_t depth);

  std::uint32_t dimension_;  ///< Of the null spaces.
  ConflictStack stack_;
  std::vector<Level> levels_;  ///< By number of vectors chosen.
  std::uint64_t below_ = 0, bound_ = 0;
  std::optional<NullSpace> best_;
  bool stopped_ = false;
  Judge judge_;
  std::uint64_t judge_steps_ = 0;
  // See find_trap.
  std::vector<std::int32_t> wanted_, spectrum_;
  std::vector<std::uint32_t> members_, half_;
};

}  // namespace lockstep::hash
