#include <catch2/catch.hpp>
#include <set>

#include "isa/exec/textures/layout.hpp"

using namespace lockstep::exec;

namespace {

Texture array_of(std::uint64_t width, std::uint64_t height, std::uint64_t depth, const char* format) {
  Texture texture;
  texture.layout = TextureLayout::array;
  texture.width = width;
  texture.height = height;
  texture.depth = depth;
  texel_format_named(format, texture.format);
  return texture;
}

}  // namespace

TEST_CASE("Every byte of an array has an address of its own inside the array") {
  for (const auto& texture : {array_of(70, 19, 0, "u8"), array_of(33, 9, 3, "u16x2"), array_of(100, 0, 0, "f32")}) {
    const PlacedTexture placed{&texture, nullptr, 0};
    std::set<std::uint64_t> addresses;
    const std::uint64_t rows = std::max<std::uint64_t>(1, texture.height),
                        slices = std::max<std::uint64_t>(1, texture.depth);
    for (std::uint64_t z = 0; z < slices; ++z) {
      for (std::uint64_t y = 0; y < rows; ++y) {
        for (std::uint64_t x = 0; x < texture.row_bytes(); ++x) addresses.insert(placed.address(x, y, z));
      }
    }
    CHECK(addresses.size() == slices * rows * texture.row_bytes());
    CHECK(*addresses.rbegin() < array_bytes(texture));
  }
}

TEST_CASE("Eight rows of 64 bytes of an array are one block of 512 bytes") {
  const Texture texture = array_of(128, 16, 0, "u8");
  const PlacedTexture placed{&texture, nullptr, 0x10000};
  CHECK(array_bytes(texture) == 128 * 16);
  // 16 bytes of two rows share a sector of 32 bytes.
  CHECK(placed.address(0, 0, 0) == 0x10000);
  CHECK(placed.address(15, 0, 0) == 0x1000f);
  CHECK(placed.address(0, 1, 0) == 0x10010);
  CHECK(placed.address(16, 0, 0) == 0x10020);
  CHECK(placed.address(0, 2, 0) == 0x10040);
  CHECK(placed.address(32, 0, 0) == 0x10100);
  CHECK(placed.address(63, 7, 0) == 0x101ff);
  // Then the block to the right, then the blocks below.
  CHECK(placed.address(64, 0, 0) == 0x10200);
  CHECK(placed.address(0, 8, 0) == 0x10400);
}

TEST_CASE("Slices of an array are padded to whole blocks, layers of a row to 512 bytes") {
  const Texture cube = array_of(10, 9, 2, "f32");
  const PlacedTexture placed{&cube, nullptr, 0};
  CHECK(placed.address(0, 0, 1) == 2 * 512);
  CHECK(array_bytes(cube) == 4 * 512);
  Texture rows = array_of(200, 0, 0, "f32");
  rows.layers = 3;
  const PlacedTexture placed_rows{&rows, nullptr, 0};
  CHECK(placed_rows.address(4, 0, 2) == 2 * 1024 + 4);
}

TEST_CASE("Pitch-linear rows stand at multiples of the pitch") {
  Texture texture;
  texture.layout = TextureLayout::pitch;
  texture.width = 10;
  texture.height = 4;
  texture.pitch_bytes = 64;
  std::byte host[256];
  const PlacedTexture placed{&texture, host, 0x1000};
  CHECK(placed.address(8, 3, 0) == 0x1000 + 3 * 64 + 8);
  CHECK(placed.bytes(8, 3, 0) == host + 3 * 64 + 8);
}
