#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// What loads from constant memory write whose address is the same in all lanes, and kernel parameters, lies in uniform registers (ULDC),
/// of which ptxas has enough, or is loaded where it is needed: its entries take no room in the register file. Nothing happens where the
/// successors of basic blocks are not known.
void use_uniform_registers(Program& program);

}  // namespace lockstep::machine
