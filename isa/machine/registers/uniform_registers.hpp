#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// What is the same in all lanes, as a compiler can tell, and comes from constant memory, kernel parameters and integer arithmetic of
/// nothing else lies in uniform registers (ULDC, UIADD3, UIMAD, ...), of which ptxas has enough, or is loaded where it is needed: its
/// entries take no room in the register file. Nothing happens where the successors of basic blocks are not known.
void use_uniform_registers(Program& program);

}  // namespace lockstep::machine
