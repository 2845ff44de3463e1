#pragma once
// Rows of the hash functions of Table 5.1 of Van den Braak (2015).

#include <cstdint>
#include <vector>

namespace lockstep::hash {

/// Of a target of `bits` bits, how many are hashed unless told otherwise. Up to 64 targets are banks: all of them, as in
/// the bank row of Table 5.1. More are locks: the table leaves the bits that number the 32 banks as they are and hashes
/// the five above them.
constexpr std::uint32_t default_fold_width(std::uint32_t bits) {
  return bits <= 6 ? bits : 5;
}

/// The target is the lowest `bits` bits of the address, the highest `width` of them XOR the `width` bits above.
inline std::vector<std::uint64_t> fold_rows(std::uint32_t bits, std::uint32_t width) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t i = 0; i < bits; ++i)
    rows.push_back(std::uint64_t{1} << i | (i + width >= bits ? std::uint64_t{1} << (i + width) : 0));
  return rows;
}

}  // namespace lockstep::hash
