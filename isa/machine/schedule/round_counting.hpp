#pragma once
// What a partially unrolled loop adds to the code around it.

#include "isa/machine/instruction.hpp"
#include "isa/program/data_flow.hpp"

namespace lockstep::machine {

/// Of each loop that unroll() will unroll partially: puts the instructions that find how many rounds are left in front of it, at the
/// end of the blocks from which it is entered. Nothing happens where the successors of basic blocks are not known.
void count_rounds(Program& program, const program::DataFlow& flow);

}  // namespace lockstep::machine
