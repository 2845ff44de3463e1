// A target drawn for each address: what the best function is to be better than, and how the L2 slices of some GPUs look
// from outside.

#include <algorithm>
#include <numeric>

#include "isa/random.hpp"
#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

/// The last addresses have a target each, in an order that is drawn, so that none is without.
std::vector<std::uint16_t> table(const SpecText& spec, const Shape& shape) {
  Random random(spec.arguments() ? static_cast<std::uint64_t>(spec.number(spec.list(1, "random:SEED")[0], "the seed", 0,
                                                                          std::int64_t{1} << 32))
                                 : 0);
  std::vector<std::uint16_t> targets(std::uint64_t{1} << shape.word_bits());
  const auto last = targets.end() - shape.targets;
  std::generate(targets.begin(), last, [&] { return static_cast<std::uint16_t>(random.below(shape.targets)); });
  std::iota(last, targets.end(), std::uint16_t{0});
  for (std::uint32_t n = shape.targets; n > 1; --n) std::swap(last[n - 1], last[random.below(n)]);
  return targets;
}

}  // namespace

extern const FamilyDeclaration random_family = {"random", "random, random:SEED",
                                                "drawn for each word address: each bank or lock with the same "
                                                "probability, so that some have more words than others",
                                                nullptr, table};

}  // namespace lockstep::hash
