#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "models/hash/family.hpp"

namespace lockstep::hash {

// All families, in the order in which they are listed: a new one is a file in families/ and its name here.
// clang-format off
#define LOCKSTEP_HASH_FAMILIES(X) \
  X(mod_family) \
  X(xor_family) \
  X(add_family) \
  X(bitvector_family) \
  X(bitvector_xor_family) \
  X(bits_family) \
  X(bits_xor_family) \
  X(matrix_family) \
  X(ipoly_family) \
  X(swizzle_family) \
  X(modulus_family) \
  X(table_family)
// clang-format on

#define LOCKSTEP_DECLARE(family) extern const FamilyDeclaration family;
LOCKSTEP_HASH_FAMILIES(LOCKSTEP_DECLARE)
#undef LOCKSTEP_DECLARE

const std::vector<const FamilyDeclaration*>& declared_families() {
#define LOCKSTEP_ADDRESS(family) &family,
  static const std::vector<const FamilyDeclaration*> all = {LOCKSTEP_HASH_FAMILIES(LOCKSTEP_ADDRESS)};
#undef LOCKSTEP_ADDRESS
  return all;
}

const std::vector<Family>& families() {
  static const std::vector<Family> shown = [] {
    std::vector<Family> all;
    for (const FamilyDeclaration* family : declared_families())
      all.push_back({family->name, family->text, family->form});
    return all;
  }();
  return shown;
}

namespace {

const FamilyDeclaration& family_of(const SpecText& spec) {
  std::vector<std::string> names;
  for (const FamilyDeclaration* family : declared_families()) {
    if (family->name == spec.family()) return *family;
    names.push_back(family->name);
  }
  throw InputError(fmt::format("unknown hash \"{}\"{}; known: {}", spec.whole(),
                               did_you_mean_aside(spec.family(), names), fmt::join(names, ", ")));
}

/// Numbers of rows whose XOR is zero; none when all rows are independent.
std::vector<std::size_t> dependent_rows(const std::vector<std::uint64_t>& rows) {
  // Of every reduced row, which rows it is the XOR of.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> reduced;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint64_t row = rows[i], made_of = std::uint64_t{1} << i;
    for (const auto& [other, others] : reduced) {
      if ((row & std::bit_floor(other)) == 0) continue;
      row ^= other;
      made_of ^= others;
    }
    if (row == 0) {
      std::vector<std::size_t> dependent;
      for (std::size_t j = 0; j < rows.size(); ++j)
        if ((made_of >> j & 1) != 0) dependent.push_back(j);
      return dependent;
    }
    reduced.emplace_back(row, made_of);
  }
  return {};
}

/// What every linear function has to be, whatever its family.
void check(const SpecText& spec, const LinearHash& hash, const Shape& shape) {
  for (const std::uint64_t row : hash.rows) {
    const int highest = std::bit_width(row) - 1;
    if (highest >= static_cast<int>(shape.word_bits()))
      throw InputError(
          fmt::format("hash \"{}\" takes bit {} of the word address, but word addresses have {} bits: 0 to {}",
                      spec.whole(), highest, shape.word_bits(), shape.word_bits() - 1));
  }
  const std::vector<std::size_t> dependent = dependent_rows(hash.rows);
  if (dependent.empty()) return;
  const std::string reason = dependent.size() == 1   ? fmt::format("row {} is 0", dependent[0])
                             : dependent.size() == 2 ? fmt::format("rows {} are equal", fmt::join(dependent, " and "))
                                                     : fmt::format("rows {} XOR to 0", fmt::join(dependent, ", "));
  throw InputError(
      fmt::format("hash \"{}\" does not reach all {} targets: {} (row 0 makes the lowest bit); rows "
                  "must be independent",
                  spec.whole(), shape.targets, reason));
}

std::optional<LinearHash> linear_hash(const FamilyDeclaration& family, const SpecText& spec, const Shape& shape) {
  if (family.linear == nullptr) return std::nullopt;
  if (family.table == nullptr && !shape.power_of_two())
    throw InputError(
        fmt::format("hash \"{}\" needs a power-of-two number of targets; found {}", spec.whole(), shape.targets));
  std::optional<LinearHash> hash = family.linear(spec, shape);
  if (hash) check(spec, *hash, shape);
  return hash;
}

}  // namespace

bool Shape::power_of_two() const {
  return std::has_single_bit(targets);
}

std::uint32_t Shape::target_bits() const {
  return static_cast<std::uint32_t>(std::bit_width(targets - 1));
}

std::uint32_t Shape::word_bits() const {
  return static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(words, targets) - 1));
}

std::optional<LinearHash> linear_hash(std::string_view spec, std::uint32_t targets, std::uint32_t word_bits) {
  const SpecText text(spec);
  const Shape shape{targets, std::uint64_t{1} << word_bits};
  const FamilyDeclaration& family = family_of(text);
  std::optional<LinearHash> hash = linear_hash(family, text, shape);
  if (!hash) {  // So that a wrong SPEC is reported here, too. A table over all addresses may take gigabytes.
    family.table(text, {targets, std::uint64_t{1} << std::min(word_bits, most_word_bits)});
  }
  return hash;
}

AddressMap make_address_map(std::string_view spec, std::uint32_t targets, std::uint64_t words) {
  const SpecText text(spec);
  const Shape shape{targets, words};
  const FamilyDeclaration& family = family_of(text);
  if (targets == 0 || targets > most_targets || shape.word_bits() > most_word_bits)
    throw Bug(fmt::format("an address map of {} targets over {} words", targets, words));
  if (const std::optional<LinearHash> hash = linear_hash(family, text, shape))
    return make_address_map(*hash, shape.word_bits());
  return AddressMap(family.table(text, shape), targets);
}

}  // namespace lockstep::hash
