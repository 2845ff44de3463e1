#pragma once
// A replay over time as a Chrome trace, which Perfetto (ui.perfetto.dev) and chrome://tracing show: kernels, thread blocks on
// SMs, and what each warp does in every cycle.

#include <string>
#include <vector>

#include "isa/trace/header.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::report {

/// What was written down of a replay.
struct TimelineEvents {
  gpu::IssueWindow window;  ///< With SMs.
  std::vector<gpu::Issue> issues;
  std::vector<gpu::BlockRun> blocks;
};

/// The trace as JSON: a microsecond of it is a cycle. A process is the kernels, or an SM; a thread of an SM is a place of a
/// thread block or of a warp of one. A warp waits for something, is ready and waits to be chosen, or issues.
std::string timeline_json(const trace::Header& header, const gpu::Result& result, const TimelineEvents& events,
                          Cycle slot_interval);
/// Compressed by gzip.
std::string gzipped(const std::string& text);

}  // namespace lockstep::report
