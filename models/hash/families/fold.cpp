// The two fixed hash functions of Table 5.1 of Van den Braak (2015): every digit of the address XOR, or plus, the digit
// above. With word address bits (the table's byte address bits less two) and 32 banks of 32 locks each (Figure 5.2):
// bank = [4:0] and [9:5]; the lock within that bank = [9:5] and [13:10].

#include <fmt/format.h>

#include <algorithm>

#include "models/hash/family.hpp"
#include "models/hash/fold.hpp"

namespace lockstep::hash {

namespace {

std::uint32_t width_of(const SpecText& spec, const Shape& shape, const char* form) {
  if (!shape.power_of_two())
    spec.fail(1, fmt::format("\"{}\" needs a power-of-two number of targets; found {}", spec.family(), shape.targets));
  const std::uint32_t bits = shape.target_bits();
  if (!spec.arguments()) return default_fold_width(bits);
  return static_cast<std::uint32_t>(spec.number(spec.list(1, form)[0], "the width of a digit", 1, bits));
}

std::optional<LinearHash> exclusive_or(const SpecText& spec, const Shape& shape) {
  LinearHash hash{fold_rows(shape.target_bits(), width_of(spec, shape, "xor or xor:W"))};
  // Where the address ends, so do the bits above: the lock row of Table 5.1 has four of them.
  for (std::uint64_t& row : hash.rows) row &= (std::uint64_t{1} << shape.word_bits()) - 1;
  return hash;
}

std::vector<std::uint16_t> sum(const SpecText& spec, const Shape& shape) {
  const std::uint32_t bits = shape.target_bits(), width = width_of(spec, shape, "add or add:W");
  std::vector<std::uint16_t> targets(std::uint64_t{1} << std::min(shape.word_bits(), bits + width));
  for (std::uint64_t word = 0; word < targets.size(); ++word) {
    std::uint64_t target = 0;
    for (std::uint32_t low = 0; low < bits; low += width) {
      const std::uint64_t digit = (std::uint64_t{1} << std::min(width, bits - low)) - 1;
      target |= (((word >> low) + (word >> (low + width))) & digit) << low;
    }
    targets[word] = static_cast<std::uint16_t>(target);
  }
  return targets;
}

}  // namespace

extern const FamilyDeclaration xor_family = {"xor", "xor, xor:W",
                                             "the lowest bits of the word address XOR those W above them (Table 5.1: "
                                             "all bits of a bank; of more than 64 locks, 5)",
                                             exclusive_or, nullptr};
extern const FamilyDeclaration add_family = {
    "add", "add, add:W", "as xor, but digits of W bits are added, without a carry out of a digit", nullptr, sum};

}  // namespace lockstep::hash
