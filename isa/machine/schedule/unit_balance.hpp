#pragma once
// Which unit runs what two units can: additions, shifts by literals and moves are also forms of the multiply-add.
//
// The rule is what ptxas 13.0 was seen to follow for sm_75 and sm_90 (schedule/README.md): the instructions of a basic block are
// shared out so that the integer unit and the multipliers get as many each, f32 arithmetic counted among the latter.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// In every Code of the program, of the instructions that have an alternative as many take it, evenly spread, as make the two
/// counts equal or leave the integer unit one more.
void balance_units(Program& program);

}  // namespace lockstep::machine
