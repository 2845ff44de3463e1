// The two fixed hash functions of Table 5.1 of Van den Braak (2015): the least significant bits of the address XOR, or
// plus, the bits above them. With word address bits (the table's byte address bits less two) and 32 banks of 32 locks:
// bank = [4:0] and [9:5]; lock = [9:5] and [13:10], in the bits above the five that number the bank.

#include <fmt/format.h>

#include <algorithm>

#include "models/hash/family.hpp"
#include "models/hash/fold.hpp"

namespace lockstep::hash {

namespace {

std::uint32_t width_of(const SpecText& spec, const Shape& shape, const char* form) {
  if (!shape.power_of_two())
    spec.fail(1, fmt::format("\"{}\" needs a power of two to choose among; found {}", spec.family(), shape.targets));
  const std::uint32_t bits = shape.target_bits();
  if (!spec.arguments()) return default_fold_width(bits);
  return static_cast<std::uint32_t>(spec.number(spec.list(1, form)[0], "the number of hashed bits", 1, bits));
}

std::optional<LinearHash> exclusive_or(const SpecText& spec, const Shape& shape) {
  LinearHash hash{fold_rows(shape.target_bits(), width_of(spec, shape, "xor or xor:W"))};
  // Where the address ends, so do the bits above: the lock row of Table 5.1 has four of them.
  for (std::uint64_t& row : hash.rows) row &= (std::uint64_t{1} << shape.word_bits()) - 1;
  return hash;
}

std::vector<std::uint16_t> sum(const SpecText& spec, const Shape& shape) {
  const std::uint32_t bits = shape.target_bits(), width = width_of(spec, shape, "add or add:W");
  const std::uint32_t unhashed = bits - width;
  std::vector<std::uint16_t> targets(std::uint64_t{1} << std::min(shape.word_bits(), bits + width));
  for (std::uint64_t word = 0; word < targets.size(); ++word) {
    const std::uint64_t least = word & ((std::uint64_t{1} << bits) - 1), most = word >> bits;
    targets[word] = static_cast<std::uint16_t>((least + (most << unhashed)) & ((std::uint64_t{1} << bits) - 1));
  }
  return targets;
}

}  // namespace

extern const FamilyDeclaration xor_family = {
    "xor", "xor, xor:W",
    "the lowest bits of the word address, their W highest XOR the W bits above them (Table 5.1: all bits of a bank; of "
    "more than 64 locks, 5)",
    exclusive_or, nullptr};
extern const FamilyDeclaration add_family = {
    "add", "add, add:W", "as xor, but the sum instead of the XOR, without a carry out of the highest bit", nullptr,
    sum};

}  // namespace lockstep::hash
