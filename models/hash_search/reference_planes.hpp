#pragma once
// Addresses of a request turned around: one mask of words for every address bit.

#include <bit>
#include <cstdint>
#include <span>

namespace lockstep::hash {

/// Bit w of plane[b] is bit b of words[w].
struct ReferencePlanes {
  std::uint32_t plane[32];
  std::uint32_t all;  ///< A bit for each word.
  std::uint32_t count;

  /// At most 32 words.
  explicit ReferencePlanes(std::span<const std::uint32_t> words)
      : all(static_cast<std::uint32_t>((std::uint64_t{1} << words.size()) - 1)),
        count(static_cast<std::uint32_t>(words.size())) {
    for (std::uint32_t w = 0; w < 32; ++w) plane[w] = w < count ? words[w] : 0;
    // Transposes the 32 by 32 bits, halves of blocks at a time.
    std::uint32_t mask = 0x0000ffff;
    for (std::uint32_t half = 16; half != 0; half >>= 1, mask ^= mask << half)
      for (std::uint32_t row = 0; row < 32; row = (row + half + 1) & ~half) {
        const std::uint32_t swapped = (plane[row] >> half ^ plane[row + half]) & mask;
        plane[row] ^= swapped << half;
        plane[row + half] ^= swapped;
      }
  }

  /// Bit w: the parity of words[w] & row.
  std::uint32_t of_row(std::uint64_t row) const {
    std::uint32_t parities = 0;
    for (; row != 0; row &= row - 1) parities ^= plane[std::countr_zero(row)];
    return parities;
  }
};

}  // namespace lockstep::hash
