// Pictures that workloads leave.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/workload/buffers/image.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::picture_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;
using Samples = std::vector<std::uint16_t>;

namespace {

const char* const kernel = ".version 6.4\n.target sm_35\n.address_size 64\n.visible .entry nothing() { ret; }\n";

/// The one picture of a descriptor with these buffers.
Picture picture(const std::string& buffers, const std::string& spec) {
  const test::TemporaryFolder folder;
  folder.write("k.ptx", kernel);
  const Workload workload =
      Workload::load(folder.write("case.yaml", "kernel: k.ptx\ngrid: 1\nblock: 1\nbuffers: {" + buffers +
                                                   "}\npictures: {shown: {" + spec + "}}\n"));
  CHECK(workload.picture_names() == std::vector<std::string>{"shown"});
  exec::Machine machine(workload.build({}));
  machine.finish();
  std::vector<Picture> pictures = workload.pictures({}, machine);
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].name == "shown");
  return std::move(pictures[0]);
}

std::string mistake(const std::string& buffers, const std::string& spec) {
  try {
    picture(buffers, spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the elements of a buffer are the levels of a picture, black to white") {
  const Picture grey = picture("b: {values: [0, 1, 254, 255, 7, 8], type: u8}", "buffer: b, width: 3, height: 2");
  CHECK(grey.width == 3);
  CHECK(grey.height == 2);
  CHECK(grey.channels == 1);
  CHECK(grey.bits == 8);
  CHECK(grey.samples == Samples{0, 1, 254, 255, 7, 8});

  const Picture wide = picture("b: {values: [0, 65535], type: u16}", "buffer: b, width: 2, height: 1");
  CHECK(wide.bits == 16);
  CHECK(wide.samples == Samples{0, 65535});

  // 4095 is white; 2048 of 4095 is 32775.5 of 65535, rounded up.
  const Picture twelve =
      picture("b: {values: [0, 2048, 4095, 5000], type: u16}", "buffer: b, width: 4, height: 1, bits: 12");
  CHECK(twelve.bits == 16);
  CHECK(twelve.samples == Samples{0, 32776, 65535, 65535});
  CHECK(picture("b: {values: [0, 1], type: u32}", "buffer: b, width: 2, height: 1, bits: 1").samples ==
        Samples{0, 255});
}

TEST_CASE("white is what a picture says, or the largest element; what is no level is black or white") {
  const std::string counts = "b: {values: [-5, 0, 50, 100, 200], type: s32}";
  CHECK(picture(counts, "buffer: b, width: 5, height: 1, white: 100").samples == Samples{0, 0, 128, 255, 255});
  CHECK(picture(counts, "buffer: b, width: 5, height: 1, white: largest").samples == Samples{0, 0, 64, 128, 255});
  CHECK(picture(counts, "buffer: b, width: 2, height: 1, white: largest").samples == Samples{0, 0});
  const std::string reals = "b: {values: [0.5, 1.0], type: f32}";
  CHECK_THAT(mistake(reals, "buffer: b, width: 1, height: 1, white: 0"), Contains("white is above 0"));
  CHECK(picture("b: {values: [0.5, 1.0, 2.0], type: f32}", "buffer: b, width: 3, height: 1, white: 1.0").samples ==
        Samples{128, 255, 255});
}

TEST_CASE("three elements are a pixel of red, green and blue; a picture may begin in the middle of its buffer") {
  const Picture colour = picture("b: {iota: 9, type: u8}", "buffer: b, width: 2, height: 1, type: rgb, first: 3");
  CHECK(colour.channels == 3);
  CHECK(colour.samples == Samples{3, 4, 5, 6, 7, 8});
}

TEST_CASE("a PNG file holds the picture") {
  const test::TemporaryFolder folder;
  const auto read = [&](const Picture& one, unsigned bits) {
    return read_image(folder.write("p.png", png_of(one)), bits);
  };
  const Image grey = read({"p", 3, 2, 1, 8, {0, 1, 2, 253, 254, 255}}, 0);
  CHECK(grey.width == 3);
  CHECK(grey.height == 2);
  CHECK(grey.pixels == Samples{0, 1, 2, 253, 254, 255});
  CHECK(read({"p", 2, 1, 1, 16, {4095, 256}}, 12).pixels == Samples{4095, 256});
  // 0.299 R + 0.587 G + 0.114 B.
  CHECK(read({"p", 3, 1, 3, 8, {255, 0, 0, 0, 255, 0, 0, 0, 255}}, 0).pixels == Samples{76, 150, 29});
}

TEST_CASE("mistakes in a picture are reported with their places") {
  const std::string bytes = "b: {zero: 6, type: u8}, w: {zero: 6}";
  CHECK_THAT(
      mistake(bytes, "buffer: b, width: 3, height: 2, type: rgb"),
      Contains("case.yaml:5:19: picture shown: 3x2 pixels of three elements need 18 elements, but buffer b has 6"));
  CHECK_THAT(mistake(bytes, "buffer: b, width: 3, height: 2, first: 1"), Contains("has 5 from element 1 on"));
  CHECK_THAT(mistake(bytes, "buffer: b, width: 0, height: 2"), Contains("the width of a picture is 1 to 65536"));
  CHECK_THAT(mistake(bytes, "buffer: c, width: 1, height: 2"), Contains("c"));
  CHECK_THAT(mistake(bytes, "buffer: b, height: 2"), Contains("width"));
  CHECK_THAT(mistake(bytes, "buffer: b, width: 1, height: 1, type: cmyk"), Contains("'cmyk' is not possible here"));
  CHECK_THAT(mistake(bytes, "buffer: w, width: 1, height: 1"),
             Contains("elements of type u32 needs 'bits', or 'white'"));
  CHECK_THAT(mistake(bytes, "buffer: b, width: 1, height: 1, bits: 8, white: 5"), Contains("not both"));
  CHECK_THAT(mistake(bytes, "buffer: b, width: 1, height: 1, bits: 17"), Contains("the bits of a level is 1 to 16"));
  CHECK_THAT(mistake(bytes, "buffer: b, width: 1, height: 1, colour: red"), Contains("unknown key 'colour'"));
}

}  // namespace lockstep::picture_test
