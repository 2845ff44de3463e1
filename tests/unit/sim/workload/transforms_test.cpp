// The references of transforms, products and particles, by cases that can be worked out by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"
#include "tests/unit/sim/workload/reference_elements.hpp"

using namespace lockstep;
using namespace lockstep::workload;

namespace {

Elements doubles(const std::vector<double>& values) {
  return test::elements(ElementType::f64, values);
}

}  // namespace

TEST_CASE("the one-dimensional convolution goes along lines and sees zeros outside") {
  const Elements matrix = doubles({1, 2, 3, 4, 5, 6});  // 1 2 3 / 4 5 6
  // Weights of the element before, itself, and the one behind.
  test::check_elements(convolution1d_reference(matrix, 3, 1, {100, 10, 1}, ElementType::f64),
                       {12, 123, 230, 45, 456, 560});
  test::check_elements(convolution1d_reference(matrix, 2, 3, {100, 10, 1}, ElementType::f64),
                       {14, 25, 36, 140, 250, 360});
  // Five weights on lines of two: the outermost never meet anything.
  test::check_elements(convolution1d_reference(matrix, 2, 1, {7, 0, 0, 1, 7}, ElementType::f64), {2, 0, 4, 0, 6, 0});
  test::check_elements(convolution1d_reference(matrix, 6, 1, {2}, ElementType::f64), {2, 4, 6, 8, 10, 12});
  CHECK_THROWS_AS(convolution1d_reference(matrix, 3, 1, {1, 1}, ElementType::f64), InputError);
  CHECK_THROWS_AS(convolution1d_reference(matrix, 4, 1, {1}, ElementType::f64), InputError);
  CHECK_THROWS_AS(convolution1d_reference(matrix, 3, 4, {1}, ElementType::f64), InputError);
}

TEST_CASE("the Fourier reference has the sign, order and factors that it states") {
  // Of 0, 1, 0, 0: the powers of -i.
  const Elements shifted = doubles({0, 0, 1, 0, 0, 0, 0, 0});
  test::check_elements(dft_reference(shifted, {4, 1}, ElementType::f64), {1, 0, 0, -1, -1, 0, 0, 1});
  test::check_elements(dft_reference(shifted, {4, 1, true}, ElementType::f64), {1, 0, -1, 0, 0, -1, 0, 1});
  // Two lines of two, two apart: (1, 3) and (2i, 4i); sum and difference.
  const Elements pairs = doubles({1, 0, 0, 2, 3, 0, 0, 4});
  test::check_elements(dft_reference(pairs, {2, 2}, ElementType::f64), {4, 0, 0, 6, -2, 0, 0, -2});
  // Result 1 of line 1 times exp(-2 pi i / 4) = -i: -2i becomes -2.
  test::check_elements(dft_reference(pairs, {2, 2, false, true}, ElementType::f64), {4, 0, 0, 6, -2, 0, -2, 0});
  // Three points have no bit-reversed order; 1, 1, 1 has only a mean.
  const Elements three = doubles({1, 0, 1, 0, 1, 0});
  test::check_elements(dft_reference(three, {3, 1}, ElementType::f64), {3, 0, 0, 0, 0, 0});
  CHECK_THROWS_AS(dft_reference(three, {3, 1, true}, ElementType::f64), InputError);
  CHECK_THROWS_AS(dft_reference(three, {2, 1}, ElementType::f64), InputError);
  CHECK_THROWS_AS(dft_reference(three, {3, 2}, ElementType::f64), InputError);
}

TEST_CASE("two Fourier transforms with factors between them are one of the product of their lengths") {
  // Eight points: four lines of two, four apart, then two lines of four.
  std::vector<double> values;
  for (int i = 0; i < 16; ++i) values.push_back((i * 37 % 23) - 11);
  const Elements points = doubles(values);
  const Elements once = dft_reference(points, {8, 1, true}, ElementType::f64);
  const Elements half = dft_reference(points, {2, 4, true, true}, ElementType::f64);
  const Elements twice = dft_reference(half, {4, 1, true}, ElementType::f64);
  for (std::uint64_t i = 0; i < 16; ++i) CHECK(twice.real(i) == Approx(once.real(i)).margin(1e-12));
}

TEST_CASE("the cosine transform of a constant block is its mean, and the inverse undoes it") {
  std::vector<double> flat(64, 3.0), corner(64, 0.0), slope(128);
  corner[0] = 24;
  test::check_elements(dct8x8_reference(doubles(flat), 8, 8, false, ElementType::f64), corner);
  test::check_elements(dct8x8_reference(doubles(corner), 8, 8, true, ElementType::f64), flat);
  // A wave of one horizontal frequency in the right one of two blocks has one coefficient, whose square is the wave's
  // energy: 4 in each of eight rows.
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      slope[16 * y + 8 + x] = std::cos((2.0 * static_cast<double>(x) + 1) * 3 * 3.14159265358979324 / 16);
    }
  }
  std::vector<double> wave(128, 0.0);
  wave[8 + 3] = std::sqrt(32.0);
  test::check_elements(dct8x8_reference(doubles(slope), 16, 8, false, ElementType::f64), wave);
  test::check_elements(dct8x8_reference(doubles(wave), 16, 8, true, ElementType::f64), slope);
  CHECK_THROWS_AS(dct8x8_reference(doubles(flat), 16, 4, false, ElementType::f64), InputError);
  CHECK_THROWS_AS(dct8x8_reference(doubles(flat), 8, 16, false, ElementType::f64), InputError);
}

TEST_CASE("the Haar reference puts the approximation first, then details from coarse to fine") {
  const double s = std::sqrt(0.5);
  // 1 3 | 5 9: sums 4 14, differences -2 -4; then 18 and -10, halved.
  test::check_elements(haar_reference(doubles({1, 3, 5, 9}), ElementType::f64), {9, -5, -2 * s, -4 * s});
  test::check_elements(haar_reference(doubles({7}), ElementType::f64), {7});
  CHECK_THROWS_AS(haar_reference(doubles({1, 2, 3}), ElementType::f64), InputError);
  CHECK_THROWS_AS(haar_reference(doubles({}), ElementType::f64), InputError);
}

TEST_CASE("the Walsh reference multiplies with the Hadamard matrix") {
  // Row k has minus where i and k share an odd number of bits.
  test::check_elements(walsh_reference(doubles({1, 10, 100, 1000}), 4, ElementType::f64), {1111, -909, -1089, 891});
  test::check_elements(walsh_reference(doubles({1, 10, 100, 1000}), 2, ElementType::f64), {11, -9, 1100, -900});
  test::check_elements(walsh_reference(doubles({1, 10}), 1, ElementType::f64), {1, 10});
  CHECK_THROWS_AS(walsh_reference(doubles({1, 2, 3}), 3, ElementType::f64), InputError);
  CHECK_THROWS_AS(walsh_reference(doubles({1, 2, 3}), 2, ElementType::f64), InputError);
}

TEST_CASE("the scalar products are those of each pair of vectors") {
  test::check_elements(dot_reference(doubles({1, 2, 3, 4}), doubles({5, 6, 7, 8}), 2, ElementType::f64), {17, 53});
  CHECK_THROWS_AS(dot_reference(doubles({1, 2}), doubles({1}), 1, ElementType::f64), InputError);
  CHECK_THROWS_AS(dot_reference(doubles({1, 2, 3}), doubles({1, 2, 3}), 2, ElementType::f64), InputError);
}

TEST_CASE("the matrix product takes the first matrix as it is, or transposed") {
  const Elements b = doubles({1, 10, 100, 2, 20, 200});  // 1 10 100 / 2 20 200
  const std::vector<double> product{5, 50, 500, 11, 110, 1100, 17, 170, 1700};
  test::check_elements(matrix_product_reference(doubles({1, 2, 3, 4, 5, 6}), b, {3, 3, 2}, ElementType::f64), product);
  test::check_elements(matrix_product_reference(doubles({1, 3, 5, 2, 4, 6}), b, {3, 3, 2, true}, ElementType::f64),
                       product);
  CHECK_THROWS_AS(matrix_product_reference(b, b, {3, 2, 2}, ElementType::f64), InputError);
}

TEST_CASE("particles feel those of their own box and of boxes that touch it") {
  // One particle (v = 0) in each of three boxes in a row, alpha^2 = 1/2, so that u = exp(p . p').
  const Elements positions = doubles({0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3});
  const Elements charges = doubles({1, 10, 100});
  const double e = std::exp(1.0), e4 = std::exp(4.0), e9 = std::exp(9.0);
  // All products of different particles are 0, so u is 1 there.
  const std::vector<double> sums{e + 10,
                                 2 * 10 * 1.0,
                                 2 * 10 * -2.0,
                                 0,  // sees the second
                                 1 + 10 * e4 + 100,
                                 2 * 1 * -1.0,
                                 2 * (1 * 2.0 + 100 * 2.0),
                                 2 * 100 * -3.0,  // sees both others
                                 10 + 100 * e9,
                                 0,
                                 2 * 10 * -2.0,
                                 2 * 10 * 3.0};  // sees the second
  test::check_elements(particle_boxes_reference(positions, charges, {3, 1, 1, 1, std::sqrt(0.5)}, ElementType::f64),
                       sums);
  test::check_elements(particle_boxes_reference(positions, charges, {1, 3, 1, 1, std::sqrt(0.5)}, ElementType::f64),
                       sums);
  test::check_elements(particle_boxes_reference(positions, charges, {1, 1, 3, 1, std::sqrt(0.5)}, ElementType::f64),
                       sums);
  // In one box, each sees all.
  const Elements all = particle_boxes_reference(positions, charges, {1, 1, 1, 3, std::sqrt(0.5)}, ElementType::f64);
  CHECK(all.real(0) == Approx(e + 110));
  CHECK(all.real(3) == Approx(2 * 100 * -3.0));
  // v counts against the product: exp(-2 alpha^2 (v + v')).
  test::check_elements(
      particle_boxes_reference(doubles({0.25, 0, 0, 0}), doubles({3}), {1, 1, 1, 1, 1}, ElementType::f64),
      {3 / e, 0, 0, 0});
  CHECK_THROWS_AS(particle_boxes_reference(positions, charges, {2, 1, 1, 1, 1}, ElementType::f64), InputError);
}
