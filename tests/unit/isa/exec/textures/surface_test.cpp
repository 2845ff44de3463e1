// Surface loads and stores.
#include "tests/unit/isa/exec/textures/run.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;

namespace {

/// 4 x 3 words of value 10 y + x.
TextureProgram words(const std::string& body) {
  TextureProgram p;
  std::vector<std::uint32_t> values;
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 4; ++x) values.push_back(10 * y + x);
  }
  p.data = bytes_of(values);
  p.texture = texture_of("u32", TextureLayout::array, 4, 3);
  p.body = body;
  p.threads = 6;
  return p;
}

const std::string column = "add.s32 %r1, %r0, -1; shl.b32 %r1, %r1, 2; mov.u32 %r2, 2;";  // x = -1 to 4, y = 2

}  // namespace

TEST_CASE("A surface load outside returns zero, the edge, or traps", "[texture]") {
  const auto load = [](const std::string& mode) {
    return words(column + "suld.b.2d.b32." + mode + " {%r4}, [%rd2, {%r1, %r2}]; st.global.u32 [%rd1], %r4;");
  };
  CHECK(load("zero").first<std::uint32_t>() == std::vector<std::uint32_t>{0, 20, 21, 22, 23, 0});
  CHECK(load("clamp").first<std::uint32_t>() == std::vector<std::uint32_t>{20, 20, 21, 22, 23, 23});
  CHECK_THAT(load("trap").error(), Catch::Contains("surface load of 4 bytes at byte -4 is outside of surface 't'") &&
                                       Catch::Contains("thread (0,0,0)") && Catch::Contains("test.ptx:") &&
                                       Catch::Contains("texture array 't'"));
}

TEST_CASE("A surface load outside takes no part in the trace", "[texture]") {
  const auto recorded =
      words(column + "suld.b.2d.b32.zero {%r4}, [%rd2, {%r1, %r2}]; st.global.u32 [%rd1], %r4;").recorded();
  REQUIRE(recorded.size() == 1);
  CHECK(recorded[0].access.mask == 0b011110);
  CHECK(recorded[0].access.address[1] % 512 == 64);  // row 2 of a block
  CHECK(recorded[0].instruction.element_bytes == 4);
  CHECK(recorded[0].instruction.access == program::AccessKind::load);
}

TEST_CASE("A surface store outside is dropped, or goes to the edge", "[texture]") {
  const auto store = [](const std::string& mode) {
    return words(column + "add.s32 %r3, %r0, 90; sust.b.2d.b32." + mode + " [%rd2, {%r1, %r2}], {%r3};")
        .run<std::uint32_t>(0);
  };
  CHECK(store("zero") == std::vector<std::uint32_t>{0, 1, 2, 3, 10, 11, 12, 13, 91, 92, 93, 94});
  // Lanes 0 and 5 write to the first and the last column too, where their neighbours do: the lowest lane's value stays, as on an H200.
  const std::vector<std::uint32_t> clamped = store("clamp");
  CHECK(clamped[8] == 90);
  CHECK(clamped[11] == 94);
}

TEST_CASE("Bytes, half-words and vectors move as they are", "[texture]") {
  TextureProgram p = words(
      "mov.u32 %r1, 4; mov.u32 %r2, 1;"
      "suld.b.2d.v2.b32.trap {%r4, %r5}, [%rd2, {8, %r2}];"
      "suld.b.2d.v4.b8.trap {%h1, %h2, %h3, %h4}, [%rd2, {%r1, %r2}];"
      "suld.b.2d.b16.trap %h5, [%rd2, {%r1, %r2}];"
      "cvt.u32.u16 %r6, %h1; cvt.u32.u16 %r7, %h5; st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};"
      "sust.b.2d.v2.b8.trap [%rd2, {0, 0}], {%h1, %h5};");
  p.threads = 1;
  CHECK(p.run<std::uint32_t>() == std::vector<std::uint32_t>{12, 13, 11, 11});
  CHECK(p.run<std::uint8_t>(0)[0] == 11);
  CHECK(p.run<std::uint8_t>(0)[1] == 11);
}

TEST_CASE("Surfaces of one and three dimensions and of layers", "[texture]") {
  TextureProgram p = words("");
  p.threads = 1;
  p.texture = texture_of("u32", TextureLayout::array, 12);
  p.body = "suld.b.1d.b32.trap %r4, [%rd2, {20}]; st.global.u32 [%rd1], %r4;";
  CHECK(p.run<std::uint32_t>()[0] == 11);
  p.texture = texture_of("u32", TextureLayout::array, 2, 2, 3);
  p.body = "suld.b.3d.b32.trap %r4, [%rd2, {4, 1, 2, 0}]; st.global.u32 [%rd1], %r4;";
  CHECK(p.run<std::uint32_t>()[0] == 23);
  p.texture = texture_of("u32", TextureLayout::array, 2, 2);
  p.texture.layers = 3;
  p.body = "suld.b.a2d.b32.trap %r4, [%rd2, {2, 4, 1, 0}]; st.global.u32 [%rd1], %r4;";
  CHECK(p.run<std::uint32_t>()[0] == 23);
}

TEST_CASE("A surface access that is not aligned to its size is an error", "[texture]") {
  CHECK_THAT(words("suld.b.2d.b32.zero %r4, [%rd2, {2, 0}];").error(), Catch::Contains("must be a multiple of 4"));
}

TEST_CASE("What a surface store writes, the next fetch of the texture reads", "[texture]") {
  TextureProgram p = words(
      "shl.b32 %r1, %r0, 2; mov.u32 %r2, 1; sust.b.2d.b32.trap [%rd2, {%r1, %r2}], {%r0};"
      "tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r0, %r2}]; st.global.u32 [%rd1], %r4;");
  p.threads = 4;
  CHECK(p.first<std::uint32_t>() == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("Ordinary loads cannot reach an array", "[texture]") {
  // The array lies behind the two buffers, each followed by 1 MiB.
  TextureProgram p = words("ld.global.u32 %r4, [%rd0 + 1048832];");
  CHECK_THAT(p.error(), Catch::Contains("lies in an array"));
}
