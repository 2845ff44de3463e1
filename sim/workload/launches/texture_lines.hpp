#pragma once
// Textures in a launch folder. Internal to sim/workload.

#include <string>
#include <vector>

#include "isa/exec/launch.hpp"

namespace lockstep::workload {

/// A line of the folder's manifest for each texture of the task (tools/capture/README.md). InputError for what a real GPU
/// cannot be given as a texture object or a surface object.
std::vector<std::string> texture_lines(const exec::Task& task);

}  // namespace lockstep::workload
