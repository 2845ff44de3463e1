#pragma once
// Which instructions a compiler leaves in the order of the program.

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

bool is_memory(const Instruction& i);
/// Whether two accesses must stay in order: one of them writes what the other may name, or is volatile.
bool may_meet(const Instruction& a, const Instruction& b);
/// An access to memory that nothing writes during the kernel.
bool reads_constant_memory(const Instruction& i);
/// Of a thread block or a warp. Accesses keep to their side of it but for those to constant memory; arithmetic does not.
bool is_barrier(const program::Kernel& kernel, const Instruction& i);
/// Nothing goes from one side of it to the other: control flow, fences, reads of the clock, accesses that order others, and
/// what shares one access entry with others.
bool is_wall(const program::Kernel& kernel, const Instruction& i);

}  // namespace lockstep::machine
