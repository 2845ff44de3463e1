#pragma once
// Instructions on their way through an SM, as a log of the pipeline viewer Konata. Format: docs/kanata-log-format.md of
// github.com/shioyadan/Konata, version 4.

#include <string>

#include "sim/timeline/history.hpp"

namespace lockstep::timeline {

/// The log of all issues in the events. Stages of an instruction: D, it is next of its warp and waits (on lane 1: for what);
/// R, it could issue and another warp is chosen; I, it issues; then X, S or M: a functional unit, the scratchpad or the
/// memory works on it until its result is there. One without a result retires after I. The second of two that issue in one
/// slot waits beside the first. Threads are warps, numbered in order of their first instruction.
std::string konata_log(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result,
                       const Events& events);

}  // namespace lockstep::timeline
