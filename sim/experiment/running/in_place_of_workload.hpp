#pragma once
// Runs without a workload: an access pattern, the occupancy of thread blocks, or nothing but the GPU.

#include "sim/experiment/point.hpp"
#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

/// InputError when the pattern or the thread blocks are not described right.
PointResult in_place_of_workload(const Run& run);

}  // namespace lockstep::experiment
