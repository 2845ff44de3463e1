#pragma once
// Loop unrolling: which loops a compiler unrolls, and the code of several rounds.
//
// The rules are those that ptxas 13.0 was seen to follow for sm_90 on generated loops of one basic block: a loop whose number of
// rounds is a constant is unrolled wholly; one that counts in constant steps to a bound that does not change in it is unrolled
// four times when its body is small and has neither barriers nor atomics. A loop of several basic blocks stays.
//
// A static program does not say where branches go. What counts and does not go back to itself is unrolled too, and never
// entered: that takes as many executions in a row as there are rounds.

#include "isa/machine/addresses.hpp"
#include "isa/machine/data_flow.hpp"
#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Fills Program::unrolled: behind the blocks' code stands that of the rounds of a loop, without the counting and the branches of
/// all but the last. A result that no later round reads goes to registers of its own, so that rounds overlap.
void unroll(Program& program, const DataFlow& flow, Addresses& addresses);

}  // namespace lockstep::machine
