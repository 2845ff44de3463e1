#pragma once
// Which instructions a compiler leaves in the order of the program.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

bool is_memory(const Instruction& i);
/// Whether two accesses must stay in order: one of them writes what the other may name, or is volatile.
bool may_meet(const Instruction& a, const Instruction& b);
/// Nothing goes from one side of it to the other: control flow, barriers, fences, reads of the clock, accesses that order
/// others, and what shares one access entry with others.
bool is_wall(const program::Kernel& kernel, const Instruction& i);

}  // namespace lockstep::machine
