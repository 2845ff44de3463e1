#pragma once
// Hashes that the kernels of a task compute themselves: Section 6.6.2 of Van den Braak (2015). Internal to sim/workload.

#include "isa/exec/launch.hpp"
#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// Rewrites the kernels that the task launches as the argument software_hash says, and gives the launches the scratchpad
/// memory that this takes. Does nothing for "mod". InputError when a kernel cannot be rewritten, or none is named so.
void apply_software_hash(const Evaluation& evaluation, exec::Task& task);

}  // namespace lockstep::workload
