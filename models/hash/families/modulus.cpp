// The address modulo any number (Diamond, Fussell and Keckler, Arbitrary modulus indexing, MICRO 2014). The bank is the
// remainder and the row within it the quotient, so that every word has its place: but with a modulus P below the number
// of banks only P banks hold data, and P / banks of the memory can be used.

#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

std::vector<std::uint16_t> table(const SpecText& spec, const Shape& shape) {
  const auto modulus = static_cast<std::uint64_t>(spec.number(
      spec.list(1, "modulus:P")[0], "the modulus (no more than there are banks or locks)", 1, shape.targets));
  std::vector<std::uint16_t> targets(std::uint64_t{1} << shape.word_bits());
  for (std::size_t word = 0; word < targets.size(); ++word) targets[word] = static_cast<std::uint16_t>(word % modulus);
  return targets;
}

}  // namespace

extern const FamilyDeclaration modulus_family = {
    "modulus", "modulus:P",
    "the word address modulo P, its row being the quotient; banks or locks from P on stay unused", nullptr, table};

}  // namespace lockstep::hash
