// Successive bits of the address, by themselves or XOR other successive ones: sections 6.3.1 and 6.3.2 of Van den Braak
// (2015).

#include <fmt/format.h>

#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

std::uint32_t bit_number(const SpecText& spec, const Piece& piece, const char* name) {
  return static_cast<std::uint32_t>(spec.number(piece, name, 0, most_word_bits - 1));
}

std::optional<LinearHash> permutation(const SpecText& spec, const Shape& shape) {
  const std::uint32_t k = bit_number(spec, spec.named({"k"}, "bitvector:k=K")[0], "k");
  LinearHash hash;
  for (std::uint32_t i = 0; i < shape.target_bits(); ++i) hash.rows.push_back(std::uint64_t{1} << (k + i));
  return hash;
}

std::optional<LinearHash> exclusive_or(const SpecText& spec, const Shape& shape) {
  const std::vector<Piece> given = spec.named({"k1", "k2", "mask"}, "bitvector-xor:k1=K,k2=K,mask=M");
  const std::uint32_t k1 = bit_number(spec, given[0], "k1"), k2 = bit_number(spec, given[1], "k2");
  const auto mask = static_cast<std::uint64_t>(spec.number(given[2], "mask", 0, std::int64_t{shape.targets} - 1));
  LinearHash hash;
  for (std::uint32_t i = 0; i < shape.target_bits(); ++i)
    hash.rows.push_back(std::uint64_t{1} << (k1 + i) ^ (mask >> i & 1) << (k2 + i));
  return hash;
}

}  // namespace

extern const FamilyDeclaration bitvector_family = {
    "bitvector", "bitvector:k=K", "successive bits of the word address, from bit K on", permutation, nullptr};
extern const FamilyDeclaration bitvector_xor_family = {
    "bitvector-xor", "bitvector-xor:k1=K,k2=K,mask=M",
    "the bits from K1 on, XOR those from K2 on where M has a one: (address >> k1) ^ ((address >> k2) & mask)",
    exclusive_or, nullptr};

}  // namespace lockstep::hash
