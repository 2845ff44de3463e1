#pragma once

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// One operation for two of which nothing else needs the link, by the generation's Fusion rows; products with powers of two
/// become shifts.
void fuse(SelectionDraft& draft);

}  // namespace lockstep::machine
