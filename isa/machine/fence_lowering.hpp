#pragma once
// What a fence becomes.
//
// Seen in the code of ptxas 13.0 for sm_90: membar and fence are MEMBAR; ERRBAR; CGAERRBAR; CCTL.IVALL, for the thread block MEMBAR alone;
// fence.proxy.async is MEMBAR and FENCE.VIEW.ASYNC, of global memory the latter alone, of the scratchpad nothing, as one of the
// initialisation of mbarriers.

#include "isa/machine/emitter.hpp"

namespace lockstep::machine {

/// Emits the emitter's current instruction, a fence. `follows_compiler`: it is known what the target's compiler makes of it; else it is one
/// instruction that waits, or for the thread block one that does not: the load-store units keep the order by themselves.
void lower_fence(Emitter& emitter, bool follows_compiler);

}  // namespace lockstep::machine
