#include "isa/ptx/wmma/fragment.hpp"

#include <algorithm>

namespace lockstep::ptx::wmma {

namespace {

constexpr unsigned side = 8;         ///< Rows of A or columns of B in a tile; rows and columns of C.
constexpr unsigned line_bytes = 16;  ///< Of a tile of A or B, but of f64.

/// Whether the hardware multiplies a matrix of factors as its first one, of 16 rows, rather than as the second, of 8 columns.
bool comes_first(const Transfer& transfer) {
  return (transfer.part == Part::a) != transfer.shape.flipped();
}

/// Takes tiles in the order of their registers: those of a first factor, and of sums, two rows of tiles at a time.
template <class Add>
void in_pairs(unsigned rows, unsigned columns, Add&& add) {
  for (unsigned first = 0; first < rows; first += 2)
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned row = first; row < std::min(first + 2, rows); ++row) add(row, column);
}

Fragment factor(const Transfer& transfer) {
  const unsigned bytes = bytes_of(transfer.elements);
  const unsigned outer = (transfer.part == Part::a ? transfer.shape.m : transfer.shape.n) / side;
  const unsigned depth = transfer.elements == Elements::f64 ? 4 : line_bytes / bytes;  // Of a tile, in elements.
  const unsigned inner = transfer.shape.k / depth;
  // What is summed over is contiguous.
  const bool along = transfer.columns == (transfer.part == Part::b);
  Fragment result;
  result.register_bytes = std::max(bytes, 4u);
  if (along) {
    result.pattern = {Pattern::Kind::words, depth * bytes / 4, 1};
  } else if (bytes == 2) {
    result.method = Method::transposed;
  } else {
    result.method = bytes == 1 ? Method::bytes : Method::scattered;
    result.pattern = {Pattern::Kind::elements, bytes, depth / 4};
  }
  const auto add = [&](unsigned x, unsigned k) {
    const Piece piece = along ? Piece{x * side, k * depth * bytes} : Piece{k * depth, x * side * bytes};
    Tile tile;
    const unsigned accesses = result.method == Method::bytes ? 4 : 1;
    for (unsigned j = 0; j < accesses; ++j) tile.pieces.push_back({piece.line + j, piece.byte});
    result.tiles.push_back(std::move(tile));
  };
  if (comes_first(transfer)) {
    in_pairs(outer, inner, add);
  } else {
    for (unsigned x = 0; x < outer; ++x)
      for (unsigned k = 0; k < inner; ++k) add(x, k);
  }
  return result;
}

Fragment sums(const Transfer& transfer) {
  const unsigned bytes = bytes_of(transfer.elements);
  const bool flipped = transfer.shape.flipped();
  const unsigned rows = (flipped ? transfer.shape.n : transfer.shape.m) / side;
  const unsigned columns = (flipped ? transfer.shape.m : transfer.shape.n) / side;
  const bool along = transfer.columns == flipped;
  Fragment result;
  result.register_bytes = std::max(bytes, 4u);
  result.registers = bytes == 2 ? 1 : 2;
  if (along) {
    result.pattern = {Pattern::Kind::words, 2 * bytes, 1};
  } else if (bytes == 2) {
    result.method = Method::transposed;
  } else {
    result.method = Method::scattered;
    result.pattern = {Pattern::Kind::elements, bytes, 2};
  }
  in_pairs(rows, columns, [&](unsigned row, unsigned column) {
    const unsigned line = along ? row : column, across = along ? column : row;
    Tile tile;
    const unsigned accesses = result.method == Method::scattered ? 2 : 1;
    for (unsigned j = 0; j < accesses; ++j) tile.pieces.push_back({line * side + j, across * side * bytes});
    result.tiles.push_back(std::move(tile));
  });
  return result;
}

}  // namespace

Fragment fragment_of(const Transfer& transfer) {
  return transfer.part == Part::sums ? sums(transfer) : factor(transfer);
}

MatrixLoads matrix_loads_of(const Transfer& transfer, const Fragment& fragment) {
  const unsigned bytes = bytes_of(transfer.elements);
  if (!transfer.in_shared || transfer.part == Part::sums || bytes > 2) return {};
  if (fragment.method == Method::bytes) return {};
  MatrixLoads loads;
  loads.matrices = std::min(static_cast<unsigned>(fragment.tiles.size()), bytes == 1 ? 2u : 4u);
  loads.transposed = fragment.method == Method::transposed;
  const bool by_line = loads.matrices == 1 || fragment.tiles[1].pieces[0].line != fragment.tiles[0].pieces[0].line;
  loads.pattern = {by_line ? Pattern::Kind::rows_of_lines : Pattern::Kind::rows_of_pieces, line_bytes, loads.matrices};
  return loads;
}

}  // namespace lockstep::ptx::wmma
