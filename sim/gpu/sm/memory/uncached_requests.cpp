#include "sim/gpu/sm/memory/uncached_requests.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::gpu {

void UncachedRequests::send(const coalescer::Transaction& t, noc::RequestKind kind, std::uint32_t data_bytes,
                            std::uint32_t open, Cycle at, bool later, std::uint32_t words, bool floating) {
  const std::uint32_t piece = std::min(interleave_bytes_, coalescer::block_bytes);
  const std::uint32_t width = piece / noc::sector_bytes;
  for (std::uint32_t first = 0; first < coalescer::block_bytes / noc::sector_bytes; first += width) {
    const std::uint32_t here = t.sectors >> first & static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
    if (here == 0) continue;
    noc::Request request;
    request.kind = kind;
    request.address = t.block + std::uint64_t{first} * noc::sector_bytes;
    request.sectors = here;
    const auto moved = static_cast<std::uint32_t>(std::popcount(here)) * noc::sector_bytes;
    const bool operands = kind == noc::RequestKind::atomic || kind == noc::RequestKind::reduction;
    request.bytes = operands ? data_bytes : moved;
    if (operands) {
      request.lanes = t.lanes;
      request.same_word = t.same_word;
      request.operations = t.operations;
      request.floating = floating;
    }
    request.whole_sectors =
        kind != noc::RequestKind::read && (t.bytes.whole_parts(noc::sector_bytes) >> first & here) == here;
    if (kind == noc::RequestKind::write)
      request.written = t.bytes.within(first * noc::sector_bytes, piece).whole_parts(noc::word_bytes);
    if (words != 0) [[unlikely]] {
      const unsigned shift = first * noc::words_per_sector;
      request.words =
          words & static_cast<std::uint32_t>(((std::uint64_t{1} << width * noc::words_per_sector) - 1) << shift);
    }
    PendingRequest pending;
    pending.purpose = PendingRequest::Purpose::part;
    pending.open = open;
    if (kind == noc::RequestKind::write && words == 0 && port_.merges_stores()) {
      const coalescer::ByteMask bytes = t.bytes.within(first * noc::sector_bytes, piece);
      if (!port_.store(request, bytes, pending, at)) accesses_.add_part(open);
      continue;
    }
    accesses_.add_part(open);
    later ? port_.send_later(request, pending, at) : port_.send(request, pending, at);
  }
}

}  // namespace lockstep::gpu
