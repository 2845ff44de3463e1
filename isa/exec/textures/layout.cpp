#include "isa/exec/textures/layout.hpp"

#include <algorithm>

namespace lockstep::exec {

namespace {

std::uint64_t blocks(std::uint64_t size, std::uint64_t block) {
  return (size + block - 1) / block;
}

/// Of one slice or layer of an array.
std::uint64_t slice_bytes(const Texture& texture) {
  const std::uint64_t row = texture.width * texture.format.bytes();
  if (texture.height == 0) return blocks(row, array_block_bytes) * array_block_bytes;
  return blocks(row, array_block_width) * blocks(texture.height, array_block_rows) * array_block_bytes;
}

}  // namespace

std::uint64_t array_bytes(const Texture& texture) {
  return slice_bytes(texture) * std::max<std::uint64_t>(1, std::max(texture.depth, texture.layers));
}

std::uint64_t PlacedTexture::address(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
  const Texture& t = *texture;
  if (t.layout != TextureLayout::array) return base + y * t.row_bytes() + x;
  const std::uint64_t slice = base + z * slice_bytes(t);
  if (t.height == 0) return slice + x;
  const std::uint64_t block =
      y / array_block_rows * blocks(t.width * t.format.bytes(), array_block_width) + x / array_block_width;
  return slice + block * array_block_bytes + x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 +
         x % 16;
}

std::byte* PlacedTexture::bytes(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
  return host + (z * std::max<std::uint64_t>(1, texture->height) + y) * texture->row_bytes() + x;
}

}  // namespace lockstep::exec
