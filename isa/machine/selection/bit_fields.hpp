#pragma once

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// Bit fields (bfi, bfe) whose place and width are literals get a modifier that names their row: "words" takes whole words of
/// the result from either operand, "bytes" is a permutation of bytes (PRMT), "ofN" takes N instructions. As ptxas 13.0 does
/// for compute capability 7.5 and 9.0, but bfe.s64, for which it has 4 to 8 instructions and the row 4.
void choose_bit_fields(SelectionDraft& draft);

}  // namespace lockstep::machine
