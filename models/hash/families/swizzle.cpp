// CuTe's Swizzle<B, M, S>: B bits of the address, from bit M + S on, are XORed into the B bits from M on; with a negative
// S those from M on into those from M - S on. The bank is then in the lowest bits.

#include <fmt/format.h>

#include <cstdlib>

#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

std::optional<LinearHash> linear(const SpecText& spec, const Shape& shape) {
  const std::vector<Piece> given = spec.list(3, "swizzle:B,M,S");
  const std::int64_t bits = spec.number(given[0], "B", 0, most_word_bits - 1);
  const std::int64_t base = spec.number(given[1], "M", 0, most_word_bits - 1);
  const std::int64_t shift = spec.number(given[2], "S", 1 - std::int64_t{most_word_bits}, most_word_bits - 1);
  if (std::abs(shift) < bits)
    spec.fail(given[2].column,
              fmt::format("S is {}, but the two fields of {} bits must not overlap: S from {} on, or up to {}", shift,
                          bits, bits, -bits));
  const std::int64_t source = base + std::max<std::int64_t>(shift, 0),
                     changed = base - std::min<std::int64_t>(shift, 0);
  if (source + bits > most_word_bits || changed + bits > most_word_bits)
    spec.fail(given[0].column, fmt::format("B, M and S name bit {}, but word addresses have at most {} bits",
                                           std::max(source, changed) + bits - 1, most_word_bits));
  LinearHash hash;
  for (std::int64_t i = 0; i < shape.target_bits(); ++i) {
    const bool swizzled = i >= changed && i < changed + bits;
    hash.rows.push_back(std::uint64_t{1} << i | (swizzled ? std::uint64_t{1} << (i - changed + source) : 0));
  }
  return hash;
}

}  // namespace

extern const FamilyDeclaration swizzle_family = {
    "swizzle", "swizzle:B,M,S",
    "the lowest bits of the word address after CuTe's Swizzle<B,M,S>: bits M+S and above, B of them, XORed into bits M "
    "and above (S may be negative)",
    linear, nullptr};

}  // namespace lockstep::hash
