#pragma once
// The order in which a compiler leaves the instructions of straight code, and the registers that it gives the kernel.
//
// An SM issues a warp's instructions in order, so a compiler fills the time in which they would wait (list_schedule.hpp) as far as
// registers allow (register_budget.hpp). Memory keeps its order where two accesses may meet: nothing passes a barrier, a fence or a
// read of the clock, loads pass stores to another space only (ordering.hpp).

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Reorders the instructions of every basic block, unrolled loop and path without branches. Sets Program::registers.
void schedule(Program& program);

}  // namespace lockstep::machine
