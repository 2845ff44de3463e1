// References of PathFinder, MRI-Q and a layer of feature maps, by cases that can be worked out by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "isa/error.hpp"
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

TEST_CASE("a path goes at most one column aside, and may leave by the border") {
  const Elements grid = wholes({9, 9, 1, 9,  //
                                5, 2, 9, 1,  //
                                7, 1, 1, 8});
  // Second row: 14, 3, 10, 2. Third: 7 + 3, 1 + 3, 1 + 2, 8 + 2.
  test::check_elements(path_finder_reference(grid, 4, 0, ElementType::s32), {10, 4, 3, 10});
  test::check_elements(path_finder_reference(grid, 4, 1, ElementType::s32), {4, 3});
  test::check_elements(path_finder_reference(wholes({1, 2, 3}), 1, 0, ElementType::s32), {6});
  CHECK_THROWS_AS(path_finder_reference(grid, 5, 0, ElementType::s32), InputError);
  CHECK_THROWS_AS(path_finder_reference(grid, 4, 3, ElementType::s32), InputError);
  CHECK_THROWS_AS(path_finder_reference(reals({0.5, 1}), 2, 0, ElementType::s32), InputError);
}

TEST_CASE("MRI-Q turns each sample by the product of its frequency and the point") {
  // Points (0.25, 0, 0) and (0, 0.5, 1). First sample: a quarter turn and half a turn; second: none, and a quarter turn.
  const Elements coordinates = reals({0.25, 0, 0, 0.5, 0, 1});
  const Elements samples = reals({1, 1, 0, 2, 0, 0, 0.25, 3});
  test::check_elements(mri_q_reference(samples, coordinates, false, ElementType::f32), {3, -2});
  test::check_elements(mri_q_reference(samples, coordinates, true, ElementType::f32), {2, 3});
  CHECK_THROWS_AS(mri_q_reference(reals({1, 2}), coordinates, false, ElementType::f32), InputError);
  CHECK_THROWS_AS(mri_q_reference(samples, reals({1, 2}), false, ElementType::f32), InputError);
}

TEST_CASE("a feature map sums windows of all inputs, and its bias") {
  // One image of two maps of 3 x 2, windows of 2 x 2 that move one column: two neurons of each of two outputs.
  const Elements image = reals({1, 2, 3, 4, 5, 6,  //
                                0, 1, 0, 2, 0, 4});
  const Elements weights = reals({0.5, 1, 0, 0, 0, 0, 0, 0.25, 0,  //
                                  0, 0, 0, 0, 0.5, 0, -1, 0, 0});
  const auto neuron = [](double sum) { return 1.7159 * std::tanh(sum / 1.5); };
  const Elements found = feature_maps_reference(image, weights, {2, 3, 2, 2, 1, 2}, ElementType::f64);
  REQUIRE(found.count() == 4);
  CHECK(found.real(0) == Approx(neuron(0.5 + 1 + 0.5)));
  CHECK(found.real(1) == Approx(neuron(0.5 + 2 + 0)));
  CHECK(found.real(2) == Approx(neuron(2.5 - 1)));
  CHECK(found.real(3) == Approx(neuron(3 - 0)));
  // A window that moves two columns fits once.
  CHECK(feature_maps_reference(image, weights, {2, 3, 2, 2, 2, 2}, ElementType::f64).count() == 2);
  CHECK_THROWS_AS(feature_maps_reference(image, weights, {2, 3, 2, 3, 1, 2}, ElementType::f64), InputError);
  CHECK_THROWS_AS(feature_maps_reference(image, weights, {2, 3, 2, 2, 1, 3}, ElementType::f64), InputError);
}
