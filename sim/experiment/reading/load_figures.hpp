#pragma once

#include <vector>

#include "sim/config/error_list.hpp"
#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

/// The figures of an experiment with these axes; what is wrong is added to `errors`.
std::vector<Figure> read_figures(const config::Value& list, const std::vector<Axis>& axes, config::ErrorList& errors);

}  // namespace lockstep::experiment
