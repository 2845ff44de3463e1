#pragma once
// One simulated point as text for people.

#include <string>

#include "sim/experiment/result.hpp"

namespace lockstep::cli {

/// A headline, its launches, and every statistic that is not zero.
std::string point_text(const experiment::PointResult& point);

}  // namespace lockstep::cli
