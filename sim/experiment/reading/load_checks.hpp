#pragma once

#include <vector>

#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

/// The checks of an experiment with these axes; errors are added to `diagnostics`.
std::vector<Check> read_checks(const config::Value& list, const std::vector<Axis>& axes, Diagnostics& diagnostics);

}  // namespace lockstep::experiment
