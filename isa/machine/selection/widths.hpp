#pragma once

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// 64-bit operations of which the low half alone is read (addresses of the scratchpad, above all) become those of 32 bits; a 32-bit index that is widened and then shifted becomes one wide product.
void choose_widths(SelectionDraft& draft);

}  // namespace lockstep::machine
