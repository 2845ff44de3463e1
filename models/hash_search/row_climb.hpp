#pragma once
// Hill climbing over the rows of a linear hash, for any objective.

#include <cstdint>
#include <vector>

#include "models/hash/linear.hpp"
#include "models/hash_search/effort.hpp"
#include "models/hash_search/objective.hpp"

namespace lockstep::hash {

/// How a step changes a row.
enum class RowMove : std::uint8_t {
  replace,  ///< By one of the candidates: the family of the candidates is not left.
  add       ///< XOR with one of the candidates: any linear function can be reached.
};

struct RowClimb {
  LinearHash hash;
  std::uint64_t cost = 0;
  std::uint64_t tried = 0;
};

/// The best step is taken as long as one makes the cost smaller; then it restarts from random rows, up to
/// `beginnings` times in all. Ends early when the effort does, or at a cost of `enough`. The same seed takes the same way.
RowClimb climb_rows(const Objective& objective, const LinearHash& start, const std::vector<std::uint64_t>& candidates,
                    RowMove move, std::uint32_t word_bits, std::uint32_t beginnings, Effort& effort,
                    std::uint64_t seed = 1);

}  // namespace lockstep::hash
