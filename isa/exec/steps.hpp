#pragma once
// Steps that more than one subject decodes to.

#include "isa/exec/kernel.hpp"

namespace lockstep::exec {

/// Does nothing: fences, hints and waits that a machine without time satisfies at once.
Outcome no_effect(Warp& warp, const Op& op, LaneMask mask);

/// Writes the clock registers of a function's frame before an instruction that reads one.
Outcome refresh_clock(Warp& warp, const Op& op, LaneMask mask);

/// Fails in the first lane: a function of the CUDA device runtime that nothing here executes. control: the call site,
/// whose arguments, when it has any, begin with the text of an assertion.
Outcome call_unsupported(Warp& warp, const Op& op, LaneMask mask);

}  // namespace lockstep::exec
