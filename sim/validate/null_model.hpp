#pragma once
// What the simulator's errors are compared with: predictions that know nothing but one number per GPU.

#include <vector>

#include "sim/validate/accuracy.hpp"
#include "sim/validate/suite_run.hpp"

namespace lockstep::validate {

/// Each number of a suite as the null model predicts it: by the best constant of the suite's numbers on the same GPU. A GPU with
/// a single number has the best constant of the whole suite, as its own would be that number. None where the suite has a single
/// number.
std::vector<Comparison> null_model(const std::vector<PointOutcome>& points);

}  // namespace lockstep::validate
