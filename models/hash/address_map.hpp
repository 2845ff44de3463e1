#pragma once
// An address map: word address -> bank or lock. Every hash family only fills this table; the timing model, the search
// and the analytic models read the same one.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::hash {

/// Table of `targets` banks or locks over the word addresses 0 .. entries - 1; entries is a power of two and larger
/// addresses wrap.
class AddressMap {
 public:
  AddressMap() : table_(1, 0) {}
  /// table.size() is a power of two; every value is below targets.
  AddressMap(std::vector<std::uint16_t> table, std::uint32_t targets);

  std::uint32_t operator[](std::uint64_t word) const { return table_[word & (table_.size() - 1)]; }
  /// The entries themselves, for loops that look up many words: entry word & (entries() - 1).
  const std::uint16_t* table() const { return table_.data(); }
  std::uint32_t targets() const { return targets_; }
  std::size_t entries() const { return table_.size(); }

 private:
  std::vector<std::uint16_t> table_;
  std::uint32_t targets_ = 1;
};

/// Fills a map from a hash SPEC ("mod", ...) for `targets` banks or locks over at least `words` word addresses.
/// InputError when the SPEC is malformed or cannot address every target.
AddressMap make_address_map(std::string_view spec, std::uint32_t targets, std::uint64_t words);

/// Names of the families that make_address_map knows, each with one line of text and the forms of its SPECs.
struct Family {
  std::string name, text, form;
};
const std::vector<Family>& families();

}  // namespace lockstep::hash
