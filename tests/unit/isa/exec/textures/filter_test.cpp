// Linear filters and gathers against what an H200 gives: tools/capture/texture_filter.cu.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "isa/exec/textures/filter.hpp"
#include "isa/exec/textures/sampling.hpp"

#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::exec;

namespace {

/// Two texels along each dimension, all of them in the filter.
struct Sample {
  std::string text;
  Texture texture;
  bool gathers = false;
  std::vector<int> fractions;
  std::vector<std::uint32_t> texels;
  std::uint32_t result = 0;
};

std::vector<Sample> read_samples() {
  std::ifstream file(source_dir() + "/tests/unit/isa/exec/textures/inputs/h200_filter.txt");
  std::vector<Sample> samples;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Sample one;
    one.text = line;
    std::string format, how;
    words >> format >> how;
    REQUIRE(texel_format_named(format, one.texture.format));
    one.gathers = how == "gather";
    const std::size_t dimensions = one.gathers ? 2 : std::stoul(how);
    one.texture.layout = TextureLayout::array;
    one.texture.width = 2;
    if (dimensions > 1) one.texture.height = 2;
    if (dimensions > 2) one.texture.depth = 2;
    one.texture.sampling.normalized_read = one.texture.format.kind != TexelFormat::Kind::floating;
    if (!one.gathers) one.fractions.resize(dimensions);
    for (int& fraction : one.fractions) words >> fraction;
    one.texels.resize(one.gathers ? 1 : std::size_t{1} << dimensions);
    words >> std::hex;
    for (std::uint32_t& texel : one.texels) words >> texel;
    REQUIRE(words >> one.result);
    samples.push_back(std::move(one));
  }
  return samples;
}

std::uint32_t machine_gives(const Sample& sample) {
  std::array<std::byte, 32> memory{};
  for (std::size_t n = 0; n < sample.texels.size(); ++n)
    std::memcpy(memory.data() + n * sample.texture.format.bytes(), &sample.texels[n], sample.texture.format.bytes());
  const PlacedTexture placed{&sample.texture, memory.data(), 0};
  Footprint footprint;
  for (std::size_t d = 0; d < (sample.gathers ? 2 : sample.fractions.size()); ++d) {
    const float at = sample.gathers ? 1.0F : 0.5F + static_cast<float>(sample.fractions[d]) / 256;
    footprint.axis[d] = axis_at(at, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  }
  return sample.gathers ? gathered(placed, sample.texture.sampling, footprint, 0)[3]
                        : filtered(placed, sample.texture.sampling, footprint)[0];
}

}  // namespace

TEST_CASE("Filters of one, two and three dimensions, and gathers, give the bits of an H200 in every format") {
  std::map<std::string, int> compared;
  for (const Sample& sample : read_samples()) {
    INFO(sample.text);
    CHECK(machine_gives(sample) == sample.result);
    ++compared[name_of(sample.texture.format) + (sample.gathers ? " gather" : "")];
  }
  CHECK(compared.size() == 12);
  for (const auto& [what, count] : compared) CHECK(count >= (what.ends_with("gather") ? 225 : 288));
}

TEST_CASE("The weights of a filter are 256 together, and a half goes to the texel that is farther along x") {
  for (int x = 0; x < 256; x += 5) {
    for (int y = 0; y < 256; y += 7) {
      for (const int z : {0, 1, 46, 128, 255}) {
        int sum = 0;
        for (const int weight : weights_of({x, y, z})) sum += weight;
        CHECK(sum == 256);
      }
    }
  }
  // Seen on an H200: 18.5, 55.5, 45.5 and 136.5 of 256 in the columns.
  CHECK(weights_of({192, 51, 182}) == Weights{14, 45, 4, 11, 36, 110, 9, 27});
  CHECK(weights_of({35, 152, 128}) == Weights{45, 7, 65, 11, 45, 7, 65, 11});
}

TEST_CASE(
    "A filter of singles cuts off what lies 4 bits behind the last one of the largest, and rounds halves away from "
    "zero") {
  const auto single = [](int weight, std::uint32_t texel, std::uint32_t other) {
    return filtered_channel({TexelFormat::Kind::floating, 32, 1},
                            std::array{WeightedTexel{256 - weight, texel, false}, WeightedTexel{weight, other, false}});
  };
  CHECK(single(64, 0xca7c4fa6, 0) == 0xca3d3bbd);
  CHECK(single(64, 0x365f6daf, 0x3f659cd1) == 0x3e659d78);
  // No sign is left where a zero of the other sign takes part.
  CHECK(single(64, 0x807fffff, 0x0003eb0f) == 0);
  CHECK(single(64, 0x807fffff, 0x8003eb0f) == 0x80000000);
}
