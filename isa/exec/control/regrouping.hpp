#pragma once
// Where the lanes of a warp that execute apart take turns, and where they come together.

#include <vector>

#include "isa/exec/frame.hpp"
#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// What holds for the lanes that enter a basic block.
struct Regrouping {
  /// It is the first one of a loop that waits (ptx/control_flow/waiting_loops.hpp).
  bool yields = false;
  /// Lanes that are to execute an instruction of the block together: all of the warp for barriers, matrices and exchanges without
  /// a member mask, otherwise those that a literal names.
  LaneMask members = 0;
  /// Registers of its function that name more of them. Those that the block itself computes are left out, as it does from lanes
  /// that are there.
  std::vector<ptx::RegisterId> member_masks;
};

/// By basic block. Nothing in programs without loops that wait, and in those with recursive functions, where lanes do not take
/// turns.
std::vector<Regrouping> regrouping_of(const ptx::Program& program, const program::Kernel& kernel);

}  // namespace lockstep::exec
