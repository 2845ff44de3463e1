#pragma once
// Conditions that one branch decides: `if (a || b)` and `if (a && b)`, whose second condition PTX tests behind a branch of its own.
//
// As ptxas 13.0 was seen to do for sm_90 on generated kernels (forms with two and three conditions, 1 to 24 instructions in each part):
// a basic block with no other way to it, that ends with a branch one side of which is where the branch in front goes as well, is
// executed by all lanes, and both branches become one, when it has at most 5 instructions; each further condition in the same
// branch counts one more. It may read constants, but no other memory, and has no guards, barriers, calls or exchanges between lanes.

#include <cstdint>
#include <functional>
#include <vector>

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// A basic block with what is tested behind it by the same branch.
struct Decision {
  /// Basic blocks that test, in their order, and the jumps between them and the targets.
  std::vector<std::uint32_t> conditions, jumps;
  std::uint32_t through = 0, aside = 0;  ///< The targets: of the last branch that falls through, and the other.

  bool has(std::uint32_t block) const;
};

/// What the branch at the end of the block decides. `ways_to`: how many edges lead to a block; `can_predicate`: whether a block has
/// only what may be executed under a predicate.
Decision decision_at(const Program& program, std::uint32_t block, const std::vector<std::uint32_t>& ways_to,
                     const std::function<bool(std::uint32_t)>& can_predicate);

}  // namespace lockstep::machine
