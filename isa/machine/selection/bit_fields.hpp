#pragma once

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// Bit fields (bfi, bfe) whose place and width are literals get a modifier that says what they are for rows of their own:
/// "words" takes whole words of a 64-bit result from either operand, "bytes" permutes bytes within a word, "low" begins at bit
/// 0, "high" lies in the high word, "literal" is any other. As ptxas 13.0 chooses for compute capability 7.5 and 9.0.
void choose_bit_fields(SelectionDraft& draft);

}  // namespace lockstep::machine
