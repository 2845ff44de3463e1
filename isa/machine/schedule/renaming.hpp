#pragma once
// Renaming: a compiler keeps each value in a register of its own while it orders instructions, whatever the program calls
// it (static single assignment: Cytron et al., TOPLAS 1991). Code that writes one virtual register again and again, as
// hand-written PTX does, does not wait for its own earlier values.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Within each basic block, every value of a register but the last gets a name of its own. A write under a guard, or one that reads the
/// register, continues the value that is there. Blocks with a loop around an atomic stay as they are.
void rename(Program& program);

}  // namespace lockstep::machine
