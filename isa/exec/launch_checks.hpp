#pragma once

#include <cstdint>
#include <vector>

#include "isa/exec/kernel.hpp"
#include "isa/exec/launch.hpp"
#include "isa/exec/memory/device_memory.hpp"

namespace lockstep::exec {

/// PTX ISA 4.4 of toolkits from 12.1 on: 32,764 bytes; rounded up.
inline constexpr std::uint64_t most_parameter_bytes = 32768;

/// Checks a launch against its kernel: shape, arguments, scratchpad. `textures` is how many the task has, `variables`
/// those of the task. All errors are in one InputError.
void check_launch(const Kernel& kernel, const KernelLaunch& launch, const std::vector<const Allocation*>& buffers,
                  std::size_t textures, const std::vector<VariableContents>& variables);

}  // namespace lockstep::exec
