#include "models/hash/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"

namespace lockstep::hash {

AddressMap::AddressMap(std::vector<std::uint16_t> table, std::uint32_t targets)
    : table_(std::move(table)), targets_(targets) {
  if (!std::has_single_bit(table_.size()) || targets == 0)
    throw Bug(fmt::format("address map of {} entries onto {} targets", table_.size(), targets));
  for (const std::uint16_t target : table_)
    if (target >= targets) throw Bug(fmt::format("address map names target {} of {}", target, targets));
  // A table that repeats itself is kept once: most maps then fit into the first-level cache.
  while (table_.size() > 1) {
    const auto half = table_.begin() + static_cast<std::ptrdiff_t>(table_.size() / 2);
    if (!std::equal(table_.begin(), half, half)) break;
    table_.erase(half, table_.end());
  }
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"mod", "the word address modulo the number of banks or locks"},
      {"xor", "its lowest bits, as many as number a bank or lock, XOR the next as many; for powers of two"},
  };
  return all;
}

AddressMap make_address_map(std::string_view spec, std::uint32_t targets, std::uint64_t words) {
  if (spec != "mod" && spec != "xor") {
    std::vector<std::string> names;
    for (const Family& family : families()) names.push_back(family.name);
    throw InputError(fmt::format("unknown hash \"{}\"; known: {}", spec, fmt::join(names, ", ")));
  }
  const bool exclusive_or = spec == "xor", power_of_two = std::has_single_bit(targets);
  if (exclusive_or && !power_of_two)
    throw InputError(fmt::format("hash \"xor\" needs a power of two to choose among; found {}", targets));
  // Onto a power of two the table repeats itself after as many words, or as many squared.
  std::uint64_t entries = std::max<std::uint64_t>(words, targets);
  if (power_of_two) entries = std::min(entries, exclusive_or ? std::uint64_t{targets} * targets : targets);
  std::vector<std::uint16_t> table(std::bit_ceil(entries));
  std::uint32_t target = 0, next = 0;  // Word modulo targets, and word / targets modulo targets.
  for (std::uint16_t& entry : table) {
    entry = static_cast<std::uint16_t>(exclusive_or ? target ^ next : target);
    if (++target < targets) continue;
    target = 0;
    if (++next == targets) next = 0;
  }
  return AddressMap(std::move(table), targets);
}

}  // namespace lockstep::hash
