#pragma once
// What a kernel with graphs requires of a GPU before it is launched.

#include <vector>

#include "isa/program/static_program.hpp"
#include "models/rgpu/mapping.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// The graphs of a kernel on the fabric of an SM.
struct KernelGraphs {
  std::vector<rgpu::Mapping> mappings;  ///< In order of Kernel::graphs.
  bool communicates = false;            ///< A load waits for what another node stores.
};

/// InputError: the GPU has no R-GPU mode, a graph does not fit, or it needs what the GPU's scratchpad lacks.
KernelGraphs map_graphs(const GpuSpec& spec, const program::Kernel& kernel);

}  // namespace lockstep::gpu
