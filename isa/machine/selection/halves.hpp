#pragma once

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// Machine registers have 32 bits: of a 64-bit value that is shifted by a word, masked, widened or put together, a half may be zero
/// or a half of another value, and no instruction computes it. What both halves copy is removed, what one half needs becomes
/// the row with the modifier "half" of its opcode. An instruction that reads the two words of a pair (a store, IMAD.WIDE's
/// addend) needs them side by side: then a MOV for each half that is a literal, or the half of another pair. Read out of ptxas
/// 13.0 for sm_90, kernels of one 64-bit expression each (tests/unit/isa/machine/expressions.tsv has their counts).
void choose_halves(SelectionDraft& draft);

}  // namespace lockstep::machine
