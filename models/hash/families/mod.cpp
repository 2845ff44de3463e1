// The baseline: the address modulo the number of targets. Successive words lie in successive banks.

#include <bit>

#include "models/hash/family.hpp"
#include "models/hash/fold.hpp"

namespace lockstep::hash {

namespace {

std::optional<LinearHash> linear(const SpecText& spec, const Shape& shape) {
  spec.expect_no_arguments();
  if (!shape.power_of_two()) return std::nullopt;
  return LinearHash{low_rows(shape.target_bits())};
}

std::vector<std::uint16_t> table(const SpecText&, const Shape& shape) {
  std::vector<std::uint16_t> targets(std::uint64_t{1} << shape.word_bits());
  for (std::size_t word = 0; word < targets.size(); ++word)
    targets[word] = static_cast<std::uint16_t>(word % shape.targets);
  return targets;
}

}  // namespace

extern const FamilyDeclaration mod_family = {"mod", "mod", "the word address modulo the number of banks or locks",
                                             linear, table};

}  // namespace lockstep::hash
