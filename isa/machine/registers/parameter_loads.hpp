#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Kernel parameters are loaded from constant memory where they are read, in the first block that does or in front of a loop without
/// others around it; in each round of a loop around others. A block of a loop that not every round passes loads those that it reads itself, unless they
/// lie in uniform registers. Into the register file go those of 64 bits that have to (LDC.64), and the second parameter of an
/// instruction (LDC). So ptxas 13.0 was seen to do it for sm_90 (README.md).
/// To be called when it is known what lies in uniform registers.
void load_parameters(Program& program);

}  // namespace lockstep::machine
