// libFuzzer entry: whatever bytes a trace stream, header or file consists of, reading it ends in entries that hold what
// the headers promise, or in an InputError.

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/bytes.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/file_layout.hpp"
#include "isa/trace/header_codec.hpp"
#include "isa/trace/stream.hpp"
#include "tests/fuzz/input_as_file.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::trace;

class OnePiece final : public WarpStream {
 public:
  explicit OnePiece(std::span<const std::byte> piece) : piece_(piece) {}
  std::span<const std::byte> next_piece() override { return std::exchange(piece_, {}); }

 private:
  std::span<const std::byte> piece_;
};

void read_stream(std::span<const std::byte> bytes) {
  OnePiece stream(bytes);
  StreamCursor cursor(stream, 64);
  BlockEntry block;
  AccessEntry access;
  while (cursor.next_block(block)) {
    if (block.block >= 64) std::abort();
    for (std::uint32_t n = block.block % 4; n > 0; --n) {
      cursor.next_access(access);
      if ((access.mask & ~block.mask) != 0) std::abort();
    }
  }
}

void read_header(std::span<const std::byte> bytes) {
  const Header header = decode_header(bytes);
  if (!header_problem(header).empty()) return;
  // A valid header survives being written again.
  ByteWriter again;
  encode_header(header, again);
  ByteWriter twice;
  encode_header(decode_header(again.bytes()), twice);
  if (!std::equal(again.bytes().begin(), again.bytes().end(), twice.bytes().begin(), twice.bytes().end())) std::abort();
}

/// Puts size and checksum of the head right, so that what stands behind the head is reached.
void repair_head(std::span<std::byte> bytes) {
  if (bytes.size() < file_head_bytes) return;
  std::memcpy(bytes.data(), file_magic.data(), file_magic.size());
  const std::uint32_t version = format_version;
  std::memcpy(bytes.data() + 8, &version, sizeof version);
  const std::uint64_t size = bytes.size();
  std::memcpy(bytes.data() + 16, &size, sizeof size);
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data() + 16, file_head_bytes - 16);
  const std::uint32_t checksum = crc.checksum();
  std::memcpy(bytes.data() + 12, &checksum, sizeof checksum);
}

void read_file(std::span<const std::byte> bytes) {
  const auto source = open_file(fuzz::as_file(bytes.data(), bytes.size()));
  // Not summarize_file: a valid header may announce more thread blocks than a fuzzer has time for.
  BlockEntry block;
  AccessEntry access;
  for (std::uint32_t launch = 0; launch < std::min<std::size_t>(source->header().launches.size(), 4); ++launch) {
    const Launch& shape = source->header().launches[launch];
    const program::Kernel& kernel = source->header().kernels[shape.kernel];
    for (std::uint64_t number = 0; number < std::min<std::uint64_t>(shape.thread_blocks(), 4); ++number) {
      const auto streams = source->open(launch, number);
      for (std::uint32_t warp = 0; warp < std::min<std::uint32_t>(shape.warps_per_block(), 64); ++warp) {
        StreamCursor cursor(streams->warp(warp), static_cast<std::uint32_t>(kernel.blocks.size()));
        while (cursor.next_block(block)) {
          const program::StaticBlock& executed = kernel.blocks[block.block];
          for (std::uint32_t i = 0; i < executed.count; ++i) {
            const std::uint32_t entries = program::access_entries(kernel.instructions[executed.first + i]);
            for (std::uint32_t n = 0; n < entries; ++n) cursor.next_access(access);
          }
        }
      }
    }
  }
}

}  // namespace

/// The first byte chooses what the rest is read as.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> bytes(size - 1);
  if (size > 1) std::memcpy(bytes.data(), data + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0: read_stream(bytes); break;
      case 1: read_header(bytes); break;
      case 2: repair_head(bytes); [[fallthrough]];
      default: read_file(bytes); break;
    }
  } catch (const InputError&) {
  } catch (const MalformedBytes&) {
  }
  return 0;
}
