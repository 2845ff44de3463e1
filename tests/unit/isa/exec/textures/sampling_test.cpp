// Sampling against the formulas of the CUDA C++ Programming Guide, "Texture Fetching", written down once more in the
// plainest way, and against values worked out by hand.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "isa/exec/textures/sampling.hpp"

using namespace lockstep::exec;

namespace {

/// A row of f32 texels in an array.
struct Row {
  explicit Row(std::vector<float> given, AddressMode mode, bool normalized, FilterMode filter)
      : values(std::move(given)) {
    texture.layout = TextureLayout::array;
    texture.width = values.size();
    texture.sampling.address.fill(mode);
    texture.sampling.normalized_coordinates = normalized;
    texture.sampling.filter = filter;
    placed = {&texture, reinterpret_cast<std::byte*>(values.data()), 0x1000};
  }
  Footprint footprint(float x) const {
    const Sampling& s = texture.sampling;
    Footprint f;
    f.axis[0] = axis_at(x, texture.width, s.address[0], s.normalized_coordinates, s.filter, 0);
    return f;
  }
  float at(float x) const { return std::bit_cast<float>(filtered(placed, texture.sampling, footprint(x))[0]); }

  std::vector<float> values;
  Texture texture;
  PlacedTexture placed;
};

/// T[i] of an endless row, by walking step by step.
double endless(const std::vector<float>& row, long i, AddressMode mode) {
  const long n = static_cast<long>(row.size());
  while (i < 0 || i >= n) {
    switch (mode) {
      case AddressMode::border: return 0;
      case AddressMode::clamp: i = i < 0 ? 0 : n - 1; break;
      case AddressMode::wrap: i += i < 0 ? n : -n; break;
      case AddressMode::mirror: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
    }
  }
  return row[static_cast<std::size_t>(i)];
}

const std::vector<float> ramp{10, 20, 40, 80, 160};

}  // namespace

TEST_CASE("A point is the texel whose number is the coordinate rounded down") {
  const Row row(ramp, AddressMode::clamp, false, FilterMode::point);
  CHECK(row.at(0.0F) == 10);
  CHECK(row.at(0.999F) == 10);
  CHECK(row.at(1.0F) == 20);
  CHECK(row.at(4.999F) == 160);
}

TEST_CASE("Outside of the row each address mode gives its own texel") {
  using Mode = AddressMode;
  const auto point = [](Mode mode, float x) { return Row(ramp, mode, true, FilterMode::point).at(x); };
  // Five texels of a width of 0.2: 1.1 is half a texel behind the end, -0.1 half a texel before the beginning.
  CHECK(point(Mode::clamp, 1.1F) == 160);
  CHECK(point(Mode::clamp, -0.1F) == 10);
  CHECK(point(Mode::wrap, 1.1F) == 10);
  CHECK(point(Mode::wrap, -0.1F) == 160);
  CHECK(point(Mode::wrap, 7.5F) == 40);
  CHECK(point(Mode::mirror, 1.1F) == 160);
  CHECK(point(Mode::mirror, 1.3F) == 80);
  CHECK(point(Mode::mirror, -0.1F) == 10);
  CHECK(point(Mode::mirror, -0.3F) == 20);
  CHECK(point(Mode::mirror, 2.1F) == 10);
  CHECK(point(Mode::border, 1.1F) == 0);
  CHECK(point(Mode::border, -0.1F) == 0);
  CHECK(point(Mode::border, 0.9F) == 160);
}

TEST_CASE("The exact ends of a row belong to the texel that the address mode says") {
  using Mode = AddressMode;
  const auto point = [](Mode mode, float x) { return Row(ramp, mode, true, FilterMode::point).at(x); };
  CHECK(point(Mode::wrap, 1.0F) == 10);
  CHECK(point(Mode::mirror, 1.0F) == 160);
  CHECK(point(Mode::clamp, 1.0F) == 160);
  CHECK(point(Mode::border, 1.0F) == 0);
  CHECK(point(Mode::wrap, -1e-30F) == 160);
}

TEST_CASE("Without normalized coordinates, wrap and mirror are clamp") {
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::mirror}) {
    const Row row(ramp, mode, false, FilterMode::point);
    CHECK(row.at(5.5F) == 160);
    CHECK(row.at(-3.0F) == 10);
  }
}

TEST_CASE("A coordinate that is no number counts as 0, and an endless one is outside") {
  const Row row(ramp, AddressMode::clamp, false, FilterMode::point);
  CHECK(row.at(NAN) == 10);
  CHECK(row.at(INFINITY) == 160);
  CHECK(row.at(-INFINITY) == 10);
  CHECK(Row(ramp, AddressMode::border, false, FilterMode::point).at(INFINITY) == 0);
  CHECK(Row(ramp, AddressMode::wrap, true, FilterMode::point).at(INFINITY) == 10);
}

TEST_CASE("A linear filter weighs two texels with 8 bits of fraction") {
  const Row row(ramp, AddressMode::clamp, false, FilterMode::linear);
  CHECK(row.at(0.5F) == 10);
  CHECK(row.at(1.0F) == 15);
  CHECK(row.at(2.25F) == 35);  // 1.75: a quarter of 20, three quarters of 40
  // 1/512 above a texel's middle is rounded up to 1/256, anything less is rounded down to 0.
  CHECK(row.at(1.5F + 1.0F / 512) == Approx(20 + 20.0 / 256).epsilon(1e-7));
  CHECK(row.at(1.5F + 1.0F / 513) == 20);
  // 511/512 above: the weight is 1 exactly.
  CHECK(row.at(1.5F + 511.0F / 512) == 40);
}

TEST_CASE("A linear filter at the edges mixes in what the address mode puts there") {
  const auto linear = [](AddressMode mode, float x) { return Row(ramp, mode, true, FilterMode::linear).at(x); };
  // Coordinate 0 lies half a texel before the middle of texel 0.
  CHECK(linear(AddressMode::clamp, 0) == 10);
  CHECK(linear(AddressMode::wrap, 0) == 85);
  CHECK(linear(AddressMode::mirror, 0) == 10);
  CHECK(linear(AddressMode::border, 0) == 5);
  CHECK(linear(AddressMode::clamp, 1) == 160);
  CHECK(linear(AddressMode::wrap, 1) == 85);
  CHECK(linear(AddressMode::mirror, 1) == 160);
  CHECK(linear(AddressMode::border, 1) == 80);
}

TEST_CASE("Sampling agrees with an endless row in every mode, filter and kind of coordinates") {
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
    for (const bool normalized : {false, true}) {
      for (const FilterMode filter : {FilterMode::point, FilterMode::linear}) {
        // Eight texels, so that multiples of 1/4096 hit texel positions exactly when normalized, too.
        const std::vector<float> values{3, 1, 4, 1, 5, 9, 2, 6};
        const Row row(values, mode, normalized, filter);
        const AddressMode used =
            !normalized && (mode == AddressMode::wrap || mode == AddressMode::mirror) ? AddressMode::clamp : mode;
        for (int step = -20000; step <= 20000; step += 7) {
          const float x = static_cast<float>(step) / 4096.0F * (normalized ? 1.0F : 8.0F);
          const double position = normalized ? double{x} * 8 : double{x};
          double expected = 0;
          if (filter == FilterMode::point) {
            expected = endless(values, std::lround(std::floor(position)), used);
          } else {
            const double below = std::floor(position - 0.5);
            const double alpha = std::round((position - 0.5 - below) * 256) / 256;
            expected = (1 - alpha) * endless(values, std::lround(below), used) +
                       alpha * endless(values, std::lround(below) + 1, used);
          }
          INFO("mode " << name_of(mode) << ", x " << x);
          REQUIRE(row.at(x) == static_cast<float>(expected));
        }
      }
    }
  }
}

TEST_CASE("A mirrored coordinate gives what the coordinate inside gives") {
  for (const FilterMode filter : {FilterMode::point, FilterMode::linear}) {
    const Row row(ramp, AddressMode::mirror, true, filter);
    // Odd steps, so that no coordinate is a whole texel and no weight a tie.
    for (int step = 1; step < 1024; step += 2) {
      const float x = static_cast<float>(step) / 1024.0F;
      REQUIRE(row.at(2 + x) == row.at(x));
      REQUIRE(row.at(-x) == row.at(x));
      REQUIRE(row.at(2 - x) == row.at(x));
      REQUIRE(row.at(4 - x) == row.at(x));
    }
  }
}

TEST_CASE("At a whole texel the number is mirrored, not the coordinate") {
  const Row row(ramp, AddressMode::mirror, true, FilterMode::point);
  // -1 is texel -5, the mirror of texel 4; -2 is texel -10, the mirror of texel 0 of the period before.
  CHECK(row.at(-1.0F) == 160);
  CHECK(row.at(-2.0F) == 10);
}

TEST_CASE("A bilinear filter weighs four texels") {
  std::vector<float> image{0, 256, 512, 1024};  // 2 x 2
  Texture texture;
  texture.layout = TextureLayout::array;
  texture.width = texture.height = 2;
  const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(image.data()), 0};
  Footprint f;
  f.axis[0] = axis_at(0.75F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  f.axis[1] = axis_at(1.0F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  // x 1/4 of the way, y half: (0*3/4 + 256/4)/2 + (512*3/4 + 1024/4)/2 = 32 + 320
  CHECK(std::bit_cast<float>(filtered(placed, texture.sampling, f)[0]) == 352);
}

TEST_CASE("A trilinear filter weighs eight texels") {
  std::vector<float> cube{0, 1, 2, 3, 4, 5, 6, 7};
  Texture texture;
  texture.layout = TextureLayout::array;
  texture.width = texture.height = texture.depth = 2;
  const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(cube.data()), 0};
  Footprint f;
  for (auto& axis : f.axis) axis = axis_at(1.0F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  CHECK(std::bit_cast<float>(filtered(placed, texture.sampling, f)[0]) == 3.5F);
  f.axis[2] = axis_at(0.5F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  CHECK(std::bit_cast<float>(filtered(placed, texture.sampling, f)[0]) == 1.5F);
}

TEST_CASE("Every format is read as its type says, and missing channels are 0") {
  struct Case {
    const char* format;
    bool normalized;
    std::vector<std::uint8_t> bytes;
    std::array<std::uint32_t, 4> expected;
  };
  const auto f = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  const std::uint32_t one = f(1.0F);
  const std::vector<Case> cases{
      {"u8", false, {200}, {200, 0, 0, 0}},
      {"s8", false, {200}, {0xffffffc8, 0, 0, 0}},
      {"u8x4", false, {1, 2, 3, 255}, {1, 2, 3, 255}},
      {"s8x2", false, {255, 127}, {0xffffffff, 127, 0, 0}},
      {"u16", false, {0x34, 0x92}, {0x9234, 0, 0, 0}},
      {"s16", false, {0x34, 0x92}, {0xffff9234, 0, 0, 0}},
      {"u16x2", false, {1, 0, 2, 0}, {1, 2, 0, 0}},
      {"u32", false, {4, 3, 2, 0xf1}, {0xf1020304, 0, 0, 0}},
      {"s32x2", false, {4, 3, 2, 0xf1, 1, 0, 0, 0}, {0xf1020304, 1, 0, 0}},
      {"f16", false, {0x00, 0x3e}, {f(1.5F), 0, 0, 0}},
      {"f16x2", false, {0x00, 0x3e, 0x00, 0xc0}, {f(1.5F), f(-2.0F), 0, 0}},
      // NaNs keep their bits (an H200: ffff, fe01, 7f80).
      {"f16x4",
       false,
       {0xff, 0xff, 0x01, 0xfe, 0x80, 0x7f, 0x01, 0x00},
       {0xffffe000, 0xffc02000, 0x7ff00000, 0x33800000}},
      {"f32", false, {0, 0, 0xc0, 0x3f}, {f(1.5F), 0, 0, 0}},
      {"u8", true, {255}, {one, 0, 0, 0}},
      {"u8x2", true, {51, 0}, {f(51.0F / 255.0F), 0, 0, 0}},
      {"s8", true, {0x80}, {f(-1.0F), 0, 0, 0}},
      {"s8x4", true, {0x81, 127, 0, 64}, {f(-1.0F), one, 0, f(64.0F / 127.0F)}},
      {"u16", true, {0xff, 0xff}, {one, 0, 0, 0}},
      {"s16x2", true, {0x00, 0x80, 0xff, 0x7f}, {f(-1.0F), one, 0, 0}},
  };
  for (const Case& c : cases) {
    INFO(c.format);
    Texture texture;
    REQUIRE(texel_format_named(c.format, texture.format));
    CHECK(name_of(texture.format) == c.format);
    texture.width = 1;
    texture.sampling.normalized_read = c.normalized;
    REQUIRE(texture.format.bytes() == c.bytes.size());
    std::vector<std::uint8_t> bytes = c.bytes;
    const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(bytes.data()), 0};
    CHECK(filtered(placed, texture.sampling, Footprint{}) == c.expected);
  }
}

TEST_CASE("A gather returns one channel of four texels counter-clockwise from the lower left") {
  std::vector<std::uint8_t> image{1, 11, 2, 12, 3, 13, 4, 14};  // 2 x 2 of two channels
  Texture texture;
  texel_format_named("u8x2", texture.format);
  texture.layout = TextureLayout::array;
  texture.width = texture.height = 2;
  const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(image.data()), 0};
  Footprint f;
  f.axis[0] = f.axis[1] = axis_at(1.0F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  CHECK(gathered(placed, texture.sampling, f, 0) == TexelBits{3, 4, 2, 1});
  CHECK(gathered(placed, texture.sampling, f, 1) == TexelBits{13, 14, 12, 11});
  CHECK(gathered(placed, texture.sampling, f, 3) == TexelBits{0, 0, 0, 0});
}

// Values that an H200 left in the random kernels of tests/differential.
TEST_CASE("Gathers and filters see other numbers than points: NaN, subnormals, signed bytes, halves") {
  Texture texture;
  texture.layout = TextureLayout::array;
  texture.width = texture.height = 1;
  Footprint f;
  f.axis[0] = f.axis[1] = axis_at(0.5F, 1, AddressMode::clamp, false, FilterMode::linear, 0);
  const auto gather = [&](const char* format, bool normalized, std::vector<std::uint8_t> bytes) {
    REQUIRE(texel_format_named(format, texture.format));
    texture.sampling.normalized_read = normalized;
    const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(bytes.data()), 0};
    const std::uint32_t first = gathered(placed, texture.sampling, f, 0)[0];
    if (format[0] == 'f') CHECK(filtered(placed, texture.sampling, f)[0] == first);
    return first;
  };
  CHECK(gather("f16", false, {0x80, 0xff}) == 0x7fffe000);
  CHECK(gather("f16", false, {0x01, 0x00}) == 0x33800000);
  CHECK(gather("f32", false, {0x01, 0x00, 0xc0, 0xff}) == 0x7fffffff);
  CHECK(gather("f32", false, {0x01, 0x00, 0x00, 0x80}) == 0x80000000);
  CHECK(gather("s8", true, {0xff}) == 0xbc010102);
  CHECK(gather("s8", true, {0xaa}) == 0xbf2d5b5b);
  CHECK(gather("s8", true, {0x80}) == 0xbf800000);
}

TEST_CASE("A filter of halves gives halves") {
  std::vector<std::uint16_t> row{0x3c00, 0x3c01};  // 1 and 1 + 2^-10
  Texture texture;
  texel_format_named("f16", texture.format);
  texture.layout = TextureLayout::array;
  texture.width = 2;
  const PlacedTexture placed{&texture, reinterpret_cast<std::byte*>(row.data()), 0};
  Footprint f;
  f.axis[0] = axis_at(0.75F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  CHECK(filtered(placed, texture.sampling, f)[0] == std::bit_cast<std::uint32_t>(1.0F));
  f.axis[0] = axis_at(1.25F, 2, AddressMode::clamp, false, FilterMode::linear, 0);
  CHECK(filtered(placed, texture.sampling, f)[0] == std::bit_cast<std::uint32_t>(1.0F + 0x1p-10F));
}

TEST_CASE("The address of a fetch is that of its first texel inside") {
  const Row row(ramp, AddressMode::border, false, FilterMode::linear);
  std::uint64_t address = 0;
  REQUIRE(first_address(row.placed, row.footprint(2.0F), address));
  CHECK(address == 0x1000 + 4);
  REQUIRE(first_address(row.placed, row.footprint(0.25F), address));
  CHECK(address == 0x1000);  // texel -1 is the border
  CHECK_FALSE(first_address(row.placed, row.footprint(-3.0F), address));
}

TEST_CASE("A texture that no GPU can sample is refused with the reason") {
  Texture good;
  good.layout = TextureLayout::array;
  good.width = good.height = 16;
  CHECK(texture_problem(good, 1024).empty());
  CHECK_THAT(texture_problem(good, 1023), Catch::Contains("1024 bytes") && Catch::Contains("has 1023"));
  Texture linear = good;
  linear.layout = TextureLayout::linear;
  CHECK_THAT(texture_problem(linear, 1024), Catch::Contains("one dimension"));
  linear.height = 0;
  CHECK(texture_problem(linear, 64).empty());
  linear.sampling.filter = FilterMode::linear;
  CHECK_THAT(texture_problem(linear, 64), Catch::Contains("neither filtering"));
  Texture integers = good;
  texel_format_named("u8", integers.format);
  integers.sampling.filter = FilterMode::linear;
  CHECK_THAT(texture_problem(integers, 1024), Catch::Contains("floating-point"));
  integers.sampling.normalized_read = true;
  CHECK(texture_problem(integers, 1024).empty());
  Texture narrow = good;
  narrow.layout = TextureLayout::pitch;
  narrow.pitch_bytes = 60;
  CHECK_THAT(texture_problem(narrow, 1024), Catch::Contains("less than a row"));
  narrow.pitch_bytes = 68;
  CHECK(texture_problem(narrow, 15 * 68 + 64).empty());
  CHECK_FALSE(texture_problem(narrow, 15 * 68 + 63).empty());
}
