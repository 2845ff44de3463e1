#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Kernel parameters of 64 bits that lie in the register file are loaded from constant memory (LDC.64): in the first block that reads
/// them, or in front of the loops around it that have no other; a block of a loop that not every round passes loads those that it reads
/// itself. So ptxas 13.0 was seen to do it for sm_90 (README.md).
/// To be called when it is known what lies in uniform registers.
void load_parameters(Program& program);

}  // namespace lockstep::machine
