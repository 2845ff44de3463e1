#pragma once
// In which slice of the L2 cache an address lies, and where in that slice.

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/hash/address_map.hpp"

namespace lockstep::noc {

/// Memory is cut into pieces of `interleave_bytes`; a hash table gives the slice of a piece.
class SliceMap {
 public:
  /// InputError when the hash SPEC is malformed. interleave_bytes is a power of two.
  SliceMap(std::string_view hash, std::uint32_t slices, std::uint32_t interleave_bytes);

  std::uint32_t slices() const { return table_.targets(); }
  std::uint32_t slice_of(std::uint64_t address) const {
    const std::uint64_t piece = address >> shift_;
    return table_[piece < pieces_ ? piece : piece % pieces_];
  }
  /// The address counted within its slice, whose pieces follow each other without gaps. No two addresses of a slice have
  /// the same.
  std::uint64_t local_address(std::uint64_t address) const {
    const std::uint64_t piece = address >> shift_;
    const std::uint64_t local =
        ranks_.empty() ? piece / table_.targets() : piece / pieces_ * most_ + ranks_[piece % pieces_];
    return (local << shift_) | (address & ((std::uint64_t{1} << shift_) - 1));
  }

 private:
  hash::AddressMap table_;
  std::uint64_t pieces_;  ///< Pieces after which the map repeats itself: a multiple of the slices.
  int shift_;
  /// How many pieces of its slice precede a piece within the map, and the most that a slice has; empty when every slice
  /// has one piece of each aligned group of as many pieces as there are slices.
  std::vector<std::uint32_t> ranks_;
  std::uint64_t most_ = 0;
};

}  // namespace lockstep::noc
