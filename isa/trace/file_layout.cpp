#include "isa/trace/file_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>

#include "isa/error.hpp"
#include "isa/trace/bytes.hpp"
#include "isa/trace/file.hpp"

namespace lockstep::trace {

namespace {

constexpr std::size_t version_offset = 8, checksum_offset = 12, fields_offset = 16;

std::uint32_t checksum(std::span<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

/// What a file that is no trace begins with: text as text, bytes as hexadecimal numbers, known formats by name.
std::string beginning(std::span<const std::byte> bytes) {
  const std::span<const std::byte> some = bytes.first(std::min<std::size_t>(bytes.size(), 16));
  const auto starts_with = [&](std::initializer_list<int> prefix) {
    return some.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), some.begin(),
                                                      [](int a, std::byte b) { return a == std::to_integer<int>(b); });
  };
  std::string hexadecimal, text;
  bool printable = true;
  for (const std::byte byte : some) {
    const int value = std::to_integer<int>(byte);
    hexadecimal += fmt::format("{}{:02x}", hexadecimal.empty() ? "" : " ", value);
    if (value == '\n' || value == '\r') break;
    printable &= (value >= 0x20 && value < 0x7f) || value == '\t';
    text += static_cast<char>(value);
  }
  if (starts_with({0x1f, 0x8b})) return fmt::format("it is compressed by gzip: {}", hexadecimal);
  if (starts_with({0x28, 0xb5, 0x2f, 0xfd})) return fmt::format("it is compressed by zstd: {}", hexadecimal);
  if (starts_with({0xfd, '7', 'z', 'X', 'Z'})) return fmt::format("it is compressed by xz: {}", hexadecimal);
  return printable ? fmt::format("it starts with \"{}\"", text) : fmt::format("it starts with {}", hexadecimal);
}

}  // namespace

std::array<std::byte, file_head_bytes> encode_head(const FileHead& head) {
  ByteWriter fields;
  fields.u64(head.file_bytes);
  fields.u64(head.thread_blocks);
  fields.u64(head.directory_offset);
  fields.u32(head.directory_frame_bytes);
  fields.u32(head.header_frame_bytes);
  fields.u32(head.largest_piece);
  fields.u32(head.order_frame_bytes);
  while (fields.size() < file_head_bytes - fields_offset) fields.u8(0);

  ByteWriter out;
  for (const char c : file_magic) out.u8(static_cast<std::uint8_t>(c));
  out.u32(head.version);
  out.u32(checksum(fields.bytes()));
  out.raw(fields.bytes());
  std::array<std::byte, file_head_bytes> bytes;
  std::copy(out.bytes().begin(), out.bytes().end(), bytes.begin());
  return bytes;
}

FileHead decode_head(std::span<const std::byte> bytes, const std::string& path) {
  if (bytes.empty()) throw InputError(path + ": not a Lockstep trace: the file is empty");
  const std::size_t magic = std::min(bytes.size(), file_magic.size());
  if (std::memcmp(bytes.data(), file_magic.data(), magic) != 0) {
    throw InputError(fmt::format("{}: not a Lockstep trace: {}", path, beginning(bytes)));
  }
  if (bytes.size() >= checksum_offset) {
    const std::uint32_t version = ByteReader(bytes.subspan(version_offset, 4)).u32();
    if (version < oldest_version || version > format_version) {
      throw InputError(
          fmt::format("{}: trace of format version {}; this program reads versions {} to {}: trace the workload again",
                      path, version, oldest_version, format_version));
    }
  }
  if (bytes.size() < file_head_bytes) {
    throw InputError(fmt::format("{}: truncated: it has {} bytes, and a trace has at least {}", path, bytes.size(),
                                 file_head_bytes));
  }
  const std::span<const std::byte> fields = bytes.subspan(fields_offset, file_head_bytes - fields_offset);
  if (ByteReader(bytes.subspan(checksum_offset, 4)).u32() != checksum(fields)) {
    throw InputError(
        fmt::format("{}: damaged at byte {}: the file head does not match its checksum", path, fields_offset));
  }
  ByteReader in(fields);
  FileHead head;
  head.version = ByteReader(bytes.subspan(version_offset, 4)).u32();
  head.file_bytes = in.u64();
  head.thread_blocks = in.u64();
  head.directory_offset = in.u64();
  head.directory_frame_bytes = in.u32();
  head.header_frame_bytes = in.u32();
  head.largest_piece = in.u32();
  head.order_frame_bytes = in.u32();
  return head;
}

}  // namespace lockstep::trace
