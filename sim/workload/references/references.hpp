#pragma once
// Built-in expected results, computed on the CPU in the plainest way. They share nothing with the kernels.

#include <array>
#include <cstdint>
#include <string>

#include "sim/workload/buffers.hpp"

namespace lockstep::workload {

/// How often each bin occurs among the pixels: bin = pixel * bins / levels, rounded down. InputError for a pixel that
/// is
/// not in 0 to levels - 1.
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

}  // namespace lockstep::workload
