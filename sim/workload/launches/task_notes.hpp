#pragma once
// What the user should know of a task before it executes.

#include <string>
#include <vector>

#include "isa/exec/launch.hpp"

namespace lockstep::workload {

/// A line each: of variables in constant memory that kernels use and that nothing sets, and of instructions whose results may
/// not be a GPU's.
std::vector<std::string> notes_of(const exec::Task& task);

}  // namespace lockstep::workload
