#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Removes copies from register to register that a compiler's register allocation makes none, where the static program tells
/// the successors of its basic blocks: those in a loop whose value is read only behind it, where they then stand, and those
/// of a value of the same basic block that may be computed in the destination at once, since nothing needs what the
/// destination held before and also the new value.
void remove_copies(Program& program);

}  // namespace lockstep::machine
