#pragma once
// Which element of a matrix lies where in the registers of a warp (PTX ISA, "Matrix fragments for mma" of each shape, which
// are all of one pattern). A register holds `per_register` elements of A or B: as many as fit into 32 bits, or one of 64.

#include <cstdint>

namespace lockstep::exec::matrix {

inline constexpr unsigned columns = 8;      ///< Of B, C and D.
inline constexpr unsigned most_rows = 16;   ///< Of A, C and D.
inline constexpr unsigned most_depth = 32;  ///< Columns of A, rows of B.

struct Element {
  unsigned row, column;
};

/// Of A: element j of register r of a lane.
constexpr Element of_a(unsigned lane, unsigned r, unsigned j, unsigned per_register) {
  return {lane / 4 + 8 * (r & 1), (r >> 1) * 4 * per_register + lane % 4 * per_register + j};
}

/// Of A of 8 rows, of which a lane has registers for other columns only.
constexpr Element of_low_a(unsigned lane, unsigned r, unsigned j, unsigned per_register) {
  return {lane / 4, r * 4 * per_register + lane % 4 * per_register + j};
}

/// Of B, which is A of 8 rows transposed.
constexpr Element of_b(unsigned lane, unsigned r, unsigned j, unsigned per_register) {
  const Element one = of_low_a(lane, r, j, per_register);
  return {one.column, one.row};
}

/// Of C and D: value i of a lane, two of which are neighbours in a row.
constexpr Element of_c(unsigned lane, unsigned i) {
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

/// Of an 8x8 matrix of 16-bit elements as ldmatrix, stmatrix and movmatrix hold it: half j of a lane's register.
constexpr Element of_tile(unsigned lane, unsigned j) {
  return {lane / 4, lane % 4 * 2 + j};
}

}  // namespace lockstep::exec::matrix
