#pragma once
// Divisions by one divisor share its reciprocal, sine and cosine of one angle its reduction to a turn.
//
// As ptxas 13.0 was seen to do for sm_90 with generated kernels (README.md beside this file): what a division of 32-bit integers
// computes from its divisor alone is computed once for the divisions and remainders behind it in the same loops, without a call between
// them, and in front of an innermost loop without a call: of unsigned ones that every round passes, and the first signed one where
// rounds begin, whose reciprocal others do not share. A quotient and a remainder of the same operands share nearly all. The product that brings an angle into range is computed once for sin.approx and cos.approx of it.

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// Marks divisions and remainders whose reciprocal is there already with the modifier "again", those whose quotient or
/// remainder is there with "pair", and sines and cosines of an angle that has been reduced with "again"; the lowering table has rows for them. The reciprocal in front of a loop is not timed.
void share_reciprocals(SelectionDraft& draft);

}  // namespace lockstep::machine
