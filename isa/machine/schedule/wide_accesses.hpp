#pragma once
// Wide accesses: neighbouring accesses to the scratchpad that a compiler makes one of.
//
// The rules are those that ptxas 13.0 was seen to follow for sm_90. Loads of words of 4 or 8 bytes from one aligned piece of 16 bytes
// become one load of 16 where they are three words or four, and of 8 where they are the two of an aligned pair; stores likewise,
// but only of all words. Loads of 16 bits become one of 8 bytes, or of 4, where all that reads them takes halves of registers: f16 and bf16
// arithmetic, conversions from f16, mov that packs. The alignment must follow from how the address is computed. Loads do not pass a store to their space.
// Of two loads of the same words with no such store between them only the first is left. Volatile accesses, bytes and other half words
// stay.

#include "isa/machine/addresses.hpp"
#include "isa/machine/instruction.hpp"
#include "isa/program/data_flow.hpp"

namespace lockstep::machine {

/// In every Code of the program. Its instructions must not be scheduled yet.
void widen_accesses(Program& program, const Addresses& addresses, const program::DataFlow& flow);

}  // namespace lockstep::machine
