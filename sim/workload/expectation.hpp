#pragma once
// Expected results and the comparison with what execution left. Internal to this folder.

#include <cstdint>
#include <span>
#include <string>

#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// Compares `found`, the final bytes of the expectation's buffer. Empty when they are as expected, else what differs.
/// Mistake when the expected result cannot be made.
std::string difference(const Descriptor& descriptor, Evaluation& evaluation, const ExpectSpec& spec,
                       std::span<const std::uint8_t> found);

}  // namespace lockstep::workload
