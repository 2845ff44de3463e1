#pragma once
// The picture of what an SM executes over time, after Figures 7.1 and 7.9 of Van den Braak's thesis.

#include <string>

#include "sim/gpu/simulation.hpp"
#include "sim/report/svg_chart.hpp"

namespace lockstep::report {

/// Integer, floating-point and load-store operations of SM 0 in each cycle, of all launches one after the other, from a
/// result with activity in intervals of `interval` cycles. Intervals are put together where there are more of them than
/// the picture has columns.
Areas activity_areas(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result, Cycle interval);
/// The same, drawn.
std::string activity_svg(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result,
                         Cycle interval);

}  // namespace lockstep::report
