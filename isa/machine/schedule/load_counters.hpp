#pragma once
// Which loads from global memory share a counter, and what waits for all of them together.
//
// From Maxwell on a warp has six counters of results that take a time which the compiler does not know: a load increments its
// counter and decrements it when its data are there, and what reads the data waits until the counter is zero, whichever loads
// it counts. The rule is what ptxas 13.0 was seen to follow for sm_90 (README.md beside this file).

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Gives every load from global, local or texture memory and every atomic with a result one of `counters` counters, at most
/// Instruction::most_counters: loads of the same first reader have the same one; others the first that counts nothing at that
/// point; the last one is shared by those that find none, and by all whose first reader is not in the same code. What reads or
/// overwrites such a result waits for the counter when this counts more than that. A load in front of what reads loads that other blocks
/// left in its counter waits for these.
void assign_load_counters(Program& program, unsigned counters);

}  // namespace lockstep::machine
