#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Kernel parameters of 64 bits that lie in the register file are loaded from constant memory (LDC.64). A block of a loop that not every round
/// passes loads those that it reads itself: ptxas 13.0 for sm_90 has 72 of 77 such loads of kernels here in the block (README.md).
/// To be called when it is known what lies in uniform registers.
void load_parameters(Program& program);

}  // namespace lockstep::machine
