#pragma once
// What a family of hash functions is to make_address_map and linear_hash: one declaration per file of families/.

#include <optional>
#include <vector>

#include "models/hash/linear.hpp"
#include "models/hash/spec_text.hpp"

namespace lockstep::hash {

/// Word addresses have at most this many bits, and there are at most this many targets.
inline constexpr std::uint32_t most_word_bits = 24, most_targets = 65536;

/// What a hash is asked to choose among, and over which addresses.
struct Shape {
  std::uint32_t targets = 1;
  std::uint64_t words = 1;

  bool power_of_two() const;
  std::uint32_t target_bits() const;  ///< Bits that number a target.
  std::uint32_t word_bits() const;    ///< Bits of a word address: of `words`, and no fewer than number a target.
};

/// A family fills a table, or it is linear and names its rows; the table, the test that the rows are independent and the
/// test that they look at address bits which exist are then made for it.
struct FamilyDeclaration {
  const char *name, *form, *text;  ///< `form`: how a SPEC of it is written.
  /// The rows for a power of two of targets; none when this SPEC is not linear. Null for a family that never is.
  std::optional<LinearHash> (*linear)(const SpecText& spec, const Shape& shape);
  /// Target of each of a power of two of addresses; larger addresses repeat them. Null for a family that is always
  /// linear: such a one serves powers of two only.
  std::vector<std::uint16_t> (*table)(const SpecText& spec, const Shape& shape);
};

/// All families, in the order in which they are listed.
const std::vector<const FamilyDeclaration*>& declared_families();

}  // namespace lockstep::hash
