// Reference kernels of convolutions, sums of images and integral histograms, by cases that can be worked out by hand.
#include "tests/unit/sim/workload/reference_case.hpp"

namespace lockstep::reference_images_test {

using lockstep::test::reference_differs;

namespace {

/// A row of four pixels, or a column, with the weights of a square of three.
std::string square(int width, int height, const std::string& weights, int size, const std::string& expected) {
  return reference_differs("convolutions/images", fmt::format(R"(
buffers:
  image: {{values: [1, 2, 4, 8], type: f32}}
  weights: {{values: {2}, type: f64}}
  result: {{zero: 4, type: f32}}
entry: convolution_square
grid: 1
block: 32
parameters: [image, result, {0}, {1}, weights, {3}]
expect: {{result: {{values: {4}}}}}
)",
                                                              width, height, weights, size, expected));
}

/// Two accumulations of three images of two pixels.
std::string sums(const std::string& weights, const std::string& expected) {
  return reference_differs("convolutions/images", fmt::format(R"(
buffers:
  images: {{values: [1, 2, 10, 20, 100, 200], type: f32}}
  weights: {{values: {}, type: f32}}
  result: {{zero: 4, type: f32}}
entry: weighted_sums
grid: 1
block: 32
parameters: [images, weights, result, 2, 3, 4]
expect: {{result: {{values: {}}}}}
)",
                                                              weights, expected));
}

/// 3x2 pixels of 0 to 3.
std::string histogram(int bins, int turned, const std::string& expected) {
  return reference_differs("integral/integral_histogram", fmt::format(R"(
buffers:
  pixels: {{values: [0, 3, 1, 2, 0, 3], type: u16}}
  result: {{zero: '6 * max({0}, 1)'}}
grid: 1
block: 32
launches:
  - {{entry: along_rows, parameters: [pixels, result, 3, 2, {0}, 4, {1}]}}
  - {{entry: along_columns, parameters: [result, 3, 2, {0}, {1}]}}
expect: {{result: {{values: {2}}}}}
)",
                                                                      bins, turned, expected));
}

}  // namespace

TEST_CASE("a square of weights is laid over each pixel, the nearest one standing for those outside") {
  CHECK(square(4, 1, "[0, 0, 0, 0, 1, 0, 0, 0, 0]", 3, "[1, 2, 4, 8]") == "");
  // To the left, and below.
  CHECK(square(4, 1, "[0, 0, 0, 1, 0, 0, 0, 0, 0]", 3, "[1, 1, 2, 4]") == "");
  CHECK(square(1, 4, "[0, 0, 0, 0, 0, 0, 0, 10, 0]", 3, "[20, 40, 80, 80]") == "");
  // 2x2: all nine; 1 is there four times, 2 and 4 twice each.
  CHECK(square(2, 2, "[1, 1, 1, 1, 1, 1, 1, 1, 1]", 3, "[24, 27, 33, 36]") != "");
  CHECK(square(2, 2, "[1, 1, 1, 1, 1, 1, 1, 1, 1]", 3, "[24, 30, 36, 45]") == "");
  CHECK(square(4, 1, "[5]", 1, "[5, 10, 20, 40]") == "");
}

TEST_CASE("each accumulation has weights of its own") {
  CHECK(sums("[1, 1, 1, 0, 0.5, 2]", "[111, 222, 205, 410]") == "");
  CHECK(sums("[1, 1, 1, 1, 1, 1]", "[111, 222, 205, 410]") != "");
}

TEST_CASE("an integral histogram counts each bin in the rectangle up to each pixel") {
  // Two bins: 0 and 1, 2 and 3. Rows 1 0 1 and 0 1 0 of the first.
  CHECK(histogram(2, 0, "[1, 1, 2, 1, 2, 3, 0, 1, 1, 1, 2, 3]") == "");
  CHECK(histogram(2, 1, "[1, 1, 1, 2, 2, 3, 0, 1, 1, 2, 1, 3]") == "");
  CHECK(histogram(2, 0, "[1, 1, 2, 1, 2, 3, 0, 1, 1, 1, 2, 4]") != "");
}

TEST_CASE("without bins it is the integral image") {
  CHECK(histogram(0, 0, "[0, 3, 4, 2, 5, 9]") == "");
  CHECK(histogram(0, 1, "[0, 2, 3, 5, 4, 9]") == "");
}

}  // namespace lockstep::reference_images_test
