#pragma once
// Two shifts by literals that are one funnel shift together: (a << k) with (b >> (bits - k)) by an addition, or, xor.
//
// The rules are those that ptxas 13.0 was seen to follow for sm_90: of 32 bits one SHF whatever joins them; a rotation of 64 bits
// two, where an addition joins them, and none by 32; everything else of 64 bits is two shifts of the low word, an or, and
// one shift of the high word.

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// By the generation's rows for Fusion::funnel_shift, rotation_64 and funnel_shift_64.
void choose_funnel_shifts(SelectionDraft& draft);

}  // namespace lockstep::machine
