#pragma once
// Counters that step under a condition, `count += a == b`, which PTX writes as a selection of two literals and a sum.
//
// ptxas 13.0 was seen to make of it for sm_90 the sum with one literal and, under a predicate, what the counter is otherwise: its old
// value or the other sum. The old value lives on beside the new one, so a counter that a loop carries takes a copy, once for all rounds
// that are unrolled. Seen with sums of 32 bits of a selection that nothing else reads, with one literal zero or none; not with
// differences, logic, products, floating point, a register in place of a literal, or a selection that is read twice.

#include <vector>

#include "isa/machine/selection/selection.hpp"
#include "isa/program/data_flow.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// Per instruction of a kernel in PTX: whether it is such a sum in place.
std::vector<bool> conditional_steps(const program::Kernel& kernel, const Selection& selection,
                                    const program::DataFlow& flow);

}  // namespace lockstep::machine
