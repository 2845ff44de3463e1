#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Removes copies from register to register that a compiler's register allocation makes none, where the static program tells
/// the successors of its basic blocks: those in a loop whose value is read only behind it, where they then stand, and all
/// between two registers that can be one, since nowhere a value of one is written that is read after the other's. Where a value is
/// computed while the old one of the destination is still read, up to the copy in the same basic block, the readers come first if they
/// may. ptxas 13.0 was seen to do so for sm_90; not where an access or a copy would have to wait.
void remove_copies(Program& program);

}  // namespace lockstep::machine
