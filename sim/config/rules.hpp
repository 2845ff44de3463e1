#pragma once
// Rules between parameters; for the files gpu_rules*.cpp alone.

#include <functional>
#include <string>
#include <string_view>

#include "isa/error.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::config {

/// Reports `message` at the place of a parameter when a rule does not hold.
using Require = std::function<void(bool holds, std::string_view path, const std::string& message)>;

void check_rgpu_rules(const gpu::GpuSpec& spec, const Require& require);
void check_memory_rules(const gpu::GpuSpec& spec, const Require& require);
/// What a simulation allocates for the caches and buffers of all SMs is bounded.
void check_sizes(const gpu::GpuSpec& spec, const Require& require);

}  // namespace lockstep::config
