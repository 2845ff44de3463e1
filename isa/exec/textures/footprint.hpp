#pragma once
// How many bytes a texture fetch touches per lane, for the static program of the trace.

#include "isa/exec/launch.hpp"
#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// Sets element_bytes of every fetch to the bytes of a texel and vector_elements to the texels of its footprint: 1 of a
/// point, 2, 4 or 8 of a linear filter in one, two or three dimensions, 4 of a gather. The texture is the one that the
/// instruction names or that reaches it from a kernel parameter; where it may be several, the largest counts.
void set_texture_footprints(const Task& task, const ptx::Program& program, program::Kernel& kernel);

}  // namespace lockstep::exec
