#pragma once
// What is drawn of the counters of samples: how busy the parts of a GPU are, and how often caches hit.

#include <optional>
#include <string_view>
#include <vector>

#include "sim/gpu/sample.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::timeline {

struct Level {
  std::string_view name, text;
  /// In percent, of what was counted in so many cycles; none: nothing that could.
  std::optional<double> (*percent)(const gpu::GpuSpec& spec, const gpu::Counters& counted, Cycle cycles);
};
/// Issue slots, scratchpad, L1 cache, L2 cache, DRAM.
const std::vector<Level>& levels();

}  // namespace lockstep::timeline
