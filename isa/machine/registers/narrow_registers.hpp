#pragma once

#include "isa/machine/instruction.hpp"
#include "isa/machine/selection/selection.hpp"

namespace lockstep::machine {

/// Registers of 64 bits take one of 32 where instruction selection computes the lower half alone (addresses of the scratchpad), or
/// where the upper half is zero (cvt.u64.u32).
void narrow_registers(Program& program, const Selection& selection);

}  // namespace lockstep::machine
