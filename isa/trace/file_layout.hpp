#pragma once
// What writer and reader of a trace file both know of its layout; README.md draws it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "isa/trace/file.hpp"

namespace lockstep::trace {

inline constexpr std::array<char, 8> file_magic{'L', 'o', 'c', 'k', 's', 't', 'e', 'p'};
inline constexpr std::size_t file_head_bytes = 64;

/// A thread block whose streams have at most this many bytes in all is one frame; a larger one has a frame per piece.
inline constexpr std::size_t small_block_bytes = std::size_t{256} << 10;
/// Thread blocks per chunk of the index.
inline constexpr std::uint64_t index_chunk_blocks = 1024;
/// Bytes of a chunk's entry in the directory: offset of its first record, offset and size of its frame.
inline constexpr std::size_t directory_entry_bytes = 8 + 8 + 4;
/// Longest header and longest piece that a file may hold.
inline constexpr std::size_t max_header_bytes = std::size_t{256} << 20, max_piece_bytes = std::size_t{1} << 30;

/// The first bytes of a file, apart from magic.
struct FileHead {
  std::uint32_t version = format_version;
  std::uint64_t file_bytes = 0;
  std::uint64_t thread_blocks = 0;
  std::uint64_t directory_offset = 0;
  std::uint32_t directory_frame_bytes = 0;
  std::uint32_t header_frame_bytes = 0;  ///< The header frame follows the head.
  std::uint32_t largest_piece = 0;       ///< Bytes of the longest piece of any stream.
  std::uint32_t order_frame_bytes = 0;   ///< The frame behind the directory; 0: there is none.
};

std::array<std::byte, file_head_bytes> encode_head(const FileHead& head);
/// Checks magic, version and checksum of a file's first bytes (fewer than file_head_bytes only when the file is
/// shorter). InputError that begins with `path`.
FileHead decode_head(std::span<const std::byte> bytes, const std::string& path);

}  // namespace lockstep::trace
