// Stores to a slice, and what they left on its way back to memory.

#include <bit>

#include "models/l2/slice.hpp"

namespace lockstep::l2 {

using clock::Ticks;

/// The words of its line of which a write changes every byte.
std::uint32_t Slice::words_of(const noc::Request& request) const {
  const std::uint64_t in_block = request.address % noc::block_bytes, line = in_block >> line_shift_ << line_shift_;
  return request.written >> line / noc::word_bytes;
}

/// The sectors of its line in which a write changes every byte.
std::uint32_t Slice::whole_sectors(const noc::Request& request) const {
  const std::uint32_t sectors = sectors_of(request);
  if (!request.whole_sectors) return parts_.kept() ? PartialSectors::whole(words_of(request)) & sectors : 0;
  const std::uint32_t parts = (1u << sector_shift_) / noc::sector_bytes;
  if (parts == 1) return sectors;
  const std::uint32_t at = static_cast<std::uint32_t>(request.address & ((std::uint64_t{1} << line_shift_) - 1));
  std::uint32_t whole = 0;
  for (std::uint32_t rest = sectors; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t written = 0;
    for (std::uint32_t bits = request.sectors; bits != 0; bits &= bits - 1) {
      const std::uint32_t offset = at + static_cast<std::uint32_t>(std::countr_zero(bits)) * noc::sector_bytes;
      written += offset >> sector_shift_ == sector ? 1 : 0;
    }
    if (written == parts) whole |= 1u << sector;
  }
  return whole;
}

Slice::Stall Slice::serve_write(Ticks time, const Waiter& waiter, const noc::Request& request) {
  const std::uint32_t whole = whole_sectors(request);
  const std::uint32_t entry = tags_.find(waiter.line);
  const bool hit = entry != cache::TagArray::none;
  if (write_policy_ != cache::WritePolicy::back) {
    if (!channel_.has_room()) return Stall::channel;
    ++(hit ? counters_.write_hits : counters_.write_misses);
    if (hit && write_policy_ == cache::WritePolicy::evict) tags_.drop(entry);
    if (hit && write_policy_ == cache::WritePolicy::through) {
      tags_.touch(entry);
      use_data(time, waiter.bytes);
    }
    push(waiter, TransferKind::acknowledged_write, true);
    return Stall::none;
  }
  // A sector that is written in part and not there is read, by some caches at once; the store itself need not wait for it.
  const std::uint32_t valid = hit ? tags_.valid(entry) : 0;
  const std::uint32_t in_part = waiter.sectors & ~whole & ~valid, missing = parts_.kept() ? 0 : in_part;
  if (missing != 0) {
    const Stall stall = wait_for_fill(waiter, missing);
    if (stall != Stall::none) return stall;
  }
  ++(hit ? counters_.write_hits : counters_.write_misses);
  const std::uint32_t known = waiter.sectors & ~in_part, taken = waiter.sectors & ~missing;
  const Ticks start = use_data(time, waiter.bytes);
  if (parts_.kept() && (in_part & ~(hit ? tags_.dirty(entry) : 0)) != 0) {
    use_data(start, waiter.bytes);
    data_free_ += partial_write_;
  }
  if (taken != 0) {
    const cache::TagArray::Victim victim = tags_.fill(waiter.line, known);
    const std::uint32_t written = tags_.find(waiter.line);
    mark_written(written, known, in_part, hit, request);
    put_back(victim);
    clean_beyond(written);
    forget_copies(waiter.line, taken);
    copy(waiter, 0);
  }
  answer(start + latency_ + distance_.of(waiter.sm), waiter);
  return Stall::none;
}

/// Of a line that is there: its sectors `known` are dirty, of those `in_part` some words; `hit`: the line was there before.
void Slice::mark_written(std::uint32_t entry, std::uint32_t known, std::uint32_t in_part, bool hit,
                         const noc::Request& request) {
  tags_.mark_dirty(entry, known);
  if (!hit) parts_.forget(entry);
  if (!parts_.kept()) return;
  const std::uint32_t completed = parts_.write(entry, in_part, words_of(request));
  tags_.mark_dirty(entry, completed);
  tags_.mark_written_in_part(entry, in_part & ~completed);
}

/// Cleans the line whose writing is longest ago, where an entry's set has more that are dirty than it may; what is to be written back
/// for it has no sectors where none is cleaned.
Slice::WriteBack Slice::clean_oldest_beyond(std::uint32_t entry) {
  const std::uint32_t oldest = dirty_.beyond(tags_, entry);
  if (oldest == cache::TagArray::none) return {};
  const std::uint32_t dirty = tags_.dirty(oldest);
  tags_.mark_clean(oldest, dirty);
  parts_.forget(oldest);
  return {tags_.line(oldest), dirty, dirty & ~tags_.valid(oldest)};
}

void Slice::clean_beyond(std::uint32_t entry) {
  const WriteBack cleaned = clean_oldest_beyond(entry);
  if (cleaned.sectors != 0) put_back(cleaned.line, cleaned.sectors, cleaned.in_part);
}

/// Written data on its way to DRAM, behind what must be read of sectors that were written in part. It is not refused; but
/// while some waits for a place in the channel's queue, the slice takes no request.
void Slice::put_back(std::uint64_t line, std::uint32_t sectors, std::uint32_t in_part) {
  if (cached_) ++counters_.write_backs;
  write_backs_.push_back({line, sectors, in_part});
  flush_write_backs();
}

void Slice::flush_write_backs() {
  std::size_t n = 0;
  for (; n < write_backs_.size() && channel_.has_room(); ++n) {
    Waiter waiter;
    waiter.line = write_backs_[n].line;
    if (write_backs_[n].in_part != 0) {
      waiter.sectors = write_backs_[n].in_part;
      write_backs_[n].in_part = 0;
      push(waiter, TransferKind::silent_read, false);
      if (!channel_.has_room()) break;
    }
    waiter.sectors = write_backs_[n].sectors;
    if (cached_) use_data(now_, bytes_of(waiter.sectors));
    push(waiter, TransferKind::silent_write, true);
  }
  write_backs_.erase(write_backs_.begin(), write_backs_.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace lockstep::l2
