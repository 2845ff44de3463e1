#pragma once
// GF(2)-linear hash functions: every bit of the target is the XOR of some bits of the word address.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hash/address_map.hpp"

namespace lockstep::hash {

/// Bit i of the target is the parity of word & rows[i]; it chooses among 2^rows.size() targets.
struct LinearHash {
  std::vector<std::uint64_t> rows;

  std::uint32_t target_of(std::uint64_t word) const;
  /// Whether every target is reached: the rows are independent.
  bool reaches_all() const;
  /// A basis, in reduced row echelon form, of the addresses below 2^word_bits that fall onto target 0. It determines the
  /// function up to the names of the targets.
  std::vector<std::uint64_t> null_space(std::uint32_t word_bits) const;
  /// Two-input XOR gates when every row is computed by itself: the bits of each row less one.
  std::uint32_t xor_gates() const;
  /// The shortest SPEC of this very function: "mod", "xor", "bits:...", "bits-xor:...", or "matrix:...".
  std::string spec() const;

  friend bool operator==(const LinearHash&, const LinearHash&) = default;
};

/// The function with this null space, whose vectors are independent: rows for 2^(word_bits - null_space.size())
/// targets, each with few bits.
LinearHash hash_with_null_space(const std::vector<std::uint64_t>& null_space, std::uint32_t word_bits);

/// The linear function that a SPEC names for `targets` targets, a power of two, over addresses of `word_bits` bits; none
/// for a family that is not linear. InputError as make_address_map.
std::optional<LinearHash> linear_hash(std::string_view spec, std::uint32_t targets, std::uint32_t word_bits);

/// The table of a linear hash over addresses of `word_bits` bits.
AddressMap make_address_map(const LinearHash& hash, std::uint32_t word_bits);

}  // namespace lockstep::hash
