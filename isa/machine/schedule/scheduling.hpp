#pragma once
// List scheduling: the order in which a compiler leaves the instructions of straight code.
//
// An SM issues a warp's instructions in order, so a compiler puts first what others wait for longest: at each step, of the
// instructions whose operands would be there, the one with the longest way to the end of the code (J. Ellis, "Bulldog: a compiler
// for VLIW architectures", 1985, chapter 4). Memory keeps its order where two accesses may meet: nothing passes a
// barrier, a fence or a read of the clock, loads pass stores to another space only.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Reorders the instructions of every basic block and unrolled loop.
void schedule(Program& program);

}  // namespace lockstep::machine
