#pragma once
// From the lanes of a warp access to its transactions with the memory, by the rules of three generations: NVIDIA CUDA C
// Programming Guide 4.x, sections F.3.2 (compute capability 1.x) and F.4.2 (2.x); Gomez-Luna 2012, section 2.4.3.

#include <cstdint>

#include "models/coalescer/rule.hpp"

namespace lockstep::coalescer {

/// What the memory behind the SMs moves at least: bits of Transaction::sectors.
inline constexpr std::uint32_t sector_bytes = 32;
/// The largest transaction.
inline constexpr std::uint32_t block_bytes = 128;

/// Some bytes of an aligned block of 128: bit n is byte n.
struct ByteMask {
  std::uint64_t low = 0, high = 0;

  /// Adds bytes [first, first + count) of the block.
  void add(std::uint32_t first, std::uint32_t count);
  bool any() const { return (low | high) != 0; }
  std::uint32_t count() const;
  /// A bit for every part of `bytes` (a power of two, 4 to 128) in which a byte is set.
  std::uint32_t parts(std::uint32_t bytes) const;
  /// A bit for every such part in which all bytes are set.
  std::uint32_t whole_parts(std::uint32_t bytes) const;
  /// The bytes [first, first + count) alone.
  ByteMask within(std::uint32_t first, std::uint32_t count) const;
};

/// One access to part of an aligned block of 128 bytes.
struct Transaction {
  std::uint64_t block = 0;      ///< Address of the block.
  ByteMask bytes;               ///< That lanes ask for or write.
  std::uint32_t sectors = 0;    ///< Of the block, that are moved: also where no lane needs all of one.
  std::uint32_t lanes = 0;      ///< Whose access begins here.
  std::uint32_t same_word = 0;  ///< The most of these lanes on one word: how long an atomic takes.
  /// Of an atomic: over all sectors, the most lanes on one word of each. An operation takes one lane of each word of a sector.
  std::uint32_t operations = 0;
};

/// The transactions of one warp instruction, in order. An access that straddles two blocks is in both.
struct Transactions {
  /// Eight words of 32 lanes, each of which may straddle two blocks.
  static constexpr std::uint32_t most = 512;
  std::uint32_t count = 0;
  Transaction all[most];

  const Transaction* begin() const { return all; }
  const Transaction* end() const { return all + count; }
};

/// One access of the lanes in `mask`, `bytes_per_lane` from address[lane] on.
struct Access {
  const std::uint64_t* address = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t bytes_per_lane = 0;
  bool counts_words = false;  ///< Fill Transaction::same_word and operations.
};

/// Appends the transactions of an access. transaction_bytes is the largest transaction of Rule::warp_lines: a cache
/// line, a power of two from 32 to 128; the segments of the other rules follow from the size of a word. At most 32 bytes
/// per lane.
void coalesce(Rule rule, const Access& access, std::uint32_t transaction_bytes, Transactions& out);

/// The most distinct four-byte words of an access that fall into one bank: of `banks` banks, word w is in bank w mod banks.
std::uint32_t bank_degree(const Transactions& access, std::uint32_t banks);

/// Appends one transaction per line that the lanes touch, whatever the size of a word: how a cache that serves a few lanes
/// at a time sees them. At most 128 bytes per lane, of at most 8 lanes.
void coalesce_lines(const Access& access, std::uint32_t line_bytes, Transactions& out);

}  // namespace lockstep::coalescer
