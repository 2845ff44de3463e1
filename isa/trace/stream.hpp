#pragma once
// The encoding of one warp's dynamic stream: block entries and, after each, one access entry per memory instruction
// of the block, two per asynchronous copy. The encoder is fed by the functional machine, the cursor is read by the
// replay.
//
//   block entry   varint (block << 1 | mask_changed), then 4 bytes of mask when mask_changed
//   access entry  one control byte:
//                   bits 0-2  addresses: 0 none (no lane takes part), 1 all lanes the same, 2 affine in the lane
//                             number, 3 lane-to-lane differences of 1 byte, 4 of 2 bytes, 5 of 4 bytes, 6 of 8 bytes
//                   bit 3     the access mask differs from the block mask; 4 bytes of mask follow
//                   bits 4-6  bytes of the first address: 0, 1, 2, 3, 4, 5, 6 or 8
//                   bit 7     of an affine entry: the stride has 8 bytes, not 2
//                 then the first active lane's address minus its prediction, in zigzag; then for 2 the signed stride;
//                 for 3-6 the signed differences between successive active lanes. All little endian, modulo 2^64.
// The prediction for the n-th access entry after a block entry is the first active lane's address of the latest entry
// before it that had the same n modulo 16, so that the accesses of a loop are predicted each from its own past.
// A piece (see WarpStream) begins with mask 0 and predictions of 0, so that it can be read alone.

#include <array>
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

/// One executed memory instruction, or one side of an asynchronous copy: the lanes that take part and their addresses.
/// Entries of other lanes are undefined. Scratchpad addresses are byte offsets in the thread block's scratchpad memory,
/// local addresses byte offsets in the thread's local memory, param addresses byte offsets in the parameters, constant
/// and global addresses device addresses; a generic access carries the generic address.
struct AccessEntry {
  std::uint32_t mask = 0;
  std::uint64_t address[32];
};

/// Longest possible entries, in bytes.
inline constexpr std::size_t max_block_entry_bytes = 9, max_access_entry_bytes = 1 + 4 + 8 + 31 * 8;

/// What encoder and cursor both know of the entries so far.
struct StreamContext {
  static constexpr std::uint32_t predictions = 16;
  std::uint32_t mask = 0;  ///< Of the current block.
  std::uint32_t slot = 0;  ///< Access entries since the block entry, modulo `predictions`.
  std::array<std::uint64_t, predictions> predicted{};
};

/// Appends entries to a buffer.
class StreamEncoder {
 public:
  void block(std::uint32_t block, std::uint32_t mask);
  /// The access mask must be a subset of the current block's mask; anything else is a Bug.
  void access(std::uint32_t mask, const std::uint64_t* address);

  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {buffer_.data(), size_}; }
  /// Forgets what was written and starts a new piece; only between two block entries' worth of data.
  void start_piece();

 private:
  /// Room for `bytes` more at the end.
  std::byte* reserve(std::size_t bytes) {
    if (buffer_.size() - size_ < bytes) grow(bytes);
    return buffer_.data() + size_;
  }
  void grow(std::size_t bytes);

  std::vector<std::byte> buffer_;
  std::size_t size_ = 0;
  StreamContext context_;
};

/// Reads entries back. The caller asks for a block, then for exactly as many accesses as the static block has memory
/// instructions. Throws InputError when the bytes are not a valid stream; never reads past a piece. What comes out has
/// block < `blocks`, and access masks that are subsets of the block's mask; addresses can be anything.
class StreamCursor {
 public:
  StreamCursor() = default;
  /// `blocks`: number of static blocks of the kernel.
  explicit StreamCursor(WarpStream& stream, std::uint32_t blocks = ~std::uint32_t{0})
      : stream_(&stream), blocks_(blocks) {}
  /// False at the end of the stream. Fetches the next piece when one is used up.
  bool next_block(BlockEntry& entry);
  void next_access(AccessEntry& entry);

 private:
  bool next_piece();
  const std::byte* decode_block(const std::byte* at, BlockEntry& entry);
  const std::byte* decode_access(const std::byte* at, AccessEntry& entry);
  void next_access_near_end(AccessEntry& entry);
  [[noreturn]] void fail(const char* what) const;

  WarpStream* stream_ = nullptr;
  const std::byte* begin_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::uint32_t blocks_ = 0;
  StreamContext context_;
};

}  // namespace lockstep::trace
