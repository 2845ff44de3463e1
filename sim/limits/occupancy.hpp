#pragma once
// How many warps of a kernel are resident on an SM, over what a thread block needs.

#include <string>
#include <vector>

#include "isa/trace/header.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::limits {

/// Resident warps over one need, with the others as they are.
struct OccupancyCurve {
  struct Step {
    std::uint64_t need = 0;
    std::uint32_t warps = 0;  ///< 0: not even one thread block fits.
    std::string limit;        ///< What binds.
  };
  std::string title;  ///< "threads per block".
  std::vector<Step> steps;
  std::uint64_t own = 0;  ///< What the launch needs.
};
/// Over threads per block, registers per thread and bytes of scratchpad memory per block.
std::vector<OccupancyCurve> occupancy_curves(const gpu::OccupancySpec& spec, const program::Kernel& kernel,
                                             const trace::Launch& launch);

/// The curves of a kernel as they are drawn.
struct OccupancyChart {
  std::string title;
  std::uint32_t most_warps = 0;  ///< Of an SM.
  std::vector<OccupancyCurve> curves;
};
std::string occupancy_svg(const std::vector<OccupancyChart>& charts);

}  // namespace lockstep::limits
