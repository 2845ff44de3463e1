#pragma once
// Steps that more than one subject decodes to.

#include "isa/exec/kernel.hpp"

namespace lockstep::exec {

/// Does nothing: fences, hints and waits that a machine without time satisfies at once.
Outcome no_effect(Warp& warp, const Op& op, LaneMask mask);

/// Writes the clock registers of a function's frame before an instruction that reads one.
Outcome refresh_clock(Warp& warp, const Op& op, LaneMask mask);

}  // namespace lockstep::exec
