#pragma once
// Choices between a value and what is computed from it, or between two values of which one is needed no more.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Of `selp` between what one instruction has computed for it alone and a register that nothing reads any more, makes that instruction
/// with the predicate as its guard, at the place of the choice, as ptxas 13.0 does for sm_90 (README.md beside this file): @P0 IADD3 R0,
/// R0, 0x5, RZ for IADD3 and SEL. Of a choice of -x or |x| of f32, FSEL does that to its operand.
void guard_choices(Program& program);

}  // namespace lockstep::machine
