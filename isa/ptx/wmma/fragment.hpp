#pragma once
// Which elements of a matrix lie in which register of which lane, as accesses of a warp that fill the registers. README.md
// says where this comes from.

#include <cstdint>
#include <vector>

#include "isa/ptx/wmma/form.hpp"

namespace lockstep::ptx::wmma {

/// How the lanes of a warp share out what an access moves. In what follows, a line is a row of the matrix in memory, or a
/// column where columns are contiguous; g is a lane's number divided by four, and q the remainder.
struct Pattern {
  enum class Kind : std::uint8_t {
    words,          ///< Lane: line g, `unit` bytes from byte q * unit on.
    elements,       ///< Lane: line q * step, one element of `unit` bytes, number g.
    rows_of_lines,  ///< As ldmatrix of `step` matrices wants it: matrices in neighbouring groups of eight lines first,
    rows_of_pieces  ///< or in neighbouring pieces of 16 bytes of the same lines first.
  };
  Kind kind = Kind::words;
  unsigned unit = 4, step = 1;
  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};

/// Where an access lies, from a lane's place in the pattern on.
struct Piece {
  unsigned line = 0, byte = 0;
};

/// What fills one or two registers of each lane.
struct Tile {
  std::vector<Piece> pieces;  ///< Accesses; of `bytes` four, of `scattered` one for each register, else one.
};

enum class Method : std::uint8_t {
  direct,      ///< An access moves `registers` neighbours.
  transposed,  ///< An access moves a word, and movmatrix its halves to where they belong.
  scattered,   ///< An access for each register.
  bytes        ///< Four accesses for each register, a byte each.
};

/// How a matrix gets from memory to registers or back.
struct Fragment {
  Pattern pattern;
  Method method = Method::direct;
  unsigned registers = 1;       ///< Of a tile.
  unsigned register_bytes = 4;  ///< 8 of f64.
  std::vector<Tile> tiles;      ///< In the order of their registers, which repeat where there are more.
};
Fragment fragment_of(const Transfer& transfer);

/// ldmatrix that fill a fragment: each `matrices` tiles, the first of which says where it begins.
struct MatrixLoads {
  Pattern pattern;
  unsigned matrices = 0;  ///< 0: the hardware does not use ldmatrix here.
  bool transposed = false;
};
MatrixLoads matrix_loads_of(const Transfer& transfer, const Fragment& fragment);

}  // namespace lockstep::ptx::wmma
