#pragma once
// The search for a GF(2)-linear function as a search for its null space N: two words fall onto one target exactly when
// their XOR is in N (Vandierendonck and De Bosschere 2005). A function costs, for each request, the largest number of its
// words in one coset of N; so only the part of N that lies in the span of all differences matters.

#include <cstdint>
#include <vector>

#include "models/hash/linear.hpp"
#include "models/hash_search/access_set.hpp"

namespace lockstep::hash {

/// Words in coordinates of the span. Every request contains word 0.
struct NullSpaceProblem {
  struct Request {
    std::uint64_t weight = 0;
    std::uint32_t first = 0, count = 0;  ///< Of `cells`.
  };
  /// A word, and how many lanes count there: one for banks, those that want the word for locks.
  struct Cell {
    std::uint32_t word = 0, load = 0;
  };

  std::uint32_t word_bits = 0, target_bits = 0;
  std::vector<std::uint64_t> span;  ///< Basis vector of each coordinate, in reduced row echelon form.
  std::vector<Request> requests;    ///< Of at least two words, the heaviest first.
  std::vector<Cell> cells;
  std::uint64_t constant = 0;  ///< Cost of what no function changes.
  std::uint64_t least = 0;     ///< No map, linear or not, costs less; `constant` is part of it.

  std::uint32_t dimension() const { return static_cast<std::uint32_t>(span.size()); }
  /// Dimension of the part of the null space that matters.
  std::uint32_t null_dimension() const { return dimension() > target_bits ? dimension() - target_bits : 0; }
  /// The function whose null space has this part in the span, given by a basis in coordinates.
  LinearHash hash(const std::vector<std::uint32_t>& null_space) const;
  /// The part in the span of this function's null space: null_dimension() vectors or more, independent.
  std::vector<std::uint32_t> part_of(const LinearHash& hash) const;
};

/// Passes over 2^target_bits banks. A load of compute capability 1.x counts with its distinct words: fewer passes than it
/// takes, or as many.
NullSpaceProblem bank_problem(const AccessSet& set, std::uint32_t target_bits, std::uint32_t word_bits);
/// Retries of lock loops.
NullSpaceProblem lock_problem(const AccessSet& set, std::uint32_t target_bits, std::uint32_t word_bits);

}  // namespace lockstep::hash
