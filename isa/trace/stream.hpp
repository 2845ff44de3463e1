#pragma once
// The encoding of one warp's dynamic stream: block entries and, after each, one access entry per memory instruction
// of the block. The encoder is fed by the functional machine, the cursor is read by the replay.
//
//   block entry   varint (block << 1 | mask_changed), then 4 bytes of mask when mask_changed
//   access entry  one control byte:
//                   bits 0-2  addresses: 0 none (no lane takes part), 1 all lanes the same, 2 affine in the lane number,
//                             3 lane-to-lane differences of 1 byte, 4 of 2 bytes, 5 of 4 bytes, 6 of 8 bytes
//                   bit 3     the access mask differs from the block mask; 4 bytes of mask follow
//                 then a varint zigzag: first active lane's address minus that of the previous access entry of the
//                 stream; then for 2 a varint zigzag stride; for 3-6 the differences between successive active lanes,
//                 signed, little endian.
// A piece (see WarpStream) begins with mask 0 and previous address 0, so that it can be read alone.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/trace/source.hpp"

namespace lockstep::trace {

/// A warp enters a basic block with these lanes.
struct BlockEntry {
  std::uint32_t block = 0;
  std::uint32_t mask = 0;
};

/// One executed memory instruction: the lanes that take part and their addresses. Entries of other lanes are undefined.
/// Scratchpad addresses are byte offsets in the thread block's scratchpad memory, local addresses byte offsets in the
/// thread's local memory, param addresses byte offsets in the parameters, constant and global addresses device addresses;
/// a generic access carries the generic address.
struct AccessEntry {
  std::uint32_t mask = 0;
  std::uint64_t address[32];
};

/// Appends entries to a buffer.
class StreamEncoder {
 public:
  void block(std::uint32_t block, std::uint32_t mask);
  /// The access mask must be a subset of the current block's mask.
  void access(std::uint32_t mask, const std::uint64_t* address);

  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Forgets what was written and starts a new piece; only between two block entries' worth of data.
  void start_piece();

 private:
  std::vector<std::byte> bytes_;
  std::uint32_t mask_ = 0;
  std::uint64_t previous_ = 0;
};

/// Reads entries back. The caller asks for a block, then for exactly as many accesses as the static block has memory
/// instructions. Throws InputError when the bytes are not a valid stream; never reads past a piece.
class StreamCursor {
 public:
  StreamCursor() = default;
  explicit StreamCursor(WarpStream& stream) : stream_(&stream) {}
  /// False at the end of the stream. Fetches the next piece when one is used up.
  bool next_block(BlockEntry& entry);
  void next_access(AccessEntry& entry);

 private:
  WarpStream* stream_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint64_t previous_ = 0;
};

}  // namespace lockstep::trace
