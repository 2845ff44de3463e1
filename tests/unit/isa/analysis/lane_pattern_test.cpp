#include "isa/analysis/lane_pattern.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace lockstep::analysis;

namespace {

/// Words as lane addresses of 4-byte accesses; the first `words.size()` lanes take part.
LanePattern pattern(const std::vector<std::uint64_t>& words, lockstep::program::Dim3 block = {1024, 1, 1}) {
  std::uint64_t address[32] = {};
  for (std::size_t i = 0; i < words.size(); ++i) address[i] = words[i] * 4;
  const std::uint32_t mask = words.size() == 32 ? ~0u : (1u << words.size()) - 1;
  return fit_lanes(address, mask, 4, {block, 0}).value();
}

constexpr auto lanes = LaneIndex::Kind::lanes;

}  // namespace

TEST_CASE("The address lists of section 6.2.2 have the patterns that it derives", "[analysis]") {
  SECTION("loading of the transpose, TILE_DIM 16: consecutive") {
    std::vector<std::uint64_t> words(32);
    for (std::uint64_t i = 0; i < 32; ++i) words[i] = i;
    CHECK(pattern(words, {16, 16, 1}) == LanePattern{PatternClass::linear, {{lanes, 1, 32, 4}}});
  }
  SECTION("storing of the transpose: a stride of 16 along x, of 1 along y") {
    const LanePattern found = pattern({0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240,
                                       1, 17, 33, 49, 65, 81, 97, 113, 129, 145, 161, 177, 193, 209, 225, 241},
                                      {16, 16, 1});
    CHECK(found == LanePattern{PatternClass::block,
                               {{LaneIndex::Kind::thread_x, 1, 16, 64}, {LaneIndex::Kind::thread_y, 1, 16, 4}}});
  }
  SECTION("Fast Walsh Transform with stride 8: sub-warps of 8 lanes, 32 words apart") {
    const LanePattern found = pattern({0,  1,  2,  3,  4,  5,  6,  7,  32, 33, 34, 35, 36,  37,  38,  39,
                                       64, 65, 66, 67, 68, 69, 70, 71, 96, 97, 98, 99, 100, 101, 102, 103});
    CHECK(found == LanePattern{PatternClass::block, {{lanes, 1, 8, 4}, {lanes, 8, 4, 128}}});
  }
  SECTION("reduction with S = 4: a stride of 8") {
    std::vector<std::uint64_t> words(32);
    for (std::uint64_t i = 0; i < 32; ++i) words[i] = 8 * i;
    CHECK(pattern(words) == LanePattern{PatternClass::stride, {{lanes, 1, 32, 32}}});
  }
}

TEST_CASE("One address for all lanes is a block without an index", "[analysis]") {
  CHECK(pattern(std::vector<std::uint64_t>(32, 7)) == LanePattern{PatternClass::block, {}});
}

TEST_CASE("A single word out of place makes a pattern random", "[analysis]") {
  std::vector<std::uint64_t> words(32);
  for (std::uint64_t i = 0; i < 32; ++i) words[i] = 3 * i;
  CHECK(pattern(words).kind == PatternClass::stride);
  words[31] += 1;
  CHECK(pattern(words).kind == PatternClass::random);
}

TEST_CASE("Lanes that stay away do not hide the stride of the others", "[analysis]") {
  std::uint64_t address[32] = {};
  for (std::uint64_t lane = 0; lane < 32; lane += 4) address[lane] = 1000 - lane * 4;
  CHECK(fit_lanes(address, 0x11111111, 4, {}) == LanePattern{PatternClass::stride, {{lanes, 1, 32, -4}}});
  CHECK(fit_lanes(address, 0x10, 4, {})->kind == PatternClass::linear);
  CHECK(!fit_lanes(address, 0, 4, {}));
}

TEST_CASE("As many lanes as a fit has free strides prove nothing", "[analysis]") {
  // Three lanes and two fields fit whatever the addresses are; a fourth lane can prove them.
  CHECK(pattern({0, 5, 17}).kind == PatternClass::random);
  CHECK(pattern({0, 5, 17, 22}) == LanePattern{PatternClass::block, {{lanes, 1, 2, 20}, {lanes, 2, 2, 68}}});
  CHECK(pattern({0, 5, 17, 23}).kind == PatternClass::random);
}

TEST_CASE("Rows of threads that do not fill a warp have their own stride", "[analysis]") {
  // 12 x 4 threads, 13 words per row: lanes 12 and 24 begin a row.
  std::vector<std::uint64_t> words(32);
  for (std::uint64_t i = 0; i < 32; ++i) words[i] = i % 12 + i / 12 * 13;
  CHECK(
      pattern(words, {12, 4, 1}) ==
      LanePattern{PatternClass::block, {{LaneIndex::Kind::thread_x, 1, 12, 4}, {LaneIndex::Kind::thread_y, 1, 4, 52}}});
  CHECK(pattern(words, {64, 4, 1}).kind == PatternClass::random);
}
