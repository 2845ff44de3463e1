#pragma once
// What the instructions on textures and surfaces share when they are decoded and when they execute.

#include <cstdint>
#include <string_view>

#include "isa/exec/subjects.hpp"
#include "isa/exec/textures/table.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// The first of 1d, 2d, 3d, a1d, a2d among the decoder. Fails for cubes, multisampling and for none.
Geometry take_geometry(Decoder& decoder);

/// A new access of the kernel, set as the instruction's.
TextureAccess& new_texture_access(Decoder& decoder);

/// The handle in an operand such as [%rd1, ...] or [reference, ...].
void decode_handle(Decoder& decoder, const ptx::Operand& operand, TextureAccess& access);

ptx::Type coordinate_type(const TextureAccess& access);  ///< f32 or s32.

/// x, y, z and the layer from the coordinate operand: a scalar, or a vector with the layer in front.
void decode_coordinates(Decoder& decoder, const ptx::Operand& operand, TextureAccess& access);

/// The texture of one lane. Fails when there is none, or it has other dimensions than the instruction.
const PlacedTexture& texture_of(Warp& warp, const Op& op, const TextureAccess& access, unsigned lane);

}  // namespace lockstep::exec
