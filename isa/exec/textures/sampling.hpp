#pragma once
// One texture fetch of one lane: from coordinates to texels and their value. CUDA C++ Programming Guide, appendix
// "Texture Fetching".

#include <array>
#include <cstdint>

#include "isa/exec/textures/layout.hpp"

namespace lockstep::exec {

/// The bits of the four channels that a fetch returns; floats by their bits.
using TexelBits = std::array<std::uint32_t, 4>;

/// Along one dimension: the texels that take part, resolved by the address mode, and their weights in 1/256.
struct AxisTexels {
  std::uint8_t count = 1;
  std::array<std::uint64_t, 2> index{0, 0};
  std::array<bool, 2> inside{true, true};  ///< Not inside: the border, whose texels are zero.
  std::array<std::uint16_t, 2> weight{256, 0};
};

/// The texel, or the two of a linear filter, at a floating-point coordinate. `shift` texels are added. Not a number
/// counts as 0. Without normalized coordinates, wrap and mirror are clamp, as in CUDA.
AxisTexels axis_at(float coordinate, std::uint64_t extent, AddressMode mode, bool normalized, FilterMode filter,
                   int shift);

/// What a fetch touches: the texels of each axis; z is the layer of a layered texture.
struct Footprint {
  std::array<AxisTexels, 3> axis;
};

/// Device address of the first texel of the footprint that is inside. False when none is.
bool first_address(const PlacedTexture& texture, const Footprint& footprint, std::uint64_t& address);

/// The weighted sum of the footprint's texels, or the only one as it is. Channels that the format lacks are 0,
/// the fourth one, too, as an H200 has it.
TexelBits filtered(const PlacedTexture& texture, const Sampling& sampling, const Footprint& footprint);

/// Channel `channel`, as a filter of that one gives it, of the four texels of a two-dimensional footprint, counter-clockwise from the lower left one:
/// (0,1), (1,1), (1,0), (0,0).
TexelBits gathered(const PlacedTexture& texture, const Sampling& sampling, const Footprint& footprint,
                   unsigned channel);

/// Whether a fetch returns floats.
inline bool returns_float(const Texture& texture, const Sampling& sampling) {
  return texture.format.kind == TexelFormat::Kind::floating || sampling.normalized_read;
}

}  // namespace lockstep::exec
