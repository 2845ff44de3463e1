#pragma once
// Coalescing of compute capability 2.x: a warp's access becomes one transaction per aligned line that any lane touches
// (request unit warp, line 128 bytes: Gomez-Luna 2012, section 2.4.3).

#include <bit>
#include <cstdint>

namespace lockstep::coalescer {

/// The lines of one warp access: up to two per lane, since an access may straddle a line.
struct Lines {
  std::uint32_t count = 0;
  std::uint64_t line[64];  ///< Line numbers (address / line_bytes), in order of first use by lane.
};

/// line_bytes is a power of two.
inline void coalesce(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                     std::uint32_t line_bytes, Lines& lines) {
  const int shift = std::countr_zero(line_bytes);
  lines.count = 0;
  const auto add = [&](std::uint64_t line) {
    // Neighbouring lanes mostly share a line, so search from the newest.
    for (std::uint32_t i = lines.count; i-- > 0;)
      if (lines.line[i] == line) return;
    lines.line[lines.count++] = line;
  };
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = address[std::countr_zero(rest)];
    add(at >> shift);
    add((at + bytes_per_lane - 1) >> shift);
  }
}

}  // namespace lockstep::coalescer
