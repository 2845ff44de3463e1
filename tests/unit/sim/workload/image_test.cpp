#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "isa/error.hpp"
#include "sim/workload/buffers/image.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::image_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

std::string mistake(const std::string& path, unsigned bits = 0) {
  try {
    read_image(path, bits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Pixels = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("a PGM keeps its levels") {
  const test::TemporaryFolder folder;
  SECTION("of one byte") {
    const Image image = read_image(folder.write("a.pgm", std::string("P5 3 2 255\n\0\1\2\3\x80\xff", 17)));
    CHECK(image.width == 3);
    CHECK(image.height == 2);
    CHECK(image.maximum == 255);
    CHECK(image.pixels == Pixels{0, 1, 2, 3, 128, 255});
  }
  SECTION("of two bytes, high byte first, with comments in the header") {
    const Image image =
        read_image(folder.write("a.pgm", std::string("P5\n# a comment 7\n2\n# another\n1 4095\n\x0f\xff\x01\x02", 40)));
    CHECK(image.maximum == 4095);
    CHECK(image.pixels == Pixels{4095, 0x102});
  }
}

TEST_CASE("bits scale a PGM from its own white to the wanted one") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.pgm", std::string("P5 4 1 255\n\0\x01\x80\xff", 15));
  // 1 * 4095 / 255 = 16.06, 128 * 4095 / 255 = 2055.5
  CHECK(read_image(path, 12).pixels == Pixels{0, 16, 2056, 4095});
  CHECK(read_image(path, 8).pixels == Pixels{0, 1, 128, 255});
  CHECK(read_image(path, 1).pixels == Pixels{0, 0, 1, 1});
}

TEST_CASE("a 16-bit grey PNG holds levels, whatever the bits") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.png";
  write_png(path, 2, 2, 16, PNG_COLOR_TYPE_GRAY, {0, 0, 0x0f, 0xff, 0, 1, 0x08, 0x00});
  CHECK(read_image(path, 12).pixels == Pixels{0, 4095, 1, 2048});
  CHECK(read_image(path).maximum == 65535);
  write_png(path, 2, 1, 16, PNG_COLOR_TYPE_GRAY, {0, 0, 0x10, 0x00});
  CHECK_THAT(mistake(path, 12), Contains("a.png") && Contains("pixel (1, 0) is 4096") && Contains("0 to 4095"));
  CHECK(read_image(path, 13).pixels == Pixels{0, 4096});
}

TEST_CASE("an 8-bit grey PNG is scaled") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.png";
  write_png(path, 3, 1, 8, PNG_COLOR_TYPE_GRAY, {0, 51, 255});
  CHECK(read_image(path).pixels == Pixels{0, 51, 255});
  CHECK(read_image(path, 12).pixels == Pixels{0, 819, 4095});  // 51 is a fifth of 255; 4095 / 5 = 819
}

TEST_CASE("colour becomes grey before it is rounded") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.png";
  write_png(path, 4, 1, 8, PNG_COLOR_TYPE_RGB, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255});
  CHECK(read_image(path).pixels == Pixels{76, 150, 29, 255});           // 0.299, 0.587, 0.114 of 255
  CHECK(read_image(path, 12).pixels == Pixels{1224, 2404, 467, 4095});  // of 4095
}

TEST_CASE("alpha is left out, and an interlaced PNG reads like any other") {
  const test::TemporaryFolder folder;
  write_png(folder / "alpha.png", 2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, {10, 0, 20, 255});
  CHECK(read_image(folder / "alpha.png").pixels == Pixels{10, 20});
  std::vector<std::uint8_t> samples(64);
  for (std::size_t i = 0; i < 64; ++i) samples[i] = static_cast<std::uint8_t>(3 * i);
  write_png(folder / "interlaced.png", 8, 8, 8, PNG_COLOR_TYPE_GRAY, samples, true);
  CHECK(read_image(folder / "interlaced.png").pixels == Pixels(samples.begin(), samples.end()));
}

TEST_CASE("a one-bit PNG has black and white") {
  const test::TemporaryFolder folder;
  write_png(folder / "a.png", 8, 1, 1, PNG_COLOR_TYPE_GRAY, {0b10100001});
  CHECK(read_image(folder / "a.png", 12).pixels == Pixels{4095, 0, 4095, 0, 0, 0, 0, 4095});
}

TEST_CASE("an image that cannot be used is named with the reason") {
  const test::TemporaryFolder folder;
  CHECK_THAT(mistake(folder / "none.png"), Contains("none.png: there is no such file"));
  CHECK_THAT(mistake(folder.write("a.txt", "hello, world")), Contains("neither a PNG nor"));
  CHECK_THAT(mistake(folder.write("empty", "")), Contains("neither a PNG nor"));
  CHECK_THAT(mistake(folder.write("a.pgm", "P5 3 2 255\nabc")), Contains("need 6 bytes, found 3"));
  CHECK_THAT(mistake(folder.write("b.pgm", "P5 3")), Contains("header is damaged"));
  CHECK_THAT(mistake(folder.write("c.pgm", "P5 0 2 255\n")), Contains("empty"));
  CHECK_THAT(mistake(folder.write("d.pgm", "P5 99999999 99999999 255\n")), Contains("too many"));
  CHECK_THAT(mistake(folder.write("e.pgm", "P5 1 1 70000\nab")), Contains("white is 70000"));
  CHECK_THAT(mistake(folder.write("f.pgm", std::string("P5 1 1 4095\n\x10\x00", 14))), Contains("(0, 0) is 4096"));
}

TEST_CASE("a PNG damaged anywhere gives an error or its pixels, never a crash") {
  const std::string whole = test::contents(source_dir() + "/traces/inputs/raccoon-small.png");
  const test::TemporaryFolder folder;
  const Pixels right = read_image(source_dir() + "/traces/inputs/raccoon-small.png", 12).pixels;
  std::size_t refused = 0;
  for (std::size_t length = 8; length < whole.size() - 12; length += 211) {
    CHECK_THAT(mistake(folder.write("cut.png", whole.substr(0, length)), 12), Contains("damaged"));
  }
  for (std::size_t at = 8; at < whole.size(); at += 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    const std::string path = folder.write("damaged.png", damaged);
    Pixels pixels = right;
    try {
      pixels = read_image(path, 12).pixels;
    } catch (const InputError&) {
      ++refused;
    }
    CHECK(pixels == right);
  }
  CHECK(refused > 50);
}

TEST_CASE("the photographs are real 12-bit images of the thesis's size") {
  for (const char* name : {"raccoon", "retina", "galaxies", "coffee"}) {
    CAPTURE(name);
    const Image image = read_image(source_dir() + "/traces/inputs/" + name + ".png", 12);
    CHECK(image.width == 1536);
    CHECK(image.height == 1024);
    // More levels than an 8-bit original could have: no stretched 8-bit image.
    const std::set<std::uint16_t> levels(image.pixels.begin(), image.pixels.end());
    CHECK(levels.size() > 3000);
    CHECK(*levels.rbegin() <= 4095);
  }
}

}  // namespace lockstep::image_test
