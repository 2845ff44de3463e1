#pragma once
// The limits of a machine that can be lifted one by one, to see what each costs a kernel.

#include <vector>

#include "isa/trace/header.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::explain {

/// What a limit is lifted from: a GPU, and what ran on it.
struct Lifting {
  const gpu::GpuSpec& spec;
  const trace::Header& header;
  const gpu::Result& result;
};

struct LiftedLimit {
  const char* name;
  const char* text;
  /// Whether the replay met the limit at all.
  bool (*concerns)(const Lifting& from);
  /// Changes a copy of the GPU.
  void (*lift)(const Lifting& from, gpu::GpuSpec& spec);
};

/// All, in a fixed order.
const std::vector<LiftedLimit>& lifted_limits();

}  // namespace lockstep::explain
