#pragma once
// Copies of pointers that loops step.
//
// A step need not wait until the accesses have read the pointer's address where these read a copy: two moves to another pair of
// registers in front of the first of them, in each round. ptxas 13.0 was seen to do so for sm_90 in generated loops of one basic block
// (README.md has the numbers): with all pointers that a round of fewer than 16 instructions steps, and up to 24 with one that it stores
// through.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// In front of the accesses of loops of one basic block that are not unrolled, also where their branches are predicated. The
/// instructions must not be scheduled yet. Nothing happens where the successors of basic blocks are not known.
void copy_pointers(Program& program);

}  // namespace lockstep::machine
