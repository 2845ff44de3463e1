// Sampling against what a real GPU returned: tools/capture/texture_sweep.cu on an H200 (compute capability 9.0).
#include <bit>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <vector>

#include "isa/exec/textures/sampling.hpp"

#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::exec;

namespace {

/// One line of the samples: a texture and a way of sampling it, then coordinates and values.
struct Sweep {
  unsigned dimensions = 0;
  AddressMode mode{};
  FilterMode filter{};
  bool normalized = false;
  std::vector<std::pair<float, float>> samples;
};

std::vector<Sweep> read_sweeps() {
  std::ifstream file(source_dir() + "/tests/unit/isa/exec/textures/inputs/h200_samples.txt");
  std::vector<Sweep> sweeps;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Sweep sweep;
    std::string mode, filter, sample;
    words >> sweep.dimensions >> mode >> filter >> sweep.normalized;
    for (const AddressMode m : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
      if (name_of(m) == mode) sweep.mode = m;
    }
    sweep.filter = filter == "linear" ? FilterMode::linear : FilterMode::point;
    while (words >> sample) {
      const auto bits = [&](std::size_t at) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(sample.substr(at, 8), nullptr, 16)));
      };
      sweep.samples.emplace_back(bits(0), bits(9));
    }
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

float sampled(const Sweep& sweep, float x) {
  static std::vector<float> texels = [] {
    std::vector<float> values;
    for (int i = 0; i < 8 * 4 * 4; ++i) {
      values.push_back(static_cast<float>((7 * (i % 8) + 13 * (i / 8 % 4) + 29 * (i / 32)) * 37 % 101));
    }
    return values;
  }();
  Texture texture;
  texture.layout = TextureLayout::array;
  texture.width = 8;
  if (sweep.dimensions > 1) texture.height = 4;
  if (sweep.dimensions > 2) texture.depth = 4;
  const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(texels.data()), 0};
  Footprint footprint;
  const float coordinates[] = {x, x * 0.75F, x * 0.625F};
  const std::uint64_t extents[] = {8, 4, 4};
  for (unsigned d = 0; d < sweep.dimensions; ++d) {
    footprint.axis[d] = axis_at(coordinates[d], extents[d], sweep.mode, sweep.normalized, sweep.filter, 0);
  }
  return std::bit_cast<float>(filtered(placed, texture.sampling, footprint)[0]);
}

}  // namespace

TEST_CASE("The samples cover every mode, filter and number of dimensions") {
  const std::vector<Sweep> sweeps = read_sweeps();
  CHECK(sweeps.size() == 3 * 4 * 2 * 2);
  for (const Sweep& sweep : sweeps) CHECK(sweep.samples.size() == 96);
}

TEST_CASE("Textures of one, two and three dimensions return the bits of an H200") {
  for (const Sweep& sweep : read_sweeps()) {
    for (const auto& [x, value] : sweep.samples) {
      INFO(sweep.dimensions << " " << name_of(sweep.mode) << " " << name_of(sweep.filter) << " " << sweep.normalized
                            << " at " << x);
      CHECK(sampled(sweep, x) == value);
    }
  }
}
