#pragma once
// Sectors of which a cache holds only what was written, word by word.

#include <bit>
#include <cstdint>
#include <vector>

#include "models/noc/message.hpp"

namespace lockstep::l2 {

/// For each entry of the cache the words that were written of sectors that are not there. Lines have at most
/// noc::block_bytes, sectors noc::sector_bytes; words and sectors are bits of a mask, from the line's beginning on.
class PartialSectors {
 public:
  /// Of 0 entries where a cache reads the rest of such a sector at once.
  explicit PartialSectors(std::uint32_t entries) : words_(entries) {}

  bool kept() const { return !words_.empty(); }
  /// Another line comes into an entry.
  void forget(std::uint32_t entry) {
    if (kept()) words_[entry] = 0;
  }
  /// Words of these sectors are written; returns the sectors that are whole by now.
  std::uint32_t write(std::uint32_t entry, std::uint32_t sectors, std::uint32_t words) {
    std::uint32_t theirs = 0;
    for (std::uint32_t rest = sectors; rest != 0; rest &= rest - 1)
      theirs |= words_of_sector << static_cast<unsigned>(std::countr_zero(rest)) * noc::words_per_sector;
    words_[entry] |= words & theirs;
    return whole(words_[entry]) & sectors;
  }
  /// The sectors of which all words are among these.
  static std::uint32_t whole(std::uint32_t words) {
    std::uint32_t sectors = 0;
    for (std::uint32_t sector = 0; sector < noc::block_bytes / noc::sector_bytes; ++sector) {
      if ((words >> sector * noc::words_per_sector & words_of_sector) == words_of_sector) sectors |= 1u << sector;
    }
    return sectors;
  }

 private:
  static constexpr std::uint32_t words_of_sector = (1u << noc::words_per_sector) - 1;

  std::vector<std::uint32_t> words_;
};

}  // namespace lockstep::l2
