#pragma once
// Textures of a task. Internal to sim/workload.

#include "isa/exec/textures/texture.hpp"
#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// The texture that a specification means with the given arguments. EvaluationError when no GPU can sample it.
exec::Texture make_texture(const TextureSpec& spec, const Descriptor& descriptor, const Evaluation& evaluation);

}  // namespace lockstep::workload
