// The references of the benchmarks, by cases that can be worked out by hand.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/workload/edge_points.hpp"
#include "sim/workload/references/references.hpp"
#include "tests/unit/sim/workload/reference_elements.hpp"

using namespace lockstep;
using namespace lockstep::workload;

namespace {

Elements reals(const std::vector<double>& values) {
  return test::elements(ElementType::f64, values);
}

Elements wholes(const std::vector<double>& values) {
  return test::elements(ElementType::s32, values);
}

}  // namespace

TEST_CASE("the LU reference leaves L and U where the matrix was, as far as it is told to go") {
  const Elements matrix = reals({2, 4, 6, 1, 5, 7, 4, 2, 8});
  // L = (1) (1/2 1) (2 -2 1), U = (2 4 6) (3 4) (4).
  test::check_elements(lu_decomposition_reference(matrix, 3, 0, 3, ElementType::f64), {2, 4, 6, 0.5, 3, 4, 2, -2, 4});
  test::check_elements(lu_decomposition_reference(matrix, 3, 0, 1, ElementType::f64), {2, 4, 6, 0.5, 5, 7, 2, 2, 8});
  test::check_elements(lu_decomposition_reference(matrix, 3, 0, 0, ElementType::f64), {2, 4, 6, 1, 5, 7, 4, 2, 8});
  // The upper left 2x2 is decomposed already; the last element is not reached.
  test::check_elements(lu_decomposition_reference(reals({2, 4, 6, 0.5, 3, 7, 4, 2, 8}), 3, 2, 2, ElementType::f64),
                       {2, 4, 6, 0.5, 3, 4, 2, -2, 8});
  // Two matrices.
  test::check_elements(lu_decomposition_reference(reals({4, 2, 2, 5, 1, 0, 3, 1}), 2, 0, 2, ElementType::f64),
                       {4, 2, 0.5, 4, 1, 0, 3, 1});
  CHECK_THROWS_AS(lu_decomposition_reference(matrix, 2, 0, 2, ElementType::f64), InputError);
  CHECK_THROWS_AS(lu_decomposition_reference(matrix, 3, 4, 3, ElementType::f64), InputError);
  CHECK_THROWS_AS(lu_decomposition_reference(matrix, 3, 0, 4, ElementType::f64), InputError);
}

TEST_CASE("prefix sums and sums restart with each row") {
  const Elements input = wholes({1, 2, 3, 4, 5});
  test::check_elements(prefix_sum_reference(input, 3, false, ElementType::s32), {1, 3, 6, 4, 9});
  test::check_elements(prefix_sum_reference(input, 3, true, ElementType::s32), {0, 1, 3, 0, 4});
  test::check_elements(prefix_sum_reference(reals({0.5, 0.25}), 8, false, ElementType::f64), {0.5, 0.75});
  test::check_elements(row_sums_reference(input, 3, ElementType::s32), {6, 9});
  test::check_elements(row_sums_reference(input, 1, ElementType::s32), {1, 2, 3, 4, 5});
  test::check_elements(row_sums_reference(input, 9, ElementType::s32), {15});
  CHECK_THROWS_AS(row_sums_reference(input, 0, ElementType::s32), InputError);
  CHECK_THROWS_AS(prefix_sum_reference(wholes({200, 100}), 2, false, ElementType::u8), InputError);
}

TEST_CASE("an integral image has the sum of the rectangle up to each element") {
  const Elements image = wholes({1, 2, 3, 4, 5, -6});
  test::check_elements(integral_image_reference(image, 3, 3, ElementType::s32), {1, 3, 6, 5, 12, 9});
  test::check_elements(integral_image_reference(image, 1, 1, ElementType::s32), {1, 3, 6, 10, 15, 9});
  test::check_elements(integral_image_reference(image, 3, 4, ElementType::s32), {1, 3, 6, 0, 5, 12, 9, 0});
  test::check_elements(integral_image_reference(image, 4, 4, ElementType::s32),
                       {1, 3, 6, 10, 6, 2, 0, 0});  // Incomplete.
  CHECK_THROWS_AS(integral_image_reference(image, 3, 2, ElementType::s32), InputError);
  CHECK_THROWS_AS(integral_image_reference(wholes({200, 100}), 2, 2, ElementType::u8), InputError);
  CHECK_THROWS_AS(integral_image_reference(reals({0.5}), 1, 1, ElementType::f64), InputError);
}

TEST_CASE("the sort looks at its bits only and keeps the order of equal keys") {
  const Elements keys = wholes({0b0110, 0b1001, 0b0100, 0b1011}), values = wholes({10, 20, 30, 40});
  test::check_elements(sort_reference(keys, values, 1, 2, ElementType::s32), {20, 40, 30, 10});
  test::check_elements(sort_reference(keys, values, 3, 1, ElementType::s32), {10, 30, 20, 40});
  test::check_elements(sort_reference(keys, values, 0, 32, ElementType::s32), {30, 10, 20, 40});
  CHECK_THROWS_AS(sort_reference(keys, wholes({1}), 0, 2, ElementType::s32), InputError);
  CHECK_THROWS_AS(sort_reference(keys, values, 63, 2, ElementType::s32), InputError);
  CHECK_THROWS_AS(sort_reference(reals({0.5}), reals({1}), 0, 2, ElementType::f64), InputError);
}

TEST_CASE("the alignment takes the best of three ways, in the tiles that are asked for") {
  const Elements similarity = wholes({0, 0, 0, 0, 5, -1, 0, -3, 1});
  const Elements border = wholes({0, -2, -4, -2, 0, 0, -4, 0, 0});
  // 5 = 0 + 5; 3 = 5 - 2 from the left and from above; 6 = 5 + 1.
  test::check_elements(needleman_wunsch_reference(border, similarity, {3, 1, 0, 2}, 2, ElementType::s32),
                       {0, -2, -4, -2, 5, 3, -4, 3, 6});
  test::check_elements(needleman_wunsch_reference(border, similarity, {3, 2, 0, 0}, 2, ElementType::s32),
                       {0, -2, -4, -2, 5, 3, -4, 3, 6});
  // Only the anti-diagonal in the middle, from a 7 that was there.
  test::check_elements(needleman_wunsch_reference(wholes({0, -2, -4, -2, 7, 0, -4, 0, 1}), similarity, {3, 1, 1, 1}, 2,
                                                  ElementType::s32),
                       {0, -2, -4, -2, 7, 5, -4, 5, 1});
  CHECK_THROWS_AS(needleman_wunsch_reference(border, similarity, {4, 1, 0, 2}, 2, ElementType::s32), InputError);
}

TEST_CASE("a point votes once for each direction, if its distance has a bin") {
  const Elements points = test::elements(ElementType::u32, {3 + 4 * 65536., 0});
  const Elements directions = test::elements(ElementType::f32, {1, 0, 0, 1, -1, 0});
  // Distances 3 and 0, then 4 and 0, then -3 (none) and 0; the origin adds 1.
  test::check_elements(hough_reference(points, directions, 6, 1, ElementType::u32),
                       {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0});
  // 3 + 0.5 is rounded down; 4.5 has no bin.
  test::check_elements(hough_reference(points, directions, 4, 0.5, ElementType::u32),
                       {1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0});
  CHECK_THROWS_AS(hough_reference(points, reals({1}), 4, 0, ElementType::u32), InputError);
  CHECK_THROWS_AS(hough_reference(wholes({-1}), directions, 4, 0, ElementType::u32), InputError);
}

TEST_CASE("speckle reduction lets two pixels exchange with the coefficient of the eastern one") {
  // Of the pixel 2 beside 1: squares 1/4, sum -1/2, variation (1/8 - 1/64) / (7/8)^2 = 1/7; with an even area's 0.1 the
  // coefficient is 1 / (1 + (1/7 - 0.1) / 0.11) = 0.7196...
  const double coefficient = 1 / (1 + (1 / 7.0 - 0.1) / 0.11);
  const double flow = coefficient / 4;
  test::check_elements(srad_reference(reals({1, 2}), 2, 1, 1, {1, 0.1}, ElementType::f64), {1 + flow, 2 - flow});
  // Below the other: the same with the southern one.
  test::check_elements(srad_reference(reals({1, 2}), 1, 2, 1, {0.5, 0.1}, ElementType::f64),
                       {1 + flow / 2, 2 - flow / 2});
  // Less variation than an even area has: limited to 1.
  test::check_elements(srad_reference(reals({1, 2}), 2, 1, 1, {1, 10}, ElementType::f64), {1.25, 1.75});
  test::check_elements(srad_reference(reals({3, 3, 3, 3}), 2, 2, 5, {1, 0.1}, ElementType::f64), {3, 3, 3, 3});
  CHECK_THROWS_AS(srad_reference(reals({1, 2}), 2, 2, 1, {1, 0.1}, ElementType::f64), InputError);
}

TEST_CASE("cells exchange heat with neighbours and with the outside") {
  const Elements temperature = reals({10, 20}), power = reals({1, 0});
  // 10 + 0.5 (1 + 10 x 0.1 - 10 x 0.01) and 20 + 0.5 (0 - 10 x 0.1 - 20 x 0.01).
  test::check_elements(hotspot_reference(temperature, power, 2, 1, 1, {0.5, 0.1, 0.2, 0.01, 0}, ElementType::f64),
                       {10.95, 19.4});
  // The same cells in a column exchange by 0.2.
  test::check_elements(hotspot_reference(temperature, power, 1, 2, 1, {0.5, 0.1, 0.2, 0.01, 0}, ElementType::f64),
                       {11.45, 18.9});
  // A second step: 8.45 apart.
  test::check_elements(hotspot_reference(temperature, power, 2, 1, 2, {0.5, 0.1, 0.2, 0.01, 0}, ElementType::f64),
                       {10.95 + 0.5 * (1 + 0.845 - 0.1095), 19.4 + 0.5 * (-0.845 - 0.194)});
  CHECK_THROWS_AS(hotspot_reference(temperature, reals({1}), 2, 1, 1, {}, ElementType::f64), InputError);
}

TEST_CASE("a layer sums products group by group") {
  const Elements inputs = reals({1, 2, 3, 4}), weights = reals({1, 10, 2, 20, 3, 30, 4, 40});
  test::check_elements(layer_reference(inputs, weights, 2, 2, ElementType::f64), {5, 50, 25, 250});
  test::check_elements(layer_reference(inputs, weights, 2, 4, ElementType::f64), {30, 300});
  CHECK_THROWS_AS(layer_reference(inputs, weights, 2, 3, ElementType::f64), InputError);
  CHECK_THROWS_AS(layer_reference(inputs, weights, 3, 2, ElementType::f64), InputError);
}

TEST_CASE("edge points are where the Sobel operator reaches the threshold") {
  // A vertical edge of height 10: the gradient on both sides of it is 4 x 10.
  const Image image{5, 3, 255, {0, 0, 10, 10, 10, 0, 0, 10, 10, 10, 0, 0, 10, 10, 10}};
  const std::uint32_t second_row = 1u << 16;
  CHECK(edge_points(image, 5, 3, 40) == std::vector<std::uint32_t>{second_row + 1, second_row + 2});
  CHECK(edge_points(image, 5, 3, 41).empty());
  CHECK(edge_points(image, 5, 3, 0).size() == 3);
  // The middle three columns begin with column 1.
  CHECK(edge_points(image, 3, 3, 40) == std::vector<std::uint32_t>{second_row + 1});
  CHECK(edge_points(image, 5, 2, 0).empty());
  CHECK_THROWS_AS(edge_points(image, 6, 3, 40), InputError);
  // Across: |gx| + |gy| of a corner, 1 2 1 of the left side and of the upper one less the opposite sides.
  const Image corner{3, 3, 255, {10, 10, 10, 10, 0, 0, 10, 0, 0}};
  CHECK(edge_points(corner, 3, 3, 60) == std::vector<std::uint32_t>{second_row + 1});
  CHECK(edge_points(corner, 3, 3, 61).empty());
}
