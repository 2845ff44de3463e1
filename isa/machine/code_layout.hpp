#pragma once

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Sets Instruction::place of all instructions, and Program::places: where a compiler puts them, which instruction fetch sees.
/// What stands for a basic block lies in the order of the blocks: unrolled rounds, then predicated code, or the block's own, which
/// lies behind all others where predicated code has it. Code for rare operands is a function behind that, one for all
/// operations of a kind: the branch over it leads over its call alone (ptxas 13.0 for sm_90).
void lay_out(Program& program);

}  // namespace lockstep::machine
