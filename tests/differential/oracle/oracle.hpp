#pragma once
// An interpreter of drawn kernels, one thread after the other. Only at a step that lanes or threads make together does it
// hold all of them.

#include <cstdint>
#include <vector>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// What the kernel leaves in its data and, behind that, in its texels. The kernel must be exact.
std::vector<std::uint8_t> interpret(const Kernel& kernel);

}  // namespace lockstep::differential
