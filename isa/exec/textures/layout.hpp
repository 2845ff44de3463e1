#pragma once
// Where the texels of a texture lie, as device addresses.
//
// NVIDIA does not document the layout of CUDA arrays; this is the model of one. An array of two or three dimensions
// consists of blocks of 64 bytes by 8 rows, 512 bytes each, one after the other along x, then y, then z or layer. Inside
// a block each 32 bytes hold 16 bytes of two rows, so that neighbours in both directions share a memory sector: the
// block-linear order with the "16Bx2" sectors that NVIDIA's open drivers describe (drm_fourcc.h,
// DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D, one such block high). A row is padded to 64 bytes, a slice to 8 rows. An array
// of one dimension is linear, each of its layers padded to 512 bytes.

#include <cstddef>
#include <cstdint>

#include "isa/exec/textures/texture.hpp"

namespace lockstep::exec {

inline constexpr std::uint64_t array_block_bytes = 512, array_block_width = 64, array_block_rows = 8;

/// Bytes of device memory that the array of a texture takes.
std::uint64_t array_bytes(const Texture& texture);

/// A texture whose place in memory is known.
struct PlacedTexture {
  const Texture* texture = nullptr;
  std::byte* host = nullptr;  ///< Of texel (0, 0, 0).
  std::uint64_t base = 0;     ///< Device address of texel (0, 0, 0).

  /// Device address of byte `x_bytes` of row y of slice z; `z` is the layer of a layered texture.
  std::uint64_t address(std::uint64_t x_bytes, std::uint64_t y, std::uint64_t z) const;
  /// The host byte behind it.
  std::byte* bytes(std::uint64_t x_bytes, std::uint64_t y, std::uint64_t z) const;
};

}  // namespace lockstep::exec
