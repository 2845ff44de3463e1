#pragma once
// Drawn kernels as tasks of the functional machine.

#include <memory>
#include <vector>

#include "isa/exec/launch.hpp"
#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// One launch of each kernel, all in one module, with buffers input-SEED, data-SEED and, for images, texels-SEED.
std::unique_ptr<exec::Task> task_of(const std::vector<Kernel>& kernels);

/// What the functional machine leaves in the data of a kernel and, behind that, in its texels.
std::vector<std::uint8_t> execute(const Kernel& kernel);
/// Of a module that has the kernel as it was printed once.
std::vector<std::uint8_t> execute_ptx(const Kernel& kernel, const std::string& ptx);

}  // namespace lockstep::differential
