#pragma once

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// One operation for logic of at most three inputs, however many instructions compute it, by the generation's rows for
/// Fusion::three_input_logic and three_input_logic_64: `(a & b) | (~a & c)` is one LOP3. An instruction takes in those of its basic
/// block whose results nothing else reads, in the order of the program; a not goes into all of its readers.
void fuse_logic(SelectionDraft& draft);

}  // namespace lockstep::machine
