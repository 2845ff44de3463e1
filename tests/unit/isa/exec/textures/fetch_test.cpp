// Texture fetches from PTX to values and to the trace.
#include "tests/unit/isa/exec/textures/run.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;

namespace {

const std::string store_f = "st.global.v4.f32 [%rd1], {%f4, %f5, %f6, %f7};";
const std::string store_u = "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};";

TextureProgram linear_of_ints() {
  TextureProgram p;
  p.data = bytes_of(std::vector<std::int32_t>{7, -8, 9});
  p.texture = texture_of("s32", TextureLayout::linear, 3);
  p.body = "add.s32 %r1, %r0, -1; tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r1}];" + store_u;
  p.threads = 5;
  return p;
}

/// 4 x 3 texels of value 10 y + x.
TextureProgram image(const std::string& body) {
  TextureProgram p;
  std::vector<float> values;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) values.push_back(static_cast<float>(10 * y + x));
  }
  p.data = bytes_of(values);
  p.texture = texture_of("f32", TextureLayout::array, 4, 3);
  p.body = body;
  return p;
}

const std::string fetch_2d = "mov.f32 %f1, 0f3FC00000; tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0, %f1}];";

}  // namespace

TEST_CASE("tex1Dfetch reads linear memory and returns 0 outside of it", "[texture]") {
  const TextureProgram p = linear_of_ints();
  CHECK(p.run<std::int32_t>() ==
        std::vector<std::int32_t>{0, 0, 0, 0, 7, 0, 0, 0, -8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("The trace of a fetch holds the texels' addresses of the lanes that touch memory", "[texture]") {
  const auto recorded = linear_of_ints().recorded();
  REQUIRE(recorded.size() == 1);
  CHECK(recorded[0].access.mask == 0b01110);
  CHECK(recorded[0].access.address[1] == 0x1'0000'0000);
  CHECK(recorded[0].access.address[3] == 0x1'0000'0008);
  CHECK(recorded[0].instruction.access == program::AccessKind::load);
  CHECK(recorded[0].instruction.element_bytes == 4);
  CHECK(recorded[0].instruction.vector_elements == 1);
}

TEST_CASE("A two-dimensional fetch takes the texel under its coordinates", "[texture]") {
  TextureProgram p = image(fetch_2d + store_f);
  CHECK(p.first<float>() == std::vector<float>{10, 11, 12, 13});
  p.texture.layout = TextureLayout::pitch;
  CHECK(p.first<float>() == std::vector<float>{10, 11, 12, 13});
}

TEST_CASE("The trace follows the layout: rows of pitch-linear memory, blocks of an array", "[texture]") {
  TextureProgram p = image(fetch_2d + store_f);
  const auto of_array = p.recorded();
  REQUIRE(of_array.size() == 1);
  // Row 1 of the first block stands 16 bytes behind row 0; four f32 texels fill these 16 bytes.
  CHECK(of_array[0].access.address[0] % 512 == 16);
  CHECK(of_array[0].access.address[3] == of_array[0].access.address[0] + 12);
  p.texture.layout = TextureLayout::pitch;
  const auto of_pitch = p.recorded();
  CHECK(of_pitch[0].access.address[0] == 0x1'0000'0000 + 16);
  CHECK(of_pitch[0].access.address[3] == 0x1'0000'0000 + 28);
}

TEST_CASE("A linear filter counts its whole footprint from its first texel", "[texture]") {
  TextureProgram p = image(
      "add.f32 %f1, %f0, 0f3F800000;"
      "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f1, %f1}];" +
      store_f);
  p.threads = 2;
  p.texture.sampling.filter = FilterMode::linear;
  CHECK(p.first<float>() == std::vector<float>{5.5F, 16.5F});
  const auto recorded = p.recorded();
  CHECK(recorded[0].instruction.element_bytes == 4);
  CHECK(recorded[0].instruction.vector_elements == 4);
  CHECK(recorded[0].access.address[0] % 512 == 0);
  CHECK(recorded[0].access.address[1] % 512 == 20);
}

TEST_CASE("Lanes that fetch nothing but the border touch no memory", "[texture]") {
  TextureProgram p = image(
      "add.f32 %f1, %f0, 0fBF800000; mov.f32 %f2, 0f00000000;"
      "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f1, %f2}];" +
      store_f);
  p.threads = 6;
  p.texture.sampling.address.fill(AddressMode::border);
  CHECK(p.run<float>()[0] == 0);
  CHECK(p.run<float>()[3] == 0);
  CHECK(p.run<float>()[4 * 4] == 3);
  CHECK(p.recorded()[0].access.mask == 0b011110);
}

TEST_CASE("Three dimensions and layers choose the slice", "[texture]") {
  TextureProgram p;
  std::vector<std::uint16_t> values(2 * 2 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(100 + i);
  p.data = bytes_of(values);
  p.texture = texture_of("u16", TextureLayout::array, 2, 2, 3);
  p.threads = 4;
  p.body = "mov.f32 %f1, 0f3F800000; tex.3d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%f1, %f1, %f0, %f0}];" + store_u;
  CHECK(p.first<std::uint32_t>() == std::vector<std::uint32_t>{103, 107, 111, 111});

  p.texture = texture_of("u16", TextureLayout::array, 2, 2);
  p.texture.layers = 3;
  p.body = "mov.f32 %f1, 0f3F800000; tex.a2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0, %f1, %f1, %f1}];" + store_u;
  CHECK(p.first<std::uint32_t>() == std::vector<std::uint32_t>{103, 107, 111, 111});

  p.texture = texture_of("u16", TextureLayout::array, 4);
  p.texture.layers = 3;
  p.body = "mov.f32 %f1, 0f3F800000; tex.a1d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0, %f1}];" + store_u;
  CHECK(p.first<std::uint32_t>() == std::vector<std::uint32_t>{101, 105, 109, 109});
}

// What an H200 (driver 580.159.04, 2026-11-23) did in the random kernels of tests/differential, each rule in many seeds.

TEST_CASE("A fetch of integer coordinates outside of an array is 0 in every address mode, with .level the edge",
          "[texture]") {
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
    for (const bool normalized : {false, true}) {
      INFO(name_of(mode) << " " << normalized);
      TextureProgram p = image(
          "add.s32 %r1, %r0, 2; mov.u32 %r2, 1;"
          "tex.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd2, {%r1, %r2}];" +
          store_f);
      p.texture.sampling.address.fill(mode);
      p.texture.sampling.normalized_coordinates = normalized;
      CHECK(p.first<float>() == std::vector<float>{12, 13, 0, 0});
      p.body =
          "add.s32 %r1, %r0, 2; mov.u32 %r2, 1; mov.u32 %r3, 0;"
          "tex.level.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd2, {%r1, %r2}], %r3;" +
          store_f;
      CHECK(p.first<float>() == std::vector<float>{12, 13, 13, 13});
      p.body =
          "add.s32 %r1, %r0, 1; mov.u32 %r2, 2; mov.u32 %r3, 0; mov.u32 %r4, -3;"
          "tex.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd2, {%r1, %r2}], {%r4, %r3};" +
          store_f;
      CHECK(p.first<float>() == std::vector<float>{0, 0, 20, 21});
    }
  }
}

TEST_CASE("Beside integer coordinates a layer outside gives 0, beside real ones and with .level the last",
          "[texture]") {
  TextureProgram p;
  p.data = bytes_of(std::vector<std::int32_t>{1, 2, 3, 4});
  p.texture = texture_of("s32", TextureLayout::array, 2);
  p.texture.layers = 2;
  p.body = "mov.u32 %r1, 1; tex.a1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0, %r1}];" + store_u;
  CHECK(p.first<std::int32_t>() == std::vector<std::int32_t>{2, 4, 0, 0});
  p.body = "mov.u32 %r1, 1; mov.u32 %r2, 0; tex.level.a1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0, %r1}], %r2;" +
           store_u;
  CHECK(p.first<std::int32_t>() == std::vector<std::int32_t>{2, 4, 4, 4});
  p.body = "mov.f32 %f1, 0f3F800000; tex.a1d.v4.s32.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0, %f1}];" + store_u;
  CHECK(p.first<std::int32_t>() == std::vector<std::int32_t>{2, 4, 4, 4});
}

TEST_CASE("Integer coordinates find nothing in an array of one dimension", "[texture]") {
  TextureProgram p = linear_of_ints();
  p.texture.layout = TextureLayout::array;
  CHECK(p.run<std::int32_t>() == std::vector<std::int32_t>(20, 0));
  CHECK(p.recorded()[0].access.mask == 0);
  p.body = "tex.level.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0}], %r0;" + store_u;
  p.threads = 1;
  CHECK(p.first<std::int32_t>() == std::vector<std::int32_t>{0});
  p.body = "tex.1d.v4.s32.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%f0}];" + store_u;
  CHECK(p.first<std::int32_t>() == std::vector<std::int32_t>{7});
}

TEST_CASE("Offsets are added in texels", "[texture]") {
  const TextureProgram p = image(
      "mov.f32 %f1, 0f3F800000; mov.u32 %r1, 1; mov.u32 %r2, -1;"
      "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0, %f1}], {%r1, %r2};" +
      store_f);
  CHECK(p.first<float>() == std::vector<float>{1, 2, 3, 3});
}

TEST_CASE("Only level 0 of detail exists", "[texture]") {
  const auto level = [](const std::string& lod) {
    return image("mov.f32 %f1, 0f3FC00000; mov.f32 %f2, " + lod +
                 "; tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0, %f1}], %f2;" + store_f);
  };
  CHECK(level("0f00000000").first<float>() == std::vector<float>{10, 11, 12, 13});
  CHECK(level("0fBF800000").first<float>() == std::vector<float>{10, 11, 12, 13});
  CHECK_THAT(level("0f3F800000").error(), Catch::Contains("level of detail 1") && Catch::Contains("level 0 only"));

  const auto gradient = [](const std::string& g) {
    return image("mov.f32 %f1, 0f3FC00000; mov.f32 %f2, " + g +
                 "; tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0, %f1}], {%f2, %f2}, {%f2, %f2};" +
                 store_f);
  };
  CHECK(gradient("0f3F000000").first<float>() == std::vector<float>{10, 11, 12, 13});
  CHECK_THAT(gradient("0f40000000").error(), Catch::Contains("level of detail 1.5"));
}

TEST_CASE("A gather fetches the four texels of a bilinear footprint", "[texture]") {
  const TextureProgram p = image(
      "add.f32 %f1, %f0, 0f3F800000; mov.f32 %f2, 0f3F800000;"
      "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f1, %f2}];" +
      store_f);
  const std::vector<float> out = p.run<float>();
  CHECK(std::vector<float>(out.begin(), out.begin() + 4) == std::vector<float>{10, 11, 1, 0});
  CHECK(std::vector<float>(out.begin() + 12, out.begin() + 16) == std::vector<float>{13, 13, 3, 3});
  CHECK(p.recorded()[0].instruction.vector_elements == 4);
}

TEST_CASE("Results may be dropped, and the texels are always resident", "[texture]") {
  const TextureProgram p = image(
      "mov.f32 %f1, 0f3FC00000; tex.2d.v4.f32.f32 {%f4, _, _, _}|%p1, [%rd2, {%f0, %f1}];"
      "selp.f32 %f5, 0f40000000, 0f00000000, %p1; mov.f32 %f6, %f5; mov.f32 %f7, %f5;" +
      store_f);
  CHECK(p.run<float>()[0] == 10);
  CHECK(p.run<float>()[1] == 2);
}

TEST_CASE("A reference stands for the texture of its name", "[texture]") {
  TextureProgram p =
      image("mov.f32 %f1, 0f3FC00000; tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [photo, {%f0, %f1}];" + store_f);
  p.pass_texture = false;
  p.before = ".global .texref photo;";
  p.texture.name = "photo";
  CHECK(p.first<float>() == std::vector<float>{10, 11, 12, 13});
  CHECK(p.recorded()[0].instruction.element_bytes == 4);

  SECTION("by its address in a register, too") {
    p.body = "mov.u64 %rd5, photo; " + fetch_2d + store_f;
    p.body.replace(p.body.find("[%rd2"), 5, "[%rd5");
    CHECK(p.first<float>() == std::vector<float>{10, 11, 12, 13});
  }
  SECTION("declared as .tex in old PTX") {
    p.before = ".tex .u32 photo;";
    CHECK(p.first<float>() == std::vector<float>{10, 11, 12, 13});
  }
  SECTION("and without one the message says which textures there are") {
    p.texture.name = "foto";
    CHECK_THAT(p.error(), Catch::Contains("nothing is bound to the reference 'photo'") &&
                              Catch::Contains("did you mean 'foto'?") && Catch::Contains("thread (0,0,0)") &&
                              Catch::Contains("test.ptx:"));
  }
}

TEST_CASE("A texture may be a .texref parameter", "[texture]") {
  TextureProgram p = image("");
  p.body = "mov.f32 %f1, 0f3FC00000; tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [t, {%f0, %f1}];" + store_f;
  CHECK(p.first<float>() == std::vector<float>{10, 11, 12, 13});
}

TEST_CASE("In independent mode a sampler variable says how the texture is sampled", "[texture]") {
  TextureProgram p = image(
      "add.f32 %f1, %f0, 0f40600000; mov.f32 %f2, 0f3F000000;"  // x = 3.5, 4.5, ...; y = 0.5
      "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [photo, mode, {%f1, %f2}];" +
      store_f);
  p.head = ".version 8.0\n.target sm_90, texmode_independent\n.address_size 64\n";
  p.pass_texture = false;
  p.texture.name = "photo";
  p.before =
      ".global .texref photo; .global .samplerref mode = { addr_mode_0 = clamp_to_border, addr_mode_1 = "
      "clamp_to_edge, filter_mode = nearest };";
  CHECK(p.first<float>() == std::vector<float>{3, 0, 0, 0});
  p.before =
      ".global .texref photo; .global .samplerref mode = { addr_mode_0 = clamp_to_border, filter_mode = linear, "
      "force_unnormalized_coords = 1 };";
  p.texture.sampling.normalized_coordinates = true;
  p.body =
      "add.f32 %f1, %f0, 0f40800000; mov.f32 %f2, 0f3F000000;"  // x = 4, 5, ...
      "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [photo, mode, {%f1, %f2}];" +
      store_f;
  CHECK(p.first<float>() == std::vector<float>{1.5F, 0, 0, 0});
  CHECK(p.recorded()[0].instruction.vector_elements == 4);
}

TEST_CASE("A fetch of the wrong type is an error that names both types", "[texture]") {
  TextureProgram p = linear_of_ints();
  p.body = "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd2, {%r0}];" + store_f;
  CHECK_THAT(p.error(), Catch::Contains("returns .f32") && Catch::Contains("'t' of format s32 is read as integers"));
  p.texture = texture_of("f32", TextureLayout::linear, 3);
  CHECK(p.error().empty());
  p.body = "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0}];" + store_u;
  CHECK_THAT(p.error(), Catch::Contains("returns .u32") && Catch::Contains("fetch it as .f32"));
}

TEST_CASE("A fetch through something that is no texture names what it is", "[texture]") {
  TextureProgram p = image(fetch_2d + store_f);
  p.pass_texture = false;
  CHECK_THAT(p.error(), Catch::Contains("0x100000000 is not a texture or surface object") &&
                            Catch::Contains("buffer 'data'") && Catch::Contains("textures are 't'"));
}

TEST_CASE("The dimensions of instruction and texture must agree", "[texture]") {
  TextureProgram p = image("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0}];" + store_f);
  CHECK_THAT(p.error(), Catch::Contains(".1d names 1 dimension, but texture 't' has 2 dimensions"));
}

TEST_CASE("Linear memory is not sampled at fractions", "[texture]") {
  TextureProgram p = linear_of_ints();
  p.body = "tex.1d.v4.s32.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%f0}];" + store_u;
  CHECK_THAT(p.error(), Catch::Contains("tex1Dfetch"));
}

TEST_CASE("Queries return the properties of the texture", "[texture]") {
  TextureProgram p = image(
      "txq.width.b32 %r4, [%rd2]; txq.height.b32 %r5, [%rd2]; txq.channel_order.b32 %r6, [%rd2];"
      "txq.channel_data_type.b32 %r7, [%rd2];" +
      store_u);
  CHECK(p.run<std::uint32_t>()[0] == 4);
  CHECK(p.run<std::uint32_t>()[1] == 3);
  CHECK(p.run<std::uint32_t>()[2] == 0x10B0);  // CL_R
  CHECK(p.run<std::uint32_t>()[3] == 0x10DE);  // CL_FLOAT
}

TEST_CASE("Queries name sizes, formats and sampling by the numbers of OpenCL's cl.h", "[texture]") {
  const auto answer = [](TextureProgram p, const std::string& query) {
    p.body = "txq." + query + ".b32 %r4, [%rd2]; st.global.u32 [%rd1], %r4;";
    return p.run<std::uint32_t>()[0];
  };
  TextureProgram p;
  p.data.resize(4 * 3 * 2 * 4 * 4);
  p.texture = texture_of("f32", TextureLayout::array, 4, 3, 2);
  CHECK(answer(p, "width") == 4);
  CHECK(answer(p, "height") == 3);
  CHECK(answer(p, "depth") == 2);
  CHECK(answer(p, "array_size") == 0);
  CHECK(answer(p, "num_mipmap_levels") == 1);
  CHECK(answer(p, "num_samples") == 1);
  CHECK(answer(p, "memory_layout") == 1);
  CHECK(answer(p, "force_unnormalized_coords") == 0);
  CHECK(answer(p, "normalized_coords") == 0);
  CHECK(answer(p, "filter_mode") == 0x1140);  // CL_FILTER_NEAREST
  CHECK(answer(p, "addr_mode_1") == 0x1131);  // CL_ADDRESS_CLAMP_TO_EDGE
  p.texture.sampling.normalized_coordinates = true;
  p.texture.sampling.filter = FilterMode::linear;
  p.texture.sampling.address = {AddressMode::wrap, AddressMode::mirror, AddressMode::border};
  CHECK(answer(p, "normalized_coords") == 1);
  CHECK(answer(p, "filter_mode") == 0x1141);  // CL_FILTER_LINEAR
  CHECK(answer(p, "addr_mode_0") == 0x1133);  // CL_ADDRESS_REPEAT
  CHECK(answer(p, "addr_mode_1") == 0x1134);  // CL_ADDRESS_MIRRORED_REPEAT
  CHECK(answer(p, "addr_mode_2") == 0x1132);  // CL_ADDRESS_CLAMP
  p.texture = texture_of("f32", TextureLayout::array, 4, 3);
  p.texture.layers = 2;
  CHECK(answer(p, "array_size") == 2);
  p.texture = texture_of("f32", TextureLayout::linear, 4);
  CHECK(answer(p, "memory_layout") == 0);
  CHECK(answer(p, "height") == 0);

  const std::pair<const char*, std::uint32_t> types[] = {{"s8", 0x10D7},  {"s16", 0x10D8}, {"s32", 0x10D9},
                                                         {"u8", 0x10DA},  {"u16", 0x10DB}, {"u32", 0x10DC},
                                                         {"f16", 0x10DD}, {"f32", 0x10DE}};
  const std::pair<const char*, std::uint32_t> normalized[] = {
      {"s8", 0x10D0}, {"s16", 0x10D1}, {"u8", 0x10D2}, {"u16", 0x10D3}};
  const std::pair<const char*, std::uint32_t> orders[] = {{"u8", 0x10B0}, {"u8x2", 0x10B2}, {"u8x4", 0x10B5}};
  for (const auto& [format, number] : types) {
    CAPTURE(format);
    p.texture = texture_of(format, TextureLayout::array, 4, 3);
    CHECK(answer(p, "channel_data_type") == number);
  }
  for (const auto& [format, number] : normalized) {
    CAPTURE(format);
    p.texture = texture_of(format, TextureLayout::array, 4, 3);
    p.texture.sampling.normalized_read = true;
    CHECK(answer(p, "channel_data_type") == number);
  }
  for (const auto& [format, number] : orders) {
    CAPTURE(format);
    p.texture = texture_of(format, TextureLayout::array, 4, 3);
    CHECK(answer(p, "channel_order") == number);
  }
}

TEST_CASE("What is not supported is an error at the instruction", "[texture]") {
  const auto error = [](const std::string& instruction) { return image(instruction).error(); };
  CHECK_THAT(error("tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0, %f0, %f0, %f0}];"),
             Catch::Contains("test.ptx:") && Catch::Contains(".cube are not supported"));
  CHECK_THAT(error("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0, %f0}], %f1;"),
             Catch::Contains("depth is not supported"));
  CHECK_THAT(error("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f0}];"),
             Catch::Contains(".2d takes 2 coordinates, not 1"));
}

TEST_CASE("An unknown field or value of a sampler is an error with the nearest name", "[texture]") {
  TextureProgram p = image("");
  p.before = ".global .samplerref s = { filter_mod = linear };";
  CHECK_THAT(p.error(), Catch::Contains("test.ptx:4:") && Catch::Contains("did you mean 'filter_mode'?"));
  p.before = ".global .samplerref s = { filter_mode = cubic };";
  CHECK_THAT(p.error(), Catch::Contains("'cubic' is not a filter mode") && Catch::Contains("nearest, linear"));
}
