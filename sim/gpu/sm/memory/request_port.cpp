#include "sim/gpu/sm/memory/request_port.hpp"

#include <algorithm>
#include <bit>

#include "models/noc/message_size.hpp"

namespace lockstep::gpu {

RequestPort::RequestPort(const GpuSpec& spec, const noc::SliceMap& slices, MemoryUnitCounters& counters)
    : memory_(spec.memory),
      slices_(slices),
      counters_(counters),
      tlb_(spec.sm.tlb),
      port_(spec.memory.noc, slices.slices()),
      stores_(spec.sm.store_buffer.lines, spec.sm.store_buffer.hold) {}

void RequestPort::begin_launch() {
  port_.reset();
  pending_.clear();
  free_pending_ = none;
  pending_count_ = 0;
  inbox_.clear();
  inbox_head_ = 0;
  later_.clear();
  stores_.clear();
  sent_later_ = 0;
}

void RequestPort::send(noc::Request request, PendingRequest pending, Cycle at) {
  request.slice = static_cast<std::uint16_t>(slices_.slice_of(request.address));
  request.translated = tlb_.lookup(request.address);
  ++(request.translated ? counters_.tlb_hit : counters_.tlb_miss);
  pending.translated = request.translated;
  pending.address = request.address;
  std::uint32_t token = free_pending_;
  if (token == none) {
    token = static_cast<std::uint32_t>(pending_.size());
    pending_.push_back(pending);
  } else {
    free_pending_ = pending_[token].next_free;
    pending_[token] = pending;
  }
  ++pending_count_;
  request.token = token;
  switch (request.kind) {
    case noc::RequestKind::wait:
    case noc::RequestKind::read: ++counters_.l2_read_requests; break;
    case noc::RequestKind::write: ++counters_.l2_write_requests; break;
    default: ++counters_.l2_atomic_requests;
  }
  counters_.request_bytes += noc::message_bytes(memory_.noc, request);
  port_.send(request, at);
}

void RequestPort::send_later(const noc::Request& request, const PendingRequest& pending, Cycle at) {
  later_.push_back({at, sent_later_++, request, pending});
  std::push_heap(later_.begin(), later_.end(), Later::is_after);
}

void RequestPort::send_due(Cycle now) {
  while (!later_.empty() && later_.front().at <= now) {
    const Later& due = later_.front();
    send(due.request, due.pending, due.at);
    std::pop_heap(later_.begin(), later_.end(), Later::is_after);
    later_.pop_back();
  }
}

bool RequestPort::store(const noc::Request& request, const coalescer::ByteMask& bytes, const PendingRequest& pending,
                        Cycle at) {
  if (stores_.join(request, bytes, at)) return true;
  stores_.push(request, pending, bytes, at);
  return false;
}

void RequestPort::send_stores(Cycle now) {
  for (Cycle when; (when = stores_.next(port_.idle_at())) <= now; stores_.pop())
    send(stores_.line(0).request, stores_.line(0).pending, when);
}

/// When a further store can be taken: all that are too many have begun to leave.
Cycle RequestPort::stores_leave_at() const {
  Cycle at = stores_.next(port_.idle_at());
  for (std::size_t n = 0; at != never && n + 1 < stores_.excess(); ++n) at += port_.cycles(stores_.line(n).request);
  return at;
}

void RequestPort::send_line(const cache::Spec& spec, std::uint64_t line, std::uint32_t sectors, noc::RequestKind kind,
                            PendingRequest pending, Cycle at, bool later) {
  const std::uint32_t sector = spec.sector_bytes;
  const std::uint32_t piece = std::min({spec.line_bytes, memory_.l2.interleave_bytes, 32 * noc::sector_bytes});
  const std::uint32_t sectors_per_piece = std::max(piece / sector, 1u);
  for (std::uint32_t first = 0; sectors != 0; first += sectors_per_piece) {
    const std::uint64_t window = ((std::uint64_t{1} << sectors_per_piece) - 1) << first;
    const std::uint32_t here = sectors & static_cast<std::uint32_t>(window);
    if (here == 0) continue;
    sectors &= ~here;
    noc::Request request;
    request.kind = kind;
    request.address = line * spec.line_bytes + std::uint64_t{first} * sector;
    for (std::uint32_t rest = here >> first; rest != 0; rest &= rest - 1) {
      const std::uint32_t offset = static_cast<std::uint32_t>(std::countr_zero(rest)) * sector;
      const std::uint32_t parts = std::max(sector / noc::sector_bytes, 1u);
      request.sectors |= static_cast<std::uint32_t>(((std::uint64_t{1} << parts) - 1) << offset / noc::sector_bytes);
    }
    request.bytes = static_cast<std::uint32_t>(std::popcount(request.sectors)) * noc::sector_bytes;
    request.whole_sectors = kind == noc::RequestKind::write && sector >= noc::sector_bytes;
    pending.line = line;
    pending.sectors = here;
    request.texture = pending.purpose == PendingRequest::Purpose::texture_fill;
    later ? send_later(request, pending, at) : send(request, pending, at);
  }
}

void RequestPort::deliver(const noc::Reply& reply) {
  // Replies mostly come in order: those of different slices may not.
  std::size_t at = inbox_.size();
  inbox_.push_back(reply);
  for (; at > inbox_head_ && inbox_[at - 1].cycle > reply.cycle; --at) inbox_[at] = inbox_[at - 1];
  inbox_[at] = reply;
}

PendingRequest RequestPort::accept(const noc::Reply& reply) {
  const PendingRequest pending = pending_[reply.token];
  pending_[reply.token].next_free = free_pending_;
  free_pending_ = reply.token;
  --pending_count_;
  if (!pending.translated) tlb_.fill(pending.address);
  return pending;
}

std::uint64_t RequestPort::in_memory() const {
  std::uint64_t elsewhere = port_.waiting() + port_.outbox().size();
  for (std::size_t n = inbox_head_; n < inbox_.size(); ++n) elsewhere += inbox_[n].credit ? 0 : 1;
  return pending_count_ - elsewhere;
}

}  // namespace lockstep::gpu
