#pragma once
// Single zstd frames that state their content size and carry a checksum of it. No other file includes zstd.

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::trace {

/// Replaces the contents of `frame` by `raw` compressed. Level 1 is the fastest.
void compress_frame(std::span<const std::byte> raw, int level, std::vector<std::byte>& frame);

/// Replaces the contents of `raw` by the content of a frame, which is all of `frame` and must hold at most `limit`
/// bytes. Returns null, or what is wrong with the frame; nothing of `raw` may be used then.
[[nodiscard]] const char* decompress_frame(std::span<const std::byte> frame, std::size_t limit,
                                           std::vector<std::byte>& raw);

/// Longest frame that compress_frame makes of `raw_bytes`.
std::size_t frame_bound(std::size_t raw_bytes);

}  // namespace lockstep::trace
