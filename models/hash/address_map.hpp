#pragma once
// An address map: word address -> bank or lock. Every hash family only fills this table; the timing model, the search
// and the analytic models read the same one.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::hash {

/// Table of `targets` banks or locks over the word addresses 0 .. entries - 1; entries is a power of two and larger
/// addresses wrap. Copies share the table, which never changes.
class AddressMap {
 public:
  AddressMap() : AddressMap(std::vector<std::uint16_t>(1, 0), 1) {}
  /// table.size() is a power of two; every value is below targets.
  AddressMap(std::vector<std::uint16_t> table, std::uint32_t targets);

  std::uint32_t operator[](std::uint64_t word) const { return table_[word & last_]; }
  /// The entries themselves, for loops that look up many words: entry word & (entries() - 1).
  const std::uint16_t* table() const { return table_; }
  std::uint32_t targets() const { return targets_; }
  std::size_t entries() const { return last_ + 1; }

 private:
  friend class SharedMaps;
  std::shared_ptr<const std::vector<std::uint16_t>> owned_;
  const std::uint16_t* table_ = nullptr;  ///< Of `owned_`.
  std::size_t last_ = 0;                  ///< Number of its last entry.
  std::uint32_t targets_ = 1;
};

/// Fills a map from a hash SPEC ("mod", ...) for `targets` banks or locks over at least `words` word addresses.
/// InputError when the SPEC is malformed or cannot address every target.
AddressMap make_address_map(std::string_view spec, std::uint32_t targets, std::uint64_t words);
/// The same, for the many parts of a GPU that have one and the same map: its table is made once for as long as one of them
/// lives. May be called by several threads.
AddressMap shared_address_map(std::string_view spec, std::uint32_t targets, std::uint64_t words);

/// Names of the families that make_address_map knows, each with one line of text and the forms of its SPECs.
struct Family {
  std::string name, text, form;
};
const std::vector<Family>& families();

}  // namespace lockstep::hash
