#pragma once
// The functional machine against the oracle.

#include <cstdint>
#include <optional>
#include <string>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// What differs after a kernel, the first byte of it with thread and register; empty when nothing does.
std::string difference(const Kernel& kernel);

/// What computes the data of a kernel.
using Result = std::function<std::vector<std::uint8_t>(const Kernel&)>;
std::string difference(const Kernel& kernel, const Result& machine, const Result& oracle);

}  // namespace lockstep::differential
