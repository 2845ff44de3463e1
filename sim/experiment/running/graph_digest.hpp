#pragma once
// The fingerprint of an R-GPU program.

#include <cstdint>

#include "isa/dataflow/instance.hpp"
#include "sim/experiment/running/digest.hpp"

namespace lockstep::experiment {

/// Adds the structure of a program, and the numbers that its thread blocks 0 ... thread_blocks - 1 begin with.
void add_program(Digest& digest, const dataflow::Program& program, std::uint64_t thread_blocks);

}  // namespace lockstep::experiment
