#include "sim/gpu/sampled/block_work.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace lockstep::gpu::sampled {

using noc::RequestKind;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// One piece of a stream, which can be read alone.
class OnePiece final : public trace::WarpStream {
 public:
  explicit OnePiece(std::span<const std::byte> piece) : piece_(piece) {}
  std::span<const std::byte> next_piece() override { return std::exchange(piece_, {}); }

 private:
  std::span<const std::byte> piece_;
};

/// FNV-1a, byte by byte of the number.
std::uint64_t mix(std::uint64_t hash, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ (number >> shift & 0xff)) * 0x0000'0100'0000'01b3u;
  return hash;
}

std::uint64_t sectors_of(const coalescer::Transaction& transaction) {
  return static_cast<std::uint64_t>(std::popcount(transaction.sectors));
}

}  // namespace

WorkReader::WorkReader(const GpuSpec& spec, const trace::Header& header, std::uint32_t launch)
    : rule_(spec.sm.coalescer),
      transaction_bytes_(std::clamp(spec.sm.l1.cache.line_bytes, noc::sector_bytes, coalescer::block_bytes)),
      piece_bytes_(std::min(spec.memory.l2.interleave_bytes, coalescer::block_bytes)),
      warps_(header.launches[launch].warps_per_block()),
      windows_(header.windows) {
  const program::Kernel& kernel = header.kernels[header.launches[launch].kernel];
  for (const program::StaticBlock& block : kernel.blocks) {
    Block& one = blocks_.emplace_back(Block{block.count, static_cast<std::uint32_t>(entries_.size()), 0});
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const program::StaticInstruction& instruction = kernel.instructions[i];
      Entry entry;
      entry.bytes = std::uint32_t{instruction.element_bytes} * instruction.vector_elements;
      const bool elsewhere = instruction.space != MemorySpace::global && instruction.space != MemorySpace::generic &&
                             instruction.space != MemorySpace::texture;
      switch (instruction.access) {
        case AccessKind::store: entry.kind = RequestKind::write; break;
        case AccessKind::atomic: entry.kind = RequestKind::atomic; break;
        case AccessKind::reduction: entry.kind = RequestKind::reduction; break;
        default: entry.kind = RequestKind::read;
      }
      const bool memory = instruction.access != AccessKind::none && instruction.access != AccessKind::barrier &&
                          instruction.access != AccessKind::mbarrier;
      if (memory && !elsewhere && entry.bytes != 0) entry.space = instruction.space;
      for (std::uint32_t n = 0; n < program::access_entries(instruction); ++n) {
        entries_.push_back(n == 0 ? entry : Entry{});  // Of a copy, the second is in the scratchpad.
        ++one.count;
      }
    }
  }
}

BlockWork WorkReader::Progress::total() const {
  BlockWork result;
  const std::uint64_t sum = std::accumulate(warps_.begin(), warps_.end(), std::uint64_t{0});
  const std::uint64_t longest = warps_.empty() ? 0 : *std::max_element(warps_.begin(), warps_.end());
  result.warp_instructions = sum;
  result.work.measures = {1, static_cast<double>(sum), static_cast<double>(longest), static_cast<double>(sectors_)};
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325u;
  for (std::size_t block = 0; block < entered_.size(); ++block)
    if (entered_[block]) hash = mix(hash, block);
  const std::uint64_t bounded = std::min(sum, std::uint64_t{1} << 31);
  const auto octave = static_cast<std::uint64_t>(std::bit_width(bounded));
  // The upper half of an octave begins at the square root of 2.
  const bool upper = octave > 1 && static_cast<std::uint64_t>(std::bit_width(bounded * bounded)) == 2 * octave;
  result.kind = mix(hash, 2 * octave + (upper ? 1 : 0));
  return result;
}

std::uint32_t WorkReader::global_lanes(const Entry& entry, const trace::AccessEntry& access) const {
  if (entry.space != MemorySpace::generic) return access.mask;
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = access.address[lane];
    if (address - windows_.shared_base >= windows_.shared_size && address - windows_.local_base >= windows_.local_size)
      lanes |= 1u << lane;
  }
  return lanes;
}

/// Calls each(transaction).
template <class Each>
void WorkReader::coalesce(const Entry& entry, const trace::AccessEntry& access, Each&& each) const {
  const std::uint32_t lanes = global_lanes(entry, access);
  if (lanes == 0) return;
  thread_local coalescer::Transactions transactions;  // Large: made once.
  transactions.count = 0;
  coalescer::coalesce(rule_, {access.address, lanes, std::min(entry.bytes, 32u), false}, transaction_bytes_,
                      transactions);
  for (const coalescer::Transaction& one : transactions) each(one);
}

/// A request for each part of a transaction that lies in one slice.
void WorkReader::request(const Entry& entry, const coalescer::Transaction& transaction, std::uint32_t sm,
                         std::vector<UntimedRequest>& requests) const {
  const std::uint32_t width = piece_bytes_ / noc::sector_bytes;
  for (std::uint32_t rest = transaction.sectors, first = 0; rest != 0; rest >>= width, first += width) {
    const std::uint32_t here = rest & ((1u << width) - 1);
    if (here == 0) continue;
    UntimedRequest one;
    one.sm = sm;
    one.kind = entry.kind;
    one.address = transaction.block + std::uint64_t{first} * noc::sector_bytes;
    one.sectors = here;
    one.texture = entry.space == MemorySpace::texture;
    if (entry.kind == RequestKind::write) {
      one.whole_sectors = (transaction.bytes.whole_parts(noc::sector_bytes) >> first & here) == here;
      one.written = transaction.bytes.within(first * noc::sector_bytes, piece_bytes_).whole_parts(noc::word_bytes);
    }
    requests.push_back(one);
  }
}

/// Calls touch(entry, access) for what concerns the memory behind the SMs.
template <class Touch>
void WorkReader::read_stream(trace::WarpStream& stream, std::uint32_t warp, Progress& to, Touch&& touch) const {
  trace::StreamCursor cursor(stream, static_cast<std::uint32_t>(blocks_.size()));
  trace::BlockEntry entered;
  trace::AccessEntry access;
  while (cursor.next_block(entered)) {
    const Block& block = blocks_[entered.block];
    to.entered_[entered.block] = true;
    to.warps_[warp] += block.instructions;
    for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
      cursor.next_access(access);
      if (entries_[n].space != MemorySpace::none) touch(entries_[n], access);
    }
  }
}

void WorkReader::read_piece(std::span<const std::byte> piece, std::uint32_t warp, Progress& to) const {
  OnePiece stream(piece);
  read_stream(stream, warp, to, [&](const Entry& entry, const trace::AccessEntry& access) {
    coalesce(entry, access, [&](const coalescer::Transaction& one) { to.sectors_ += sectors_of(one); });
  });
}

BlockWork WorkReader::read(trace::ThreadBlockStreams& streams, std::uint32_t sm, Depth depth,
                           std::vector<std::vector<UntimedRequest>>& requests) const {
  Progress progress(*this, warps_);
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    if (depth == Depth::requests) requests.emplace_back();
    read_stream(streams.warp(warp), warp, progress, [&](const Entry& entry, const trace::AccessEntry& access) {
      if (depth == Depth::instructions) return;
      coalesce(entry, access, [&](const coalescer::Transaction& one) {
        progress.sectors_ += sectors_of(one);
        if (depth == Depth::requests) request(entry, one, sm, requests.back());
      });
    });
  }
  return progress.total();
}

}  // namespace lockstep::gpu::sampled
