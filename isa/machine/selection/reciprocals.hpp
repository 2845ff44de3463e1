#pragma once
// Divisions by one divisor share its reciprocal, sine and cosine of one angle its reduction to a turn.
//
// As ptxas 13.0 was seen to do for sm_90 with generated kernels: what a division of 32-bit integers computes from its divisor alone is
// computed once for all divisions and remainders by it, in front of the loops that leave it alone; a quotient and a remainder of the
// same operands share nearly all. The product that brings an angle into range is computed once for sin.approx and cos.approx of it.

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// Marks divisions and remainders whose reciprocal is there already with the modifier "again", those whose quotient or
/// remainder is there with "pair", and sines and cosines of an angle that has been reduced with "again"; the lowering table has rows for them. The reciprocal in front of a loop is not timed.
void share_reciprocals(SelectionDraft& draft);

}  // namespace lockstep::machine
