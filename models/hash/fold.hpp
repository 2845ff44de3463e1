#pragma once
// Rows of the hash functions of Table 5.1 of Van den Braak (2015).

#include <cstdint>
#include <vector>

namespace lockstep::hash {

/// Bits of a digit of the address by default. Up to 64 targets are banks, whose number is one digit; more are
/// locks, of which each of 32 banks has some (Figure 5.2), so that the digit has five bits.
constexpr std::uint32_t default_fold_width(std::uint32_t bits) {
  return bits <= 6 ? bits : 5;
}

/// The lowest `bits` bits of the address, each XOR the one that lies `width` bits higher.
inline std::vector<std::uint64_t> fold_rows(std::uint32_t bits, std::uint32_t width) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t i = 0; i < bits; ++i) rows.push_back(std::uint64_t{1} << i | std::uint64_t{1} << (i + width));
  return rows;
}

/// The lowest `bits` bits of the address.
inline std::vector<std::uint64_t> low_rows(std::uint32_t bits) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t i = 0; i < bits; ++i) rows.push_back(std::uint64_t{1} << i);
  return rows;
}

}  // namespace lockstep::hash
