#include "models/coalescer/coalescer.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::coalescer {

namespace {

std::uint64_t low_bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Bit n of the result: any (or every) bit of the n-th group of `width` bits.
std::uint32_t fold(std::uint64_t bits, std::uint32_t width, bool every) {
  std::uint32_t parts = 0;
  const std::uint64_t group = low_bits(width);
  for (std::uint32_t at = 0, part = 0; at < 64; at += width, ++part) {
    const std::uint64_t here = bits >> at & group;
    if (every ? here == group : here != 0) parts |= 1u << part;
  }
  return parts;
}

/// The sectors of an aligned piece of the block.
std::uint32_t sectors_of(std::uint32_t first, std::uint32_t bytes) {
  const std::uint32_t from = first / sector_bytes, count = (bytes + sector_bytes - 1) / sector_bytes;
  return static_cast<std::uint32_t>(low_bits(count)) << from;
}

constexpr std::uint64_t block_of(std::uint64_t address) {
  return address & ~std::uint64_t{block_bytes - 1};
}
constexpr std::uint32_t offset_of(std::uint64_t address) {
  return static_cast<std::uint32_t>(address % block_bytes);
}

/// From an address to the end of its line. Counts of bytes, not ends, bound what is walked: the address behind the last line
/// is 0.
constexpr std::uint32_t to_line_end(std::uint64_t address, std::uint32_t line_bytes) {
  return line_bytes - static_cast<std::uint32_t>(address % line_bytes);
}

/// The most lanes of `mask` that name one word.
std::uint32_t most_on_one_word(const std::uint64_t* address, std::uint32_t mask) {
  std::uint32_t most = 0;
  while (mask != 0) {
    const std::uint64_t word = address[std::countr_zero(mask)] / 4;
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (address[lane] / 4 == word) same |= 1u << lane;
    }
    most = std::max(most, static_cast<std::uint32_t>(std::popcount(same)));
    mask &= ~same;
  }
  return most;
}

/// Fills in how the lanes of an atomic share words.
void count_words(Transaction& t, const std::uint64_t* address, std::uint32_t lanes) {
  while (lanes != 0) {
    const std::uint64_t sector = address[std::countr_zero(lanes)] / sector_bytes;
    std::uint32_t here = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (address[lane] / sector_bytes == sector) here |= 1u << lane;
    }
    const std::uint32_t most = most_on_one_word(address, here);
    t.same_word = std::max(t.same_word, most);
    t.operations += most;
    lanes &= ~here;
  }
}

Transaction& append(Transactions& out, std::uint64_t block) {
  Transaction& t = out.all[out.count++];
  t = Transaction{};
  t.block = block;
  return t;
}

/// Adds the bytes of one lane to a transaction that has room for them; what lies beyond the block is cut off.
void add_lane(Transaction& t, std::uint64_t first, std::uint32_t bytes) {
  const std::uint32_t offset = offset_of(first);
  t.bytes.add(offset, std::min(bytes, block_bytes - offset));
  ++t.lanes;
}

/// A lane whose word crosses a block: its second half stands alone.
void add_rest(Transactions& out, std::uint64_t first, std::uint32_t bytes) {
  if (offset_of(first) + bytes <= block_bytes) return;
  const std::uint32_t rest = offset_of(first) + bytes - block_bytes;
  Transaction& t = append(out, block_of(first) + block_bytes);
  t.bytes.add(0, rest);
  t.sectors = sectors_of(0, rest);
}

/// Whether the lanes of `mask` follow each other and so do their words.
bool contiguous(const Access& access, std::uint32_t mask) {
  const int first = std::countr_zero(mask), lanes = std::popcount(mask);
  if (std::uint64_t{mask} != low_bits(static_cast<std::uint32_t>(lanes)) << first) return false;
  const std::uint64_t* const address = access.address + first;
  std::uint64_t expected = address[0], differs = 0;
  for (int lane = 1; lane < lanes; ++lane) {
    expected += access.bytes_per_lane;
    differs |= address[lane] ^ expected;
    if (lane == 1 && differs != 0) return false;
  }
  return differs == 0;
}

/// One transaction per line of `lanes` successive words from `start` on.
void lines_of_row(std::uint64_t start, std::uint32_t lanes, std::uint32_t bytes_per_lane, std::uint32_t line_bytes,
                  Transactions& out) {
  const std::uint32_t row_bytes = lanes * bytes_per_lane;
  std::uint32_t begun = 0;  // Lanes whose word begins within the first `done` bytes.
  for (std::uint32_t done = 0; done < row_bytes;) {
    const std::uint64_t at = start + done;
    const std::uint32_t bytes = std::min(row_bytes - done, to_line_end(at, line_bytes));
    Transaction& t = append(out, block_of(at));
    t.bytes.add(offset_of(at), bytes);
    t.sectors = t.bytes.parts(sector_bytes);
    done += bytes;
    const std::uint32_t by_then = (done + bytes_per_lane - 1) / bytes_per_lane;
    t.lanes = by_then - begun;
    begun = by_then;
  }
}

/// 2.0 and later: one transaction per line.
void lines(const Access& access, std::uint32_t mask, std::uint32_t line_bytes, Transactions& out) {
  if (!access.counts_words && contiguous(access, mask))
    return lines_of_row(access.address[std::countr_zero(mask)], static_cast<std::uint32_t>(std::popcount(mask)),
                        access.bytes_per_lane, line_bytes, out);
  const std::uint32_t before = out.count;
  std::uint32_t lanes_of[Transactions::most];
  const auto find = [&](std::uint64_t line) -> Transaction& {
    for (std::uint32_t n = out.count; n-- > before;) {
      Transaction& t = out.all[n];
      if (t.sectors == line % block_bytes && t.block == block_of(line)) return t;
    }
    lanes_of[out.count] = 0;
    Transaction& t = append(out, block_of(line));
    t.sectors = static_cast<std::uint32_t>(line % block_bytes);  // Until the end: where in the block the line begins.
    return t;
  };
  const std::uint64_t one_lane = low_bits(access.bytes_per_lane), in_line = ~std::uint64_t{line_bytes - 1};
  Transaction* latest = nullptr;
  std::uint64_t latest_line = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::uint64_t at = access.address[lane];
    // Neighbouring lanes mostly share a line, and words mostly lie within it.
    if (latest != nullptr && (at & in_line) == latest_line && at % 64 + access.bytes_per_lane <= 64 &&
        ((at + access.bytes_per_lane - 1) & in_line) == latest_line) [[likely]] {
      (offset_of(at) < 64 ? latest->bytes.low : latest->bytes.high) |= one_lane << at % 64;
      ++latest->lanes;
      lanes_of[latest - out.all] |= 1u << lane;
      continue;
    }
    std::uint32_t left = access.bytes_per_lane;
    for (bool first = true; left > 0; first = false) {
      const std::uint64_t line = at & in_line;
      Transaction& t = find(line);
      latest = &t;
      latest_line = line;
      const std::uint32_t bytes = std::min(left, to_line_end(at, line_bytes));
      t.bytes.add(offset_of(at), bytes);
      if (first) {
        ++t.lanes;
        lanes_of[&t - out.all] |= 1u << lane;
      }
      at += bytes;
      left -= bytes;
    }
  }
  for (std::uint32_t n = before; n < out.count; ++n) {
    Transaction& t = out.all[n];
    t.sectors = t.bytes.parts(sector_bytes);
    if (access.counts_words) count_words(t, access.address, lanes_of[n]);
  }
}

/// 1.2 and 1.3, of a half-warp: the segment of the lowest lane takes all lanes that lie in it and shrinks to what they
/// use; then the segment of the lowest lane that is left.
void segments(const Access& access, std::uint32_t mask, Transactions& out) {
  const std::uint32_t bytes = access.bytes_per_lane;
  const std::uint32_t largest = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
  while (mask != 0) {
    const std::uint64_t start = access.address[std::countr_zero(mask)] & ~std::uint64_t{largest - 1};
    std::uint32_t inside = 0;
    Transaction& t = append(out, block_of(start));
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if ((access.address[lane] & ~std::uint64_t{largest - 1}) != start) continue;
      inside |= 1u << lane;
      add_lane(t, access.address[lane], bytes);
    }
    std::uint32_t size = largest, first = offset_of(start);
    while (size > sector_bytes) {
      const bool low = t.bytes.within(first, size / 2).any(), high = t.bytes.within(first + size / 2, size / 2).any();
      if (low && high) break;
      size /= 2;
      if (high) first += size;
    }
    t.sectors = sectors_of(first, size);
    if (access.counts_words) count_words(t, access.address, inside);
    for (std::uint32_t rest = inside; rest != 0; rest &= rest - 1)
      add_rest(out, access.address[std::countr_zero(rest)], bytes);
    mask &= ~inside;
  }
}

/// 1.0 and 1.1, of a half-warp: words of 4, 8 or 16 bytes, lane k of the half on word k of an aligned row of sixteen;
/// lanes may be missing. Otherwise every lane has a transaction of its own.
void in_order(const Access& access, std::uint32_t mask, Transactions& out) {
  const std::uint32_t bytes = access.bytes_per_lane;
  const int half = std::countr_zero(mask) / 16 * 16;
  bool ordered = bytes == 4 || bytes == 8 || bytes == 16;
  const int lowest = std::countr_zero(mask);
  const std::uint64_t start = access.address[lowest] - static_cast<std::uint64_t>(lowest - half) * bytes;
  ordered = ordered && start % (std::uint64_t{16} * bytes) == 0;
  for (std::uint32_t rest = mask; ordered && rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    ordered = access.address[lane] == start + static_cast<std::uint64_t>(lane - half) * bytes;
  }
  if (!ordered) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t first = access.address[std::countr_zero(rest)];
      Transaction& t = append(out, block_of(first));
      add_lane(t, first, bytes);
      t.sectors = t.bytes.parts(sector_bytes);
      t.same_word = t.operations = access.counts_words ? 1 : 0;
      add_rest(out, first, bytes);
    }
    return;
  }
  const std::uint32_t size = std::min(16 * bytes, block_bytes);
  for (std::uint32_t done = 0; done < 16 * bytes; done += size) {
    const std::uint64_t at = start + done;
    Transaction t;
    t.block = block_of(at);
    t.sectors = sectors_of(offset_of(at), size);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t first = access.address[std::countr_zero(rest)];
      if (first - at < size) add_lane(t, first, bytes);
    }
    t.same_word = access.counts_words ? 1 : 0;
    t.operations = access.counts_words ? static_cast<std::uint32_t>(std::popcount(t.bytes.parts(sector_bytes))) : 0;
    if (t.lanes != 0) out.all[out.count++] = t;
  }
}

}  // namespace

void ByteMask::add(std::uint32_t first, std::uint32_t count) {
  const std::uint64_t bits = low_bits(count);
  if (first >= 64) {
    high |= bits << (first - 64);
    return;
  }
  low |= bits << first;
  if (first + count > 64) high |= low_bits(first + count - 64);
}

std::uint32_t ByteMask::count() const {
  return static_cast<std::uint32_t>(std::popcount(low) + std::popcount(high));
}

std::uint32_t ByteMask::parts(std::uint32_t bytes) const {
  if (bytes >= 128) return any() ? 1 : 0;
  return fold(low, bytes, false) | fold(high, bytes, false) << 64 / bytes;
}

std::uint32_t ByteMask::whole_parts(std::uint32_t bytes) const {
  if (bytes >= 128) return (low & high) == ~std::uint64_t{0} ? 1 : 0;
  return fold(low, bytes, true) | fold(high, bytes, true) << 64 / bytes;
}

ByteMask ByteMask::within(std::uint32_t first, std::uint32_t count) const {
  ByteMask window;
  window.add(first, count);
  return {low & window.low, high & window.high};
}

void coalesce(Rule rule, const Access& access, std::uint32_t transaction_bytes, Transactions& out) {
  if (rule == Rule::warp_lines) {
    // Words of 8 bytes are two requests of 16 lanes, of 16 bytes four of 8 lanes. Not of atomics: an H100 takes as long for 32 lanes
    // on four words of 8 bytes as for these on four of 4 (micro-atomic-lines sharing=8).
    const std::uint32_t lanes =
        access.counts_words ? 32 : std::min(32u, block_bytes / std::bit_ceil(std::max(access.bytes_per_lane, 1u)));
    for (std::uint32_t first = 0; first < 32; first += lanes) {
      const std::uint32_t mask = access.mask & static_cast<std::uint32_t>(low_bits(lanes)) << first;
      if (mask != 0) lines(access, mask, transaction_bytes, out);
    }
    return;
  }
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint32_t mask = access.mask & 0xffffu << 16 * half;
    if (mask == 0) continue;
    if (rule == Rule::half_warp_segments) {
      segments(access, mask, out);
    } else {
      in_order(access, mask, out);
    }
  }
}

void coalesce_lines(const Access& access, std::uint32_t line_bytes, Transactions& out) {
  lines(access, access.mask, line_bytes, out);
}

std::uint32_t bank_degree(const Transactions& access, std::uint32_t banks) {
  std::uint32_t words[block_bytes / 4] = {}, most = 0;
  for (const Transaction& t : access) {
    const std::uint64_t first = t.block / 4;
    std::uint32_t rest = t.bytes.parts(4);
    // Wide elements make several transactions of a block.
    for (const Transaction* before = access.begin(); before != &t; ++before)
      if (before->block == t.block) rest &= ~before->bytes.parts(4);
    for (; rest != 0; rest &= rest - 1)
      most = std::max(most, ++words[(first + static_cast<unsigned>(std::countr_zero(rest))) % banks]);
  }
  return most;
}

}  // namespace lockstep::coalescer
