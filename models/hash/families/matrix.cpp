// Any function whose bits are each the XOR of some bits of the address.

#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

std::optional<LinearHash> linear(const SpecText& spec, const Shape& shape) {
  LinearHash hash;
  for (const Piece& piece : spec.list(shape.target_bits(), "matrix:HEX,HEX,... (one row per bit of the target)"))
    hash.rows.push_back(spec.hexadecimal(piece, "a row"));
  return hash;
}

}  // namespace

extern const FamilyDeclaration matrix_family = {
    "matrix", "matrix:HEX,HEX,...",
    "each bit the XOR of the word address bits that are ones in its row, the row of the lowest bit first", linear,
    nullptr};

}  // namespace lockstep::hash
