#pragma once
// Coalescing of compute capability 2.x: a warp's access becomes one transaction per aligned line that any lane touches
// (request unit warp, line 128 bytes: Gomez-Luna 2012, section 2.4.3).

#include <bit>
#include <cstdint>

namespace lockstep::coalescer {

/// DRAM and L2 move 32-byte sectors of a line.
inline constexpr std::uint32_t sector_bytes = 32;

/// The lines of one warp access: up to two per lane, since an access may straddle a line.
struct Lines {
  std::uint32_t count = 0;
  std::uint64_t line[64];     ///< Line numbers (address / line_bytes), in order of first use by lane.
  std::uint32_t sectors[64];  ///< Per line: bit mask of the sectors touched.
  std::uint32_t lanes[64];    ///< Per line: lanes whose access begins in it.
};

/// Adds the lines that the lanes of `mask` touch; line_bytes is a power of two of at most 32 sectors.
inline void coalesce(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                     std::uint32_t line_bytes, Lines& lines) {
  const int shift = std::countr_zero(line_bytes);
  const auto find = [&](std::uint64_t line) {
    // Neighbouring lanes mostly share a line, so search from the newest.
    for (std::uint32_t i = lines.count; i-- > 0;)
      if (lines.line[i] == line) return i;
    lines.line[lines.count] = line;
    lines.sectors[lines.count] = 0;
    lines.lanes[lines.count] = 0;
    return lines.count++;
  };
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = address[std::countr_zero(rest)];
    const std::uint64_t last = first + bytes_per_lane - 1;
    const std::uint32_t at = find(first >> shift);
    ++lines.lanes[at];
    for (std::uint64_t sector = first / sector_bytes; sector <= last / sector_bytes; ++sector) {
      const std::uint64_t start = sector * sector_bytes;
      const std::uint32_t in = (start >> shift) == (first >> shift) ? at : find(start >> shift);
      lines.sectors[in] |= 1u << (start % line_bytes / sector_bytes);
    }
  }
}

}  // namespace lockstep::coalescer
