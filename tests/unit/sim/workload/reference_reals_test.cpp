// Reference kernels of filters, transforms, products, stencils and particles, by cases that can be worked out by hand.
#include <cmath>

#include "tests/unit/sim/workload/reference_case.hpp"

namespace lockstep::reference_reals_test {

using lockstep::test::reference_differs;

namespace {

/// Numbers as a list of a descriptor.
std::string list(const std::vector<double>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

/// `expected` in single precision.
std::string single(const std::vector<double>& expected) {
  return fmt::format("{{values: {}, absolute: 1e-5, relative: 1e-6}}", list(expected));
}

std::string convolution3x3(int width, int height, const std::vector<double>& weights,
                           const std::vector<double>& expected, const std::string& more = "") {
  return reference_differs("convolution", fmt::format(R"yaml(
buffers:
  image: {{each: {0} * {1}, value: i + 1, type: u16}}
  result: {{zero: {0} * {1}, type: f32}}
entry: convolution_3x3
grid: 1
block: 32
parameters: [image, result, {0}, {1}, {{f64: {2}}}]
expect: {{result: {{values: {3}{4}}}}}
)yaml",
                                                      width, height, list(weights), list(expected), more));
}

std::string convolution1d(int length, int stride, const std::vector<double>& weights,
                          const std::vector<double>& expected) {
  return reference_differs("convolution", fmt::format(R"yaml(
buffers:
  input: {{values: [1, 2, 3, 4, 5, 6], type: f32}}
  weights: {{values: {}, type: f64}}
  result: {{zero: 6, type: f32}}
entry: convolution_1d
grid: 1
block: 32
parameters: [input, result, 6, {}, {}, weights, weights.count]
expect: {{result: {{values: {}}}}}
)yaml",
                                                      list(weights), length, stride, list(expected)));
}

std::string dft(const std::vector<double>& points, int length, int stride, int bits, int twiddled,
                const std::vector<double>& expected) {
  return reference_differs("dft", fmt::format(R"yaml(
buffers:
  points: {{values: {0}, type: f32}}
  result: {{zero: points.count, type: f32}}
  roots:
    each: 2 * {1} * {2}
    type: f64
    value: "i % 2 == 0 ? cos(i / 2 * 6.283185307179586477 / ({1} * {2})) : -sin(i / 2 * 6.283185307179586477 / ({1} * {2}))"
grid: 1
block: 32
parameters: [points, result, points.count / 2, {1}, {2}, {3}, {4}, roots]
expect: {{result: {5}}}
)yaml",
                                              list(points), length, stride, bits, twiddled, single(expected)));
}

std::string dct(const std::vector<double>& image, int width, int inverse, const std::vector<double>& expected) {
  return reference_differs("dct8x8", fmt::format(R"yaml(
buffers:
  image: {{values: {0}, type: f32}}
  result: {{zero: image.count, type: f32}}
  basis:
    each: 64
    type: f64
    value: "sqrt((i < 8 ? 1 : 2) / 8.0) * cos((2 * (i % 8) + 1) * (i / 8) * 3.141592653589793238 / 16)"
grid: 4
block: 32
parameters: [image, result, {1}, image.count / {1}, basis, {2}]
expect: {{result: {3}}}
)yaml",
                                                 list(image), width, inverse, single(expected)));
}

std::string walsh(int length, const std::vector<double>& expected) {
  return reference_differs("walsh", fmt::format(R"yaml(
buffers:
  samples: {{values: [1, 10, 100, 1000], type: f32}}
  scratch: {{zero: 4, type: f64}}
  result: {{zero: 4, type: f32}}
grid: 1
block: 32
parameters: [samples, scratch, result, 4 / {0}, {0}]
expect: {{result: {{values: {1}}}}}
)yaml",
                                                length, list(expected)));
}

std::string lu(const std::vector<double>& matrices, int size, int given, int columns,
               const std::vector<double>& expected) {
  return reference_differs("lu_decomposition", fmt::format(R"yaml(
buffers:
  matrices: {{values: {0}, type: f32}}
  exact: {{zero: matrices.count, type: f64}}
grid: 1
block: 32
launches:
  - {{entry: lu_begin, parameters: [matrices, exact, matrices.count]}}
  - repeat: {3}
    launches:
      - {{entry: lu_row, parameters: [exact, matrices.count, {1}, {2}, iteration]}}
      - {{entry: lu_column, parameters: [exact, matrices.count, {1}, {2}, iteration]}}
  - {{entry: lu_end, parameters: [exact, matrices, matrices.count]}}
expect: {{matrices: {4}}}
)yaml",
                                                           list(matrices), size, given, columns, single(expected)));
}

/// Steps of a stencil on cells, which `step` (launches of one step) takes from `exact` to `next`, or back.
std::string stencil(const std::vector<double>& cells, int width, int steps, const std::string& step,
                    const std::vector<double>& expected) {
  return reference_differs("stencils", fmt::format(R"yaml(
let: {{width: {1}, height: cells.count / {1}}}
buffers:
  cells: {{values: {0}, type: f32}}
  power: {{values: [1, 0], type: f32}}
  exact: {{zero: cells.count, type: f64}}
  next: {{zero: cells.count, type: f64}}
  coefficients: {{zero: cells.count, type: f64}}
grid: 1
block: 32
launches:
  - {{entry: stencil_begin, parameters: [cells, exact, width, height]}}
  - repeat: {2}
    launches:
{3}
  - {{entry: stencil_end, parameters: ["{2} % 2 == 0 ? exact : next", cells, width, height]}}
expect: {{cells: {4}}}
)yaml",
                                                   list(cells), width, steps, step, single(expected)));
}

constexpr const char *from = "\"iteration % 2 == 0 ? exact : next\"", *to = "\"iteration % 2 == 0 ? next : exact\"";

std::string srad(const std::vector<double>& image, int width, int steps, double lambda, double speckle,
                 const std::vector<double>& expected) {
  const std::string step = fmt::format(
      "      - {{entry: srad_coefficients, parameters: [{0}, coefficients, width, height, {3}]}}\n"
      "      - {{entry: srad_flow, parameters: [{0}, coefficients, {1}, width, height, {2}]}}",
      from, to, lambda, speckle);
  return stencil(image, width, steps, step, expected);
}

std::string hotspot(int width, int steps, const std::vector<double>& expected) {
  const std::string step = fmt::format(
      "      - {{entry: hotspot, parameters: [{}, power, {}, width, height, 0.5, 0.1, 0.2, 0.01, 0]}}", from, to);
  return stencil({10, 20}, width, steps, step, expected);
}

std::string particles(const std::vector<double>& positions, const std::vector<double>& charges,
                      const std::string& boxes, int in_a_box, double alpha, const std::vector<double>& expected) {
  return reference_differs("particle_boxes",
                           fmt::format(R"yaml(
buffers:
  positions: {{values: {}, type: f64}}
  charges: {{values: {}, type: f64}}
  forces: {{zero: positions.count, type: f64}}
entry: particle_boxes_f64
grid: 1
block: 32
parameters: [positions, charges, forces, {}, {}, {}]
expect: {{forces: {{values: {}, relative: 1e-14, absolute: 1e-14}}}}
)yaml",
                                       list(positions), list(charges), boxes, in_a_box, alpha, list(expected)));
}

}  // namespace

TEST_CASE("the convolution reference takes the nearest pixel outside the image") {
  // 1 2 3 / 4 5 6. Only the left upper neighbour: the image moved by one to the right and down, its edge repeated.
  CHECK(convolution3x3(3, 2, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 2, 1, 1, 2}) == "");
  // Only the right neighbour; only the lower one, scaled.
  CHECK(convolution3x3(3, 2, {0, 0, 0, 0, 0, 1, 0, 0, 0}, {2, 3, 3, 5, 6, 6}) == "");
  CHECK(convolution3x3(3, 2, {0, 0, 0, 0, 0, 0, 0, 0.5, 0}, {2, 2.5, 3, 2, 2.5, 3}) == "");
  // All nine of the middle pixel of 1..9.
  CHECK(convolution3x3(3, 3, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {45}, ", first: 4, count: 1") == "");
}

TEST_CASE("the one-dimensional convolution goes along lines and sees zeros outside") {
  // 1 2 3 / 4 5 6; weights of the element before, itself, and the one behind.
  CHECK(convolution1d(3, 1, {100, 10, 1}, {12, 123, 230, 45, 456, 560}) == "");
  CHECK(convolution1d(2, 3, {100, 10, 1}, {14, 25, 36, 140, 250, 360}) == "");
  // Five weights on lines of two: the outermost never meet anything.
  CHECK(convolution1d(2, 1, {7, 0, 0, 1, 7}, {2, 0, 4, 0, 6, 0}) == "");
  CHECK(convolution1d(6, 1, {2}, {2, 4, 6, 8, 10, 12}) == "");
}

TEST_CASE("the Fourier reference has the sign, order and factors that it states") {
  // Of 0, 1, 0, 0: the powers of -i.
  const std::vector<double> shifted{0, 0, 1, 0, 0, 0, 0, 0};
  CHECK(dft(shifted, 4, 1, 0, 0, {1, 0, 0, -1, -1, 0, 0, 1}) == "");
  CHECK(dft(shifted, 4, 1, 2, 0, {1, 0, -1, 0, 0, -1, 0, 1}) == "");
  // Two lines of two, two apart: (1, 3) and (2i, 4i); sum and difference.
  const std::vector<double> pairs{1, 0, 0, 2, 3, 0, 0, 4};
  CHECK(dft(pairs, 2, 2, 0, 0, {4, 0, 0, 6, -2, 0, 0, -2}) == "");
  // Result 1 of line 1 times exp(-2 pi i / 4) = -i: -2i becomes -2.
  CHECK(dft(pairs, 2, 2, 0, 1, {4, 0, 0, 6, -2, 0, -2, 0}) == "");
  // 1, 1, 1 has only a mean.
  CHECK(dft({1, 0, 1, 0, 1, 0}, 3, 1, 0, 0, {3, 0, 0, 0, 0, 0}) == "");
}

TEST_CASE("two Fourier transforms with factors between them are one of the product of their lengths") {
  // Eight points of whole numbers, by the definition; then four lines of two, four apart, and two lines of four.
  std::vector<double> points, once(16), half(16);
  for (int i = 0; i < 16; ++i) points.push_back((i * 37 % 23) - 11);
  const auto reversed = [](int k, int bits) {
    int result = 0;
    for (int bit = 0; bit < bits; ++bit) result |= (k >> bit & 1) << (bits - 1 - bit);
    return result;
  };
  const auto add = [](std::vector<double>& sums, int place, double real, double imaginary, double turns) {
    const double angle = -2 * 3.14159265358979324 * turns;
    sums[static_cast<std::size_t>(2 * place)] += real * std::cos(angle) - imaginary * std::sin(angle);
    sums[static_cast<std::size_t>(2 * place + 1)] += real * std::sin(angle) + imaginary * std::cos(angle);
  };
  for (int k = 0; k < 8; ++k) {
    for (int i = 0; i < 8; ++i) {
      const auto at = static_cast<std::size_t>(2 * i);
      add(once, reversed(k, 3), points[at], points[at + 1], i * k / 8.0);
      if (k < 2) add(half, i % 4 + 4 * k, points[at], points[at + 1], i / 4 * k / 2.0 + i % 4 * k / 8.0);
    }
  }
  CHECK(dft(points, 8, 1, 3, 0, once) == "");
  CHECK(dft(points, 2, 4, 1, 1, half) == "");
  CHECK(dft(half, 4, 1, 2, 0, once) == "");
}

TEST_CASE("the cosine transform of a constant block is its mean, and the inverse undoes it") {
  std::vector<double> flat(64, 3.0), corner(64, 0.0), slope(128);
  corner[0] = 24;
  CHECK(dct(flat, 8, 0, corner) == "");
  CHECK(dct(corner, 8, 1, flat) == "");
  // A wave of one horizontal frequency in the right one of two blocks has one coefficient, whose square is the wave's
  // energy: 4 in each of eight rows.
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      slope[16 * y + 8 + x] = std::cos((2.0 * static_cast<double>(x) + 1) * 3 * 3.14159265358979324 / 16);
    }
  }
  std::vector<double> wave(128, 0.0);
  wave[8 + 3] = std::sqrt(32.0);
  CHECK(dct(slope, 16, 0, wave) == "");
  CHECK(dct(wave, 16, 1, slope) == "");
}

TEST_CASE("the Haar reference puts the approximation first, then details from coarse to fine") {
  const double s = std::sqrt(0.5);
  // 1 3 | 5 9: sums 4 14, differences -2 -4; then 18 and -10, halved.
  CHECK(reference_differs("haar", R"yaml(
buffers:
  samples: {values: [1, 3, 5, 9], type: f32}
  even: {zero: 4, type: f64}
  odd: {zero: 2, type: f64}
  result: {zero: 4, type: f32}
grid: 1
block: 32
launches:
  - {entry: haar_begin, parameters: [samples, even, 4]}
  - {entry: haar_level, parameters: [even, odd, result, 2]}
  - {entry: haar_level, parameters: [odd, even, result, 1]}
expect: {result: )yaml" + single({9, -5, -2 * s, -4 * s}) +
                                      "}\n") == "");
}

TEST_CASE("the Walsh reference multiplies with the Hadamard matrix") {
  // Row k has minus where i and k share an odd number of bits.
  CHECK(walsh(4, {1111, -909, -1089, 891}) == "");
  CHECK(walsh(2, {11, -9, 1100, -900}) == "");
  CHECK(walsh(1, {1, 10, 100, 1000}) == "");
}

TEST_CASE("the scalar products are those of each pair of vectors") {
  CHECK(reference_differs("products", R"yaml(
buffers:
  a: {values: [1, 2, 3, 4], type: f32}
  b: {values: [5, 6, 7, 8], type: f32}
  products: {zero: 2, type: f32}
entry: scalar_product
grid: 1
block: 32
parameters: [a, b, products, 2, 2]
expect: {products: {values: [17, 53]}}
)yaml") == "");
}

TEST_CASE("the matrix product takes the first matrix as it is, or transposed") {
  for (const auto& [a, steps] : {std::pair{"[1, 2, 3, 4, 5, 6]", "2, 1"}, std::pair{"[1, 3, 5, 2, 4, 6]", "1, 3"}}) {
    CHECK(reference_differs("products", fmt::format(R"yaml(
buffers:
  a: {{values: {}, type: f32}}
  b: {{values: [1, 10, 100, 2, 20, 200], type: f32}}
  product: {{zero: 9, type: f32}}
entry: matrix_product
grid: 1
block: 32
parameters: [a, b, product, 3, 3, 2, {}]
expect: {{product: {{values: [5, 50, 500, 11, 110, 1100, 17, 170, 1700]}}}}
)yaml",
                                                    a, steps)) == "");
  }
}

TEST_CASE("a layer sums products group by group") {
  for (const auto& [group, expected] : {std::pair{2, "[5, 50, 25, 250]"}, std::pair{4, "[30, 300, 0, 0]"}}) {
    CHECK(reference_differs("products", fmt::format(R"yaml(
buffers:
  inputs: {{values: [1, 2, 3, 4], type: f32}}
  weights: {{values: [1, 10, 2, 20, 3, 30, 4, 40], type: f32}}
  sums: {{zero: 4, type: f32}}
entry: layer
grid: 1
block: 32
parameters: [inputs, weights, sums, 4, 2, {}]
expect: {{sums: {{values: {}}}}}
)yaml",
                                                    group, expected)) == "");
  }
}

TEST_CASE("the LU reference leaves L and U where the matrix was, as far as it is told to go") {
  const std::vector<double> matrix{2, 4, 6, 1, 5, 7, 4, 2, 8};
  // L = (1) (1/2 1) (2 -2 1), U = (2 4 6) (3 4) (4).
  CHECK(lu(matrix, 3, 0, 3, {2, 4, 6, 0.5, 3, 4, 2, -2, 4}) == "");
  CHECK(lu(matrix, 3, 0, 1, {2, 4, 6, 0.5, 5, 7, 2, 2, 8}) == "");
  CHECK(lu(matrix, 3, 0, 0, matrix) == "");
  // The upper left 2x2 is decomposed already; the last element is not reached.
  CHECK(lu({2, 4, 6, 0.5, 3, 7, 4, 2, 8}, 3, 2, 2, {2, 4, 6, 0.5, 3, 4, 2, -2, 8}) == "");
  // Two matrices.
  CHECK(lu({4, 2, 2, 5, 1, 0, 3, 1}, 2, 0, 2, {4, 2, 0.5, 4, 1, 0, 3, 1}) == "");
}

TEST_CASE("speckle reduction lets two pixels exchange with the coefficient of the eastern one") {
  // Of the pixel 2 beside 1: squares 1/4, sum -1/2, variation (1/8 - 1/64) / (7/8)^2 = 1/7; with an even area's 0.1 the
  // coefficient is 1 / (1 + (1/7 - 0.1) / 0.11) = 0.7196...
  const double coefficient = 1 / (1 + (1 / 7.0 - 0.1) / 0.11);
  const double flow = coefficient / 4;
  CHECK(srad({1, 2}, 2, 1, 1, 0.1, {1 + flow, 2 - flow}) == "");
  // Below the other: the same with the southern one.
  CHECK(srad({1, 2}, 1, 1, 0.5, 0.1, {1 + flow / 2, 2 - flow / 2}) == "");
  // Less variation than an even area has: limited to 1.
  CHECK(srad({1, 2}, 2, 1, 1, 10, {1.25, 1.75}) == "");
  CHECK(srad({3, 3, 3, 3}, 2, 5, 1, 0.1, {3, 3, 3, 3}) == "");
}

TEST_CASE("cells exchange heat with neighbours and with the outside") {
  // 10 + 0.5 (1 + 10 x 0.1 - 10 x 0.01) and 20 + 0.5 (0 - 10 x 0.1 - 20 x 0.01).
  CHECK(hotspot(2, 1, {10.95, 19.4}) == "");
  // The same cells in a column exchange by 0.2.
  CHECK(hotspot(1, 1, {11.45, 18.9}) == "");
  // A second step: 8.45 apart.
  CHECK(hotspot(2, 2, {10.95 + 0.5 * (1 + 0.845 - 0.1095), 19.4 + 0.5 * (-0.845 - 0.194)}) == "");
}

TEST_CASE("MRI-Q turns each sample by the product of its frequency and the point") {
  // Points (0.25, 0, 0) and (0, 0.5, 1). First sample: a quarter turn and half a turn; second: none, and a quarter turn.
  for (const auto& [entry, expected] :
       {std::pair{"mri_q_real", std::vector<double>{3, -2}}, std::pair{"mri_q_imaginary", std::vector<double>{2, 3}}}) {
    CHECK(reference_differs("mri_q", fmt::format(R"yaml(
buffers:
  coordinates: {{values: [0.25, 0, 0, 0.5, 0, 1], type: f32}}
  samples: {{values: [1, 1, 0, 2, 0, 0, 0.25, 3], type: f32}}
  result: {{zero: 2, type: f32}}
entry: {}
grid: 1
block: 32
parameters: [coordinates, samples, result, 2, 2]
expect: {{result: {}}}
)yaml",
                                                 entry, single(expected))) == "");
  }
}

TEST_CASE("sine and cosine of any number of turns are those of the C library") {
  // One sample (1, 0, 0, 1): the point is the number of turns. Far more places than the results are rounded to.
  for (const auto& [entry, function] : {std::pair{"mri_q_real", "cos"}, std::pair{"mri_q_imaginary", "sin"}}) {
    CHECK(reference_differs("mri_q", fmt::format(R"yaml(
buffers:
  coordinates: {{each: 3000, value: "i < 1000 ? (i - 500) / 64.0 : 0", type: f32}}
  samples: {{values: [1, 0, 0, 1], type: f32}}
  result: {{zero: 1000, type: f32}}
entry: {}
grid: 8
block: 128
parameters: [coordinates, samples, result, 1000, 1]
expect: {{result: {{each: "{}(6.283185307179586477 * coordinates[i])", absolute: 1e-9, relative: 6e-8}}}}
)yaml",
                                                 entry, function)) == "");
  }
}

TEST_CASE("a feature map sums windows of all inputs, and its bias") {
  const auto neuron = [](double sum) { return 1.7159 * std::tanh(sum / 1.5); };
  const auto maps = [](int stride, int count, const std::vector<double>& expected) {
    // One image of two maps of 3 x 2, windows of 2 x 2 and two outputs.
    return reference_differs("feature_maps", fmt::format(R"yaml(
buffers:
  image: {{values: [1, 2, 3, 4, 5, 6, 0, 1, 0, 2, 0, 4], type: f32}}
  weights: {{values: [0.5, 1, 0, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 0, 0.5, 0, -1, 0, 0], type: f32}}
  neurons: {{zero: {1}, type: f32}}
grid: 1
block: 32
parameters: [image, weights, neurons, {1}, {{s32: [2, 3, 2, 2, {0}, 2]}}]
expect: {{neurons: {2}}}
)yaml",
                                                         stride, count, single(expected)));
  };
  CHECK(maps(1, 4, {neuron(0.5 + 1 + 0.5), neuron(0.5 + 2), neuron(2.5 - 1), neuron(3)}) == "");
  // A window that moves two columns fits once.
  CHECK(maps(2, 2, {neuron(0.5 + 1 + 0.5), neuron(2.5 - 1)}) == "");
}

TEST_CASE("particles feel those of their own box and of boxes that touch it") {
  // One particle (v = 0) in each of three boxes in a row, alpha^2 = 1/2, so that u = exp(p . p').
  const std::vector<double> positions{0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3}, charges{1, 10, 100};
  const double e = std::exp(1.0), e4 = std::exp(4.0), e9 = std::exp(9.0), alpha = std::sqrt(0.5);
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
  for (const char* boxes : {"3, 1, 1", "1, 3, 1", "1, 1, 3"})
    CHECK(particles(positions, charges, boxes, 1, alpha, sums) == "");
  // In one box, each sees all.
  std::vector<double> all = sums;
  all[0] = e + 110;
  all[1] = 2 * (10 * 1.0 + 100 * 1.0);
  all[3] = 2 * 100 * -3.0;
  all[8] = 11 + 100 * e9;
  all[9] = 2 * 1 * -1.0;
  all[11] = 2 * (10 * 3.0 + 1 * 3.0);
  CHECK(particles(positions, charges, "1, 1, 1", 3, alpha, all) == "");
  // v counts against the product: exp(-2 alpha^2 (v + v')).
  CHECK(particles({0.25, 0, 0, 0}, {3}, "1, 1, 1", 1, 1, {3 / e, 0, 0, 0}) == "");
}

}  // namespace lockstep::reference_reals_test
