#pragma once
// Built-in expected results, computed on the CPU in the plainest way. They share nothing with the kernels.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/buffers.hpp"

namespace lockstep::workload {

/// How often each bin occurs among the pixels: bin = pixel * bins / levels, rounded down. InputError for a pixel that
/// is not in 0 to levels - 1.
Elements histogram_reference(const Elements& pixels, std::uint64_t bins, std::uint64_t levels, ElementType type);

/// a + b, element by element. Floating-point sums are rounded once to `type`.
Elements vector_add_reference(const Elements& a, const Elements& b, ElementType type);

/// 3x3 convolution of an image of `width` elements a row; weights row by row. What lies outside has the value of the
/// nearest pixel inside. Computed in double precision, rounded once.
Elements convolution3x3_reference(const Elements& input, std::uint64_t width, std::uint64_t height,
                                  const std::array<double, 9>& weights, ElementType type);

/// The matrix of `height` rows of `width` elements, as `width` rows of `height` elements.
Elements transpose_reference(const Elements& input, std::uint64_t width, std::uint64_t height, ElementType type);

/// Chains of dependent operations that begin with the elements of `input`, a quarter of which are the first chains of all
/// threads, the next quarter the second, and so on: `values` = every element after one operation, then after `length`
/// more in the first `chains` quarters, and as it was in the others. Integers begin with the bits of a single-precision
/// element, f16x2 operations with two halves of its value. 32 neighbours are a warp. InputError for an unknown operation.
struct ChainOperands {
  Number a, b;
};
Elements arithmetic_chain_reference(const std::string& operation, const Elements& input, const ChainOperands& operands,
                                    std::uint64_t chains, std::uint64_t length, ElementType type);

/// table[index] for each index; 0 where the table has no such element.
Elements gather_reference(const Elements& table, const Elements& indices, ElementType type);

/// The sum of all elements, as one element.
Elements sum_reference(const Elements& input, ElementType type);

/// Row-major matrices of `size` x `size`, one after the other, as decomposition into L (whose diagonal is 1) and U without
/// pivoting leaves them after `columns` columns: what lies in the first `columns` rows or columns is L and U, the rest is
/// as it was. The first `given` rows and columns hold L and U where they cross. Computed in double precision.
Elements lu_decomposition_reference(const Elements& matrices, std::uint64_t size, std::uint64_t given,
                                    std::uint64_t columns, ElementType type);

/// The sum of all elements of a row up to each element, with it or (`exclusive`) without it. Rows of `row` elements; the
/// last one may be shorter. Floating-point sums in double precision.
Elements prefix_sum_reference(const Elements& input, std::uint64_t row, bool exclusive, ElementType type);

/// Of an image of whole numbers, `width` a row: the sum of all elements above and to the left of each, with it and what
/// lies in its row and column. Rows of the result lie `pitch` elements apart, with zeros between them.
Elements integral_image_reference(const Elements& input, std::uint64_t width, std::uint64_t pitch, ElementType type);

/// The sum of each row of `row` elements; the last one may be shorter.
Elements row_sums_reference(const Elements& input, std::uint64_t row, ElementType type);

/// The values in the order of `bits` bits of their keys, from bit `first_bit` on. Equal ones stay as they were.
Elements sort_reference(const Elements& keys, const Elements& values, std::uint64_t first_bit, std::uint64_t bits,
                        ElementType type);

/// The tiles of an alignment that are computed: rows of `width` scores, the first row and column a border, the rest in
/// tiles of `tile` x `tile`, whose anti-diagonals count from 0 in the left upper corner.
struct AlignedTiles {
  std::uint64_t width, tile, first_diagonal, last_diagonal;
};
/// Scores of a global alignment (Needleman and Wunsch) in these tiles, the others as they were.
Elements needleman_wunsch_reference(const Elements& scores, const Elements& similarity, const AlignedTiles& tiles,
                                    std::int64_t penalty, ElementType type);

/// Votes of points (x + 65536 y) for lines: for each direction (a cosine and a sine), how many points have
/// x cosine + y sine + origin in 0 to 1, in 1 to 2, and so on, `bins` of them; fma(x, cosine, fma(y, sine, origin)) in
/// single precision.
Elements hough_reference(const Elements& points, const Elements& directions, std::uint64_t bins, double origin,
                         ElementType type);

/// Steps of speckle reducing anisotropic diffusion (Yu and Acton) of a positive image, each with the same squared
/// coefficient of variation `speckle` of an even area. Outside lies the nearest pixel.
struct SpeckleReduction {
  double lambda, speckle;
};
Elements srad_reference(const Elements& image, std::uint64_t width, std::uint64_t height, std::uint64_t steps,
                        const SpeckleReduction& how, ElementType type);

/// Steps of heat exchange: a cell grows by warming * (power + x * (both neighbours in its row - 2 * itself) + y * (those
/// in its column - 2 * itself) + z * (ambient - itself)). Outside lies the nearest cell.
struct HeatExchange {
  double warming, x, y, z, ambient;
};
Elements hotspot_reference(const Elements& temperature, const Elements& power, std::uint64_t width,
                           std::uint64_t height, std::uint64_t steps, const HeatExchange& how, ElementType type);

/// What each `group` inputs add to the `outputs` outputs of a layer: sums of input * weight, group by group. Weights lie
/// row by row, a row for each input.
Elements layer_reference(const Elements& inputs, const Elements& weights, std::uint64_t outputs, std::uint64_t group,
                         ElementType type);

/// The cheapest ways down a grid of `width` whole numbers a row: for each column of the last row the least sum of one
/// number from each row, where a way goes at most one column to the side from row to row. Ways may use the first and last
/// `border` columns, whose results are left out.
Elements path_finder_reference(const Elements& grid, std::uint64_t width, std::uint64_t border, ElementType type);

/// Q of magnetic resonance imaging: for each point the sum over all samples (kx, ky, kz, phi) of phi times the cosine, or
/// the sine, of 2 pi (kx x + ky y + kz z). `coordinates`: all x, then all y, then all z. In double precision.
Elements mri_q_reference(const Elements& samples, const Elements& coordinates, bool imaginary, ElementType type);

/// A layer of a convolutional neural network, image by image: `outputs` feature maps, each from all `inputs` maps of
/// `width` x `height` by a window of `kernel` x `kernel` that moves `stride` elements. Of each output map the weights are its
/// bias, then windows row by row, map by map. A neuron is 1.7159 tanh(2/3 of its sum), LeCun's. In double precision.
struct FeatureMaps {
  std::uint64_t inputs, width, height, kernel, stride, outputs;
};
Elements feature_maps_reference(const Elements& images, const Elements& weights, const FeatureMaps& maps,
                                ElementType type);

// Of the following, a line is `length` elements that lie `stride` apart; lines fill the buffer, and stride * length
// neighbours are `stride` lines. With stride 1 the rows of a matrix of that width, with its width the columns.

/// Convolution of each line: weights[k] belongs to the neighbour k - weights.size() / 2 places on. Zeros lie outside.
/// Computed in double precision, rounded once.
Elements convolution1d_reference(const Elements& input, std::uint64_t length, std::uint64_t stride,
                                 const std::vector<double>& weights, ElementType type);

/// Discrete Fourier transform of each line of complex numbers (real part, imaginary part): sum of x[i] exp(-2 pi i k /
/// length). InputError for a bit-reversed order of a length that is no power of two.
struct DftForm {
  std::uint64_t length, stride;
  /// Result k of a line lies where k's bits reversed say.
  bool bit_reversed = false;
  /// Result k of line n of `stride` neighbours is multiplied by exp(-2 pi i n k / (length * stride)), as between the two
  /// halves of a longer transform.
  bool twiddled = false;
};
Elements dft_reference(const Elements& input, const DftForm& form, ElementType type);

/// Orthonormal two-dimensional DCT-II of each 8x8 block of an image, or its inverse.
Elements dct8x8_reference(const Elements& input, std::uint64_t width, std::uint64_t height, bool inverse,
                          ElementType type);

/// Orthonormal Haar decomposition of the whole buffer, down to one approximation: it comes first, then the details from
/// the coarsest level to the finest.
Elements haar_reference(const Elements& input, ElementType type);

/// Walsh-Hadamard transform of every `length` neighbours, in Hadamard order: sum of x[i] (-1)^(bits that i and k share).
Elements walsh_reference(const Elements& input, std::uint64_t length, ElementType type);

/// The scalar product of every `length` neighbours.
Elements dot_reference(const Elements& a, const Elements& b, std::uint64_t length, ElementType type);

/// a * b, row by row; `a` has rows x inner elements, inner x rows when it is given transposed.
struct MatrixProductShape {
  std::uint64_t rows, columns, inner;
  bool a_transposed = false;
};
Elements matrix_product_reference(const Elements& a, const Elements& b, const MatrixProductShape& shape,
                                  ElementType type);

/// Particles (v, x, y, z) in boxes, x fastest: of each the sum over all particles of its own and the surrounding boxes of
/// q exp(-2 alpha^2 r2), and of that times 2 (x, y, z) of the difference, with r2 = v + v' - (x, y, z) . (x', y', z').
struct ParticleBoxes {
  std::uint64_t x, y, z, particles;  ///< Boxes in each direction; particles in each box.
  double alpha = 0;
};
Elements particle_boxes_reference(const Elements& positions, const Elements& charges, const ParticleBoxes& boxes,
                                  ElementType type);

}  // namespace lockstep::workload
