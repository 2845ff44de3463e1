#include "sim/cpu/voting.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "isa/error.hpp"
#include "sim/workload/buffers/image.hpp"

#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::cpu;
using Catch::Matchers::Contains;

namespace {

std::vector<std::uint16_t> drawn(std::size_t count, unsigned bits) {
  std::mt19937 draw(7);
  std::vector<std::uint16_t> pixels(count);
  for (std::uint16_t& pixel : pixels) pixel = static_cast<std::uint16_t>(draw() >> (32 - bits));
  return pixels;
}

/// Every way to vote.
template <typename F>
void in_every_way(F&& f) {
  for (const unsigned threads : {1U, 2U, 3U, 5U}) {
    for (const Vectors vectors : {Vectors::none, Vectors::bits_128, Vectors::bits_256}) {
      INFO(threads << " threads, vectors " << static_cast<int>(vectors));
      Voting voting(threads, vectors);
      f(voting);
    }
  }
}

/// Votes by the definition: every point, every angle, no thread and no vector.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> votes_of(const View& edges, std::uint16_t threshold,
                                                                          std::uint32_t angles) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> votes;
  for (std::uint32_t angle = 0; angle < angles; ++angle) {
    const double radians = angle * std::acos(-1.0) / (angles - 1);
    const auto cosine = static_cast<float>(std::cos(radians)), sine = static_cast<float>(std::sin(radians));
    for (std::size_t i = 0; i < edges.pixels.size(); ++i) {
      if (edges.pixels[i] < threshold) continue;
      const float across = static_cast<float>(i % edges.width) * cosine;
      const float down = static_cast<float>(i / edges.width) * sine;
      const float distance = across + down;
      ++votes[{angle, static_cast<std::uint32_t>(std::floor(distance + static_cast<float>(edges.width)))}];
    }
  }
  return votes;
}

void check_space(const HoughSpace& space, const View& edges, std::uint16_t threshold, std::uint32_t angles) {
  REQUIRE(space.angles == angles);
  REQUIRE(space.votes.size() == std::size_t{angles} * space.bins);
  auto expected = votes_of(edges, threshold, angles);
  std::size_t differing = 0;
  for (std::uint32_t angle = 0; angle < angles; ++angle) {
    for (std::uint32_t bin = 0; bin < space.bins; ++bin) {
      const auto found = expected.find({angle, bin});
      const std::uint32_t wanted = found == expected.end() ? 0 : found->second;
      differing += space.votes[std::size_t{angle} * space.bins + bin] != wanted;
      if (found != expected.end()) expected.erase(found);
    }
  }
  CHECK(differing == 0);
  CHECK(expected.empty());
}

}  // namespace

TEST_CASE("A histogram on the CPU counts what counting one by one does, with any threads and vectors") {
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{16}, std::size_t{1000}, std::size_t{4099}}) {
    const std::vector<std::uint16_t> pixels = drawn(count, 12);
    for (const std::uint32_t bins : {1U, 64U, 256U, 4096U}) {
      std::vector<std::uint32_t> expected(bins);
      for (const std::uint16_t pixel : pixels) ++expected[pixel * bins / 4096];
      INFO(count << " pixels, " << bins << " bins");
      in_every_way([&](Voting& voting) { CHECK(voting.histogram(pixels, 12, bins) == expected); });
    }
  }
}

TEST_CASE("A histogram on the CPU refuses pixels and bins that do not fit") {
  std::vector<std::uint16_t> pixels(100, 17);
  pixels[77] = 256;
  in_every_way([&](Voting& voting) {
    CHECK_THROWS_WITH(voting.histogram(pixels, 8, 256), Contains("a pixel of at least 256, but 8 bits hold 0 to 255"));
    CHECK(voting.histogram(pixels, 9, 2) == std::vector<std::uint32_t>{99, 1});
  });
  CHECK_THROWS_AS(Voting(1).histogram(pixels, 12, 100), InputError);
  CHECK_THROWS_AS(Voting(1).histogram(pixels, 12, 8192), InputError);
  CHECK_THROWS_AS(Voting(1).histogram(pixels, 17, 256), InputError);
}

TEST_CASE("A Hough transform on the CPU votes as its definition says, with any threads and vectors") {
  // Widths beside those of vectors, angles that do not divide by threads or lanes.
  const std::vector<std::uint16_t> pixels = drawn(37 * 11, 12);
  const View edges{pixels, 37, 11};
  for (const std::uint32_t angles : {2U, 9U, 31U})
    in_every_way([&](Voting& voting) { check_space(voting.hough(edges, 3000, angles), edges, 3000, angles); });
}

TEST_CASE("Points on a line give its bin as many votes as there are points") {
  // x = 5, whatever y is: at angle 0 all points lie at the distance 5 from the origin, which is the upper left pixel.
  std::vector<std::uint16_t> pixels(32 * 20);
  for (std::size_t y = 0; y < 20; ++y) pixels[y * 32 + 5] = 100;
  in_every_way([&](Voting& voting) {
    const HoughSpace space = voting.hough({pixels, 32, 20}, 100, 120);
    CHECK(space.votes[32 + 5] == 20);
    CHECK(*std::max_element(space.votes.begin(), space.votes.end()) == 20);
    std::uint64_t all = 0;
    for (const std::uint32_t votes : space.votes) all += votes;
    CHECK(all == 20 * 120);
    CHECK(voting.hough({pixels, 32, 20}, 101, 120).votes == std::vector<std::uint32_t>(space.votes.size()));
  });
}

TEST_CASE("Both work on a photograph, and every way gives the same") {
  const workload::Image image = workload::read_image(source_dir() + "/traces/inputs/raccoon-small.png", 12);
  const View view{image.pixels, image.width, image.height};
  const std::vector<std::uint32_t> histogram = Voting(1).histogram(image.pixels, 12, 256);
  const HoughSpace space = Voting(1).hough(view, 3000, 120);
  check_space(space, view, 3000, 120);
  in_every_way([&](Voting& voting) {
    CHECK(voting.histogram(image.pixels, 12, 256) == histogram);
    CHECK(voting.hough(view, 3000, 120).votes == space.votes);
  });
}
