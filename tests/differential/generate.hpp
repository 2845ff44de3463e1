#pragma once
// Random valid kernels, the same for the same seed everywhere. What they leave in memory does not depend on the order in
// which their threads execute.

#include <cstdint>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// One seed in five has approximate functions, which the oracle does not know.
Kernel generate(std::uint64_t seed);

}  // namespace lockstep::differential
