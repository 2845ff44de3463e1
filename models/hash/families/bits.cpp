// Single bits of the address, or pairs of them: sections 6.3.3 and 6.3.4 of Van den Braak (2015).

#include <fmt/format.h>

#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

std::uint64_t bit(const SpecText& spec, const Piece& piece) {
  return std::uint64_t{1} << spec.number(piece, "a bit number", 0, most_word_bits - 1);
}

std::optional<LinearHash> permutation(const SpecText& spec, const Shape& shape) {
  LinearHash hash;
  for (const Piece& piece : spec.list(shape.target_bits(), "bits:B,B,... (one bit number per bit of the target)"))
    hash.rows.push_back(bit(spec, piece));
  return hash;
}

std::optional<LinearHash> exclusive_or(const SpecText& spec, const Shape& shape) {
  LinearHash hash;
  for (const Piece& piece :
       spec.list(shape.target_bits(), "bits-xor:B^B,B,... (one or two bit numbers per bit of the target)")) {
    const std::vector<Piece> pair = split(piece, '^');
    if (pair.size() > 2)
      spec.fail(pair[2].column, "a bit of the target has at most two bits here; \"matrix\" takes any number");
    std::uint64_t row = 0;
    for (const Piece& one : pair) row ^= bit(spec, one);
    if (row == 0) spec.fail(piece.column, fmt::format("\"{}\" is always 0; the two bits must differ", piece.text));
    hash.rows.push_back(row);
  }
  return hash;
}

}  // namespace

extern const FamilyDeclaration bits_family = {
    "bits", "bits:B,B,...", "single bits of the word address, the lowest bit of the bank or lock first", permutation,
    nullptr};
extern const FamilyDeclaration bits_xor_family = {"bits-xor", "bits-xor:B^B,B,...",
                                                  "single bits of the word address or the XOR of two, lowest first",
                                                  exclusive_or, nullptr};

}  // namespace lockstep::hash
