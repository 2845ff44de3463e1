#pragma once
// The counters of what a sampled replay passed over.

#include "sim/gpu/counters.hpp"

namespace lockstep::gpu::sampled {

/// By how much counts grow beyond what was counted: those of cycles and issue slots by one factor, those of anything else by
/// another.
struct Factors {
  double cycles = 0, events = 0;
};

/// What is counted while so much more happens, each rounded to a whole number; nothing of a largest value.
Counters project(const Counters& counted, const Factors& factors);

}  // namespace lockstep::gpu::sampled
