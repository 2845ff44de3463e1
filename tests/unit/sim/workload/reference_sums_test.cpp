// Reference kernels of histograms, sums, orders, alignments and votes, by cases that can be worked out by hand.
#include "isa/error.hpp"
#include "tests/unit/sim/workload/reference_case.hpp"

namespace lockstep::reference_sums_test {

using Catch::Matchers::Contains;
using lockstep::test::reference_differs;

namespace {

/// Pixels of a type in a histogram that two threads count.
std::string histogram(const std::string& type, const std::string& pixels, int bins, int levels,
                      const std::string& expected) {
  return reference_differs("histogram", fmt::format(R"(
buffers:
  pixels: {{values: {1}, type: {0}}}
  counts: {{zero: 2 * {2}}}
  result: {{constant: {2}, value: 9}}
block: 32
grid: 1
launches:
  - {{entry: count_{0}, block: 2, parameters: [pixels, pixels.count, counts, {2}, {3}]}}
  - {{entry: add_up, parameters: [counts, 2, {2}, result]}}
expect: {{result: {{values: {4}}}}}
)",
                                                    type, pixels, bins, levels, expected));
}

std::string rows(const std::string& entry, const std::string& parameters, const std::string& expected) {
  return reference_differs("sums", fmt::format(R"(
buffers:
  input: {{values: [1, 2, 3, 4, 5], type: s32}}
  result: {{constant: 5, value: 9, type: s32}}
entry: {}
grid: 1
block: 32
parameters: [input, result, 5, {}]
expect: {{result: {{values: {}}}}}
)",
                                               entry, parameters, expected));
}

std::string integral_image(int width, int height, int pitch, const std::string& expected) {
  return reference_differs("sums", fmt::format(R"(
buffers:
  pixels: {{values: [1, 2, 3, 4, 5, 6], type: u8}}
  sums: {{zero: {2} * {1}}}
grid: 1
block: 32
launches:
  - {{entry: integral_columns, parameters: [pixels, sums, {0}, {1}, {2}]}}
  - {{entry: integral_rows, parameters: [sums, {0}, {1}, {2}]}}
expect: {{sums: {{values: {3}}}}}
)",
                                               width, height, pitch, expected));
}

std::string sorted(int first_bit, int bits, const std::string& expected) {
  return reference_differs("sort", fmt::format(R"(
buffers:
  keys: {{values: [0x6, 0x9, 0x4, 0xb]}}
  values: {{values: [10, 20, 30, 40]}}
  result: {{zero: 4}}
  counts: {{zero: 1 << {1}}}
grid: 1
block: 1
parameters: [keys, values, result, 4, {0}, {1}, counts]
expect: {{result: {{values: {2}}}}}
)",
                                               first_bit, bits, expected));
}

std::string aligned(const std::string& scores, const std::string& tiles, const std::string& expected) {
  return reference_differs("needleman_wunsch", fmt::format(R"(
buffers:
  similarity: {{values: [0, 0, 0, 0, 5, -1, 0, -3, 1], type: s32}}
  scores: {{values: {}, type: s32}}
grid: 1
block: 32
launches:
  - {{repeat: 3, parameters: [similarity, scores, 3, 3, 2, iteration, {}]}}
expect: {{scores: {{values: {}}}}}
)",
                                                           scores, tiles, expected));
}

std::string votes(int bins, double origin, const std::string& expected) {
  return reference_differs("hough", fmt::format(R"(
buffers:
  points: {{values: [3 + 4 * 65536, 0]}}
  directions: {{values: [1, 0, 0, 1, -1, 0], type: f32}}
  space: {{zero: 3 * {0}}}
grid: 1
block: 32
parameters: [points, 2, directions, 3, {0}, {1}, space]
expect: {{space: {{values: {2}}}}}
)",
                                                bins, origin, expected));
}

std::string path(const std::string& wall, int width, int count, const std::string& expected) {
  return reference_differs("path_finder", fmt::format(R"(
buffers:
  wall: {{values: {0}, type: s32}}
  even: {{zero: {1}, type: s32}}
  odd: {{zero: {1}, type: s32}}
grid: 1
block: 32
launches:
  - repeat: {2}
    parameters:
      - wall + 4 * {1} * iteration
      - "iteration % 2 == 0 ? even : odd"
      - "iteration % 2 == 0 ? odd : even"
      - {1}
      - iteration == 0
expect: {{odd: {{values: {3}}}}}
)",
                                                      wall, width, count, expected));
}

}  // namespace

TEST_CASE("the histogram reference counts pixels of each bin") {
  CHECK(histogram("u16", "[0, 1023, 1024, 4095, 4095, 2048]", 4, 4096, "[2, 1, 1, 2]") == "");
  // 3 bins of 10 levels: bin = 3 p / 10, so levels 0-3, 4-6, 7-9.
  CHECK(histogram("u8", "[0, 3, 4, 6, 7, 9, 9]", 3, 10, "[2, 2, 3]") == "");
  CHECK(histogram("u32", "[70000, 0, 70000]", 2, 70001, "[1, 2]") == "");
  CHECK(histogram("u8", "[0]", 3, 10, "[1, 0, 1]") != "");
  CHECK_THROWS_AS(histogram("u8", "[0, 10]", 3, 10, "[2, 0, 0]"), InputError);
}

TEST_CASE("prefix sums and sums restart with each row") {
  CHECK(rows("prefix_sums", "3, 0", "[1, 3, 6, 4, 9]") == "");
  CHECK(rows("prefix_sums", "3, 1", "[0, 1, 3, 0, 4]") == "");
  CHECK(rows("prefix_sums", "8, 1", "[0, 1, 3, 6, 10]") == "");
  CHECK(rows("row_sums", "3", "[6, 9, 9, 9, 9]") == "");
  CHECK(rows("row_sums", "1", "[1, 2, 3, 4, 5]") == "");
  CHECK(rows("row_sums", "9", "[15, 9, 9, 9, 9]") == "");
}

TEST_CASE("an integral image has the sum of the rectangle up to each element") {
  CHECK(integral_image(3, 2, 3, "[1, 3, 6, 5, 12, 21]") == "");
  CHECK(integral_image(1, 6, 1, "[1, 3, 6, 10, 15, 21]") == "");
  CHECK(integral_image(3, 2, 4, "[1, 3, 6, 0, 5, 12, 21, 0]") == "");
}

TEST_CASE("the sort looks at its bits only and keeps the order of equal keys") {
  CHECK(sorted(1, 2, "[20, 40, 30, 10]") == "");
  CHECK(sorted(3, 1, "[10, 30, 20, 40]") == "");
  CHECK(sorted(0, 8, "[30, 10, 20, 40]") == "");
}

TEST_CASE("the alignment takes the best of three ways, in the tiles that are asked for") {
  // 5 = 0 + 5; 3 = 5 - 2 from the left and from above; 6 = 5 + 1. Tiles of one element, then one of two by two.
  CHECK(aligned("[0, -2, -4, -2, 0, 0, -4, 0, 0]", "1, 0, 2", "[0, -2, -4, -2, 5, 3, -4, 3, 6]") == "");
  CHECK(aligned("[0, -2, -4, -2, 0, 0, -4, 0, 0]", "2, 0, 0", "[0, -2, -4, -2, 5, 3, -4, 3, 6]") == "");
  // Only the anti-diagonal in the middle, from a 7 that was there.
  CHECK(aligned("[0, -2, -4, -2, 7, 0, -4, 0, 1]", "1, 1, 1", "[0, -2, -4, -2, 7, 5, -4, 5, 1]") == "");
}

TEST_CASE("a point votes once for each direction, if its distance has a bin") {
  // Distances 3 and 0, then 4 and 0, then -3 (none) and 0; the origin adds 1.
  CHECK(votes(6, 1, "[0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]") == "");
  // 3 + 0.5 is rounded down; 4.5 has no bin.
  CHECK(votes(4, 0.5, "[1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0]") == "");
}

TEST_CASE("a path goes at most one column aside") {
  // Second row: 14, 3, 10, 2. Third: 7 + 3, 1 + 3, 1 + 2, 8 + 2.
  CHECK(path("[9, 9, 1, 9, 5, 2, 9, 1, 7, 1, 1, 8]", 4, 3, "[10, 4, 3, 10]") == "");
  CHECK(path("[1, 2, 3]", 1, 3, "[6]") == "");
  CHECK(path("[4, 5]", 2, 1, "[4, 5]") == "");
}

}  // namespace lockstep::reference_sums_test
