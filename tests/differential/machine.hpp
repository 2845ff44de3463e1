#pragma once
// Drawn kernels as tasks of the functional machine.

#include <memory>
#include <vector>

#include "isa/exec/launch.hpp"
#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// One launch of each kernel, all in one module; buffers 2k and 2k + 1 are input and data of kernel k.
std::unique_ptr<exec::Task> task_of(const std::vector<Kernel>& kernels);

/// What the functional machine leaves in the data of a kernel.
std::vector<std::uint8_t> execute(const Kernel& kernel);

}  // namespace lockstep::differential
