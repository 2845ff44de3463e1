#pragma once
// Messages between the SMs and the slices of the memory behind them.

#include <cstdint>

#include "isa/cycle.hpp"

namespace lockstep::noc {

/// What the bits of Request::sectors count in.
inline constexpr std::uint32_t sector_bytes = 32;
/// The aligned piece of memory whose words Request::words counts.
inline constexpr std::uint32_t block_bytes = 128;
inline constexpr std::uint32_t word_bytes = 4;
inline constexpr std::uint32_t words_per_sector = sector_bytes / word_bytes;

/// wait: a read that stays in the slice until the word it asks for has been written (wait-for-hit of Van den Braak, section
/// 7.2.1). It brings that word's sector and those behind it in the line that have been written by then.
enum class RequestKind : std::uint8_t { read, write, atomic, reduction, wait };

/// One transaction: part of a line, in one direction. A write carries its data, an atomic its operands; a read, a wait and
/// an atomic are answered with data, a write and a reduction are acknowledged.
struct Request {
  Cycle cycle = 0;               ///< When its last byte leaves the SM's port.
  std::uint64_t address = 0;     ///< Of the line, or of any sector in it; all its bytes lie in one slice.
  std::uint32_t sectors = 0;     ///< Bit mask of the sectors (from `address` on) that are asked for or written.
  std::uint32_t bytes = 0;       ///< Of data moved (without header), in the direction that has it.
  std::uint32_t lanes = 0;       ///< Of an atomic: that take part.
  std::uint32_t same_word = 0;   ///< Of an atomic: the most of them on one word.
  std::uint32_t operations = 0;  ///< Of an atomic: see coalescer::Transaction.
  std::uint32_t token = 0;       ///< Returned with the reply.
  /// Bits of the words of the block in which `address` lies. Of a write or reduction: those that it writes, where requests may wait
  /// for them. Of a wait: the one that it waits for.
  std::uint32_t words = 0;
  std::uint32_t written = 0;  ///< Of a write: bits of the words of that block of which it writes every byte.
  std::uint16_t slice = 0;    ///< SliceMap::slice_of(address).
  RequestKind kind = RequestKind::read;
  bool whole_sectors = false;  ///< Of a write or an atomic: every byte of its sectors is written.
  bool translated = true;      ///< The SM's translation buffer knew the page.
  bool texture = false;        ///< Of a texture cache.
  bool floating = false;       ///< Of an atomic: on floating-point numbers.
};

/// What comes back to an SM.
struct Reply {
  Cycle cycle = 0;  ///< When the SM has all of it.
  std::uint32_t token = 0;
  std::uint16_t slice = 0;
  bool credit = false;      ///< No answer: a place at the slice has become free.
  std::uint32_t words = 0;  ///< To a wait: the words of its block that it brings, all of them written.
};

}  // namespace lockstep::noc
