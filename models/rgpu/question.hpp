#pragma once
// One question of the mapper: is there a mapping with so many lanes on so many slots?

#include <cstdint>
#include <optional>
#include <vector>

#include "models/rgpu/problem.hpp"

namespace lockstep::rgpu {

struct Question {
  std::uint32_t lanes = 0;
  std::uint32_t length = 0;  ///< All items and values are within so many neighbouring slots; Problem::slots: anywhere.
};

struct Solution {
  bool side_by_side = false;  ///< All copies are placed like the first, shifted.
  Placement placement;
  std::vector<Arc> arcs;
  std::vector<std::uint32_t> lane_of_arc;
};

struct Verdict {
  std::optional<Solution> solution;
  bool exhaustive = false;  ///< Without a solution: there is none.
  std::uint64_t steps = 0;
};

/// Looks for copies side by side.
Verdict look_side_by_side(const Problem& problem, const Question& question, std::uint64_t limit);
/// Looks where solutions usually are: copies side by side, as few values round the whole ring as possible, the most
/// promising partial placements only.
Verdict look(const Problem& problem, const Question& question, std::uint64_t limit);
/// Looks everywhere, until `limit` steps have been made.
Verdict decide(const Problem& problem, const Question& question, std::uint64_t limit);

}  // namespace lockstep::rgpu
