#pragma once
// Atomics: one native operation, or a loop of several, by what a generation's scratchpad has.

#include "isa/machine/emitter.hpp"
#include "isa/machine/lowering.hpp"
#include "isa/machine/warp_aggregation.hpp"

namespace lockstep::machine {

/// Emits what the emitter's current instruction, an atomic or a reduction, becomes. A generic one becomes a part for the
/// scratchpad and a part for global memory, of which only the part with lanes issues. InputError where it needs atomics
/// that the target's scratchpad lacks. `aggregation`: null where the target's compiler aggregates none.
void lower_atomic(Emitter& emitter, ScratchpadAtomics scratchpad_atomics, WarpAggregation* aggregation);

}  // namespace lockstep::machine
