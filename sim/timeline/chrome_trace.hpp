#pragma once
// A replay over time as a Chrome trace, which Perfetto (ui.perfetto.dev) and chrome://tracing show: kernels, thread blocks on
// SMs, what each warp does in every cycle, and how busy the parts of the GPU are. Trace Event Format, Google, 2016: events
// of the phases X (complete), C (counter) and M (metadata).

#include <string>

#include "sim/timeline/history.hpp"

namespace lockstep::timeline {

/// The trace as JSON: a microsecond of it is a cycle. A process is the whole GPU, or an SM; a thread of an SM is a place of a
/// thread block or of a warp of one. A warp waits for something, is ready and waits to be chosen, or issues. A counter holds
/// for the interval between two samples, and is 0 behind the last. FIFOs of R-GPU mode are counters of their SM.
std::string chrome_trace(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result,
                         const Events& events);

}  // namespace lockstep::timeline
