#pragma once
// Loop unrolling: the code of several rounds of the loops that a compiler unrolls (loop.hpp says which).

#include "isa/machine/addresses.hpp"
#include "isa/machine/instruction.hpp"
#include "isa/program/data_flow.hpp"

namespace lockstep::machine {

/// Fills Program::unrolled: behind the blocks' code stands that of the rounds of a loop, without the counting and the branches of
/// all but the last. A result that no later round reads goes to registers of its own, so that rounds overlap.
void unroll(Program& program, const program::DataFlow& flow, Addresses& addresses);

}  // namespace lockstep::machine
