#pragma once
// The trace file: versioned, checksummed, zstd-compressed, indexed per thread block. The layout is drawn in README.md
// of this folder.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"

namespace lockstep::trace {

inline constexpr std::uint32_t format_version = 8;
/// Files from this version on are read: before version 8 they do not say what calls call, before version 7 not which operands are
/// rare, before version 6 not where functions were inlined, before version 4 they have no control flow and no offsets of addresses,
/// before version 3 they do not say whether the order of thread blocks mattered.
inline constexpr std::uint32_t oldest_version = 2;

/// Copies every thread block of `source` to a file, in order. The file appears under its name only when it is complete
/// (written beside it and renamed). ResourceError when the disk fails; InputError when a kernel runs a graph, of which
/// files hold nothing. `progress`, when set, is called after each block.
void write_file(const std::string& path, Source& source,
                const std::function<void(std::uint64_t done, std::uint64_t all)>& progress = {});

/// Opens a trace file for replay. InputError, with path and byte offset, when it is no trace, of another version,
/// truncated or damaged; damage inside a stream is found when that stream is read, by checksum, before any of it is
/// used.
std::unique_ptr<Source> open_file(const std::string& path);

/// Sizes of a trace file, for `lockstep info`.
struct FileSummary {
  std::uint64_t file_bytes = 0, stream_bytes = 0, thread_blocks = 0;
  std::uint64_t block_entries = 0, access_entries = 0, warp_instructions = 0;
};
/// Reads the whole file once, checking every checksum.
FileSummary summarize_file(const std::string& path);

}  // namespace lockstep::trace
