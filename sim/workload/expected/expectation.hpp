#pragma once
// Expected results and the comparison with what execution left. Internal to sim/workload.

#include <string>

#include "isa/exec/machine.hpp"
#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// Compares what `machine` left in the expectation's buffer. Empty when they are as expected, else what differs.
/// EvaluationError when the expected result cannot be made.
std::string difference(const Descriptor& descriptor, Evaluation& evaluation, const ExpectSpec& spec,
                       const exec::Machine& machine);

}  // namespace lockstep::workload
