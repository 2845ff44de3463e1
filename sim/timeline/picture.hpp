#pragma once
// A replay over time as one SVG picture: kernels, how busy the parts of the GPU are, thread blocks, and what warps do.

#include <string>

#include "sim/timeline/history.hpp"

namespace lockstep::timeline {

/// The window of the events. Where a pixel stands for several cycles, it has the colour of what a warp did longest in them.
std::string timeline_svg(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result,
                         const Events& events);

}  // namespace lockstep::timeline
