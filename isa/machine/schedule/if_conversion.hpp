#pragma once
// If-conversion: which branches a compiler replaces by predicates, and the code without them.
//
// The rules are those that ptxas 13.0 was seen to follow for sm_90 on generated kernels. Lanes part, execute at most
// a side each, and meet again; a side is predicated when it has at most 8 machine instructions, its own jump to where the lanes
// meet among them where there are two sides; 6 when the branch is uniform; 20 when a side loads from global memory, or five words of
// such loads are pending at the branch: they stand in front of it with no branch that stays, barrier, atomic or store to global memory
// between, and are read behind it. Copies of registers count nothing, and an instruction with a guard of its own one more for each
// guard. A side has neither barriers nor calls, atomics, exchanges between lanes or reads of the clock; nor, behind another branch in
// the same loop, a load from global memory in place of a literal (`x = 0; if (inside) x = in[i];`). Inner branches stay, and so do those
// around them, and a branch to the end of the kernel, which is a guarded exit.
// A divergent branch that stays costs two instructions more: lanes that meet again are registered before it, or before the loop that it
// leaves, and waited for behind it (BSSY, BSYNC), but for those that then only exit. Each part of the lanes that arrives executes a BSYNC.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Fills Program::predicated and Program::arrivals, with numbers of static instructions: behind the blocks' code stands that of blocks with predicated sides. Its instructions, that are not yet
/// renamed or scheduled, gain those of divergent branches that stay. Nothing happens where the successors of basic blocks are not known.
void predicate(Program& program);
/// Puts the instructions of Program::arrivals behind all code of the program, whose instructions have their places.
void place_arrivals(Program& program);

}  // namespace lockstep::machine
