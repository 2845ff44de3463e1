#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Kernel parameters are loaded from constant memory where they are read: those of 64 bits that have to lie in the register file
/// (LDC.64) in the first block that does or in front of a loop without others around it, and a block of a loop that not every
/// round passes loads them itself. In each round of a loop around others all are loaded anew, also those in uniform registers (ULDC), and
/// the second one of an instruction into the register file (LDC). So ptxas 13.0 was seen to do it for sm_90 (README.md).
/// To be called when it is known what lies in uniform registers.
void load_parameters(Program& program);

}  // namespace lockstep::machine
