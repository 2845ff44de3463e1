#pragma once
// Requests seen modulo a part of the null space: which of their words have fallen together, what that costs, and what one
// more vector would cost.

#include <cstdint>
#include <vector>

#include "models/hash_search/null_space_problem.hpp"

namespace lockstep::hash {

/// Words are classes modulo the vectors chosen so far, numbered by the coordinates that are left: choosing a vector
/// takes away the coordinate of its highest bit.
///
/// The requests whose words are an affine subspace are one array: such a request makes as many passes as the null space has
/// vectors in its directions (2^dim(V ^ N)), so every vector of N other than 0 adds its own number of passes.
class Quotient {
 public:
  struct Request {
    std::uint64_t weight = 0;
    std::uint32_t first = 0;            ///< Of words() and loads().
    std::uint16_t count = 0, most = 0;  ///< `most`: the largest load.
  };

  Quotient() = default;
  explicit Quotient(const NullSpaceProblem& problem);
  /// Every request counts with its average, over its lanes, of the load of the lane's class, which is no more than the
  /// largest; in units of 1 / `scale`, rounded down. That makes of any request what an affine one is, one array for all
  /// together: costs bound the true ones from below, and looking at one takes no longer however many requests there are.
  static Quotient of_averages(const NullSpaceProblem& problem, std::uint64_t scale);

  std::uint32_t dimension() const { return dimension_; }
  std::size_t size() const { return std::size_t{1} << dimension_; }
  /// Of all requests, constants included: a lower bound of what every larger null space costs.
  std::uint64_t cost() const { return cost_; }
  /// Requests that a step looks at.
  std::size_t requests() const { return requests_.size(); }
  /// Those of more than one word that are not affine, the heaviest first, each with its distinct words and their loads.
  const std::vector<Request>& list() const { return requests_; }
  const std::uint16_t* words() const { return words_.data(); }
  const std::uint8_t* loads() const { return loads_.data(); }

  /// This one modulo one more vector, not 0. `from` keeps its memory from one use to the next.
  void assign_modulo(const Quotient& from, std::uint32_t vector);
  /// cost() with each vector more, less cost(). added[0] is 0.
  void costs_of_vectors(std::vector<std::uint64_t>& added) const;
  /// Passes of the affine requests that each vector of the null space adds by itself.
  const std::vector<std::uint64_t>& affine() const { return affine_; }

  /// The coordinate that a vector's choice takes away.
  static std::uint32_t pivot_of(std::uint32_t vector);
  /// A number without the bit of the pivot, to which the vector was added if it had that bit.
  static std::uint32_t folded(std::uint32_t word, std::uint32_t vector, std::uint32_t pivot) {
    if ((word >> pivot & 1) != 0) word ^= vector;
    const std::uint32_t low = (std::uint32_t{1} << pivot) - 1;
    return (word & low) | (word >> 1 & ~low);
  }
  /// The number that folded() makes into this one and that lacks the bit.
  static std::uint32_t unfolded(std::uint32_t word, std::uint32_t pivot) {
    const std::uint32_t low = (std::uint32_t{1} << pivot) - 1;
    return (word & low) | (word & ~low) << 1;
  }

 private:
  std::uint32_t dimension_ = 0;
  std::uint64_t cost_ = 0;
  std::vector<Request> requests_;
  std::vector<std::uint16_t> words_;
  std::vector<std::uint8_t> loads_;
  std::vector<std::uint64_t> affine_;
  mutable std::vector<std::uint32_t> scratch_;  ///< By word: number of the request that was there last, and a value.
};

}  // namespace lockstep::hash
