#pragma once
// Calls, and the functions that follow the calling convention: what a compiler writes around them (README.md of this folder). For targets of
// which it is known what their compiler does.

#include "isa/machine/call_convention.hpp"
#include "isa/machine/emitter.hpp"

namespace lockstep::machine {

/// Emits what a function does before anything else, for the first instruction of its basic block `block`: IADD R1, STL of each word that it
/// saves, BMOV of each barrier into a register, and `for_global_memory` instructions where it accesses that.
void begin_function(Emitter& emitter, const program::Kernel& kernel, const CallConvention& convention,
                    std::uint32_t block, std::uint32_t for_global_memory);

/// Emits what stands around the emitter's current instruction, a call, but for its branch: MOV of the return address, in two registers; and
/// where lanes may go different ways, what registers them before (BSSY) and waits for them behind the call (BSYNC).
void prepare_call(Emitter& emitter);

/// Emits the emitter's current instruction, a return: it waits for the last words of the frame, with which the return address comes.
/// Where only some lanes return, the others keep what is saved.
void lower_return(Emitter& emitter, const StackFrame& frame);

}  // namespace lockstep::machine
