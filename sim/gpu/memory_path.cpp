// What the parts of the memory path share: accesses in flight, requests, replies.

#include "sim/gpu/memory_path.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep::gpu {

namespace {

cache::Spec sized(cache::Spec spec, std::uint32_t bytes) {
  spec.bytes = bytes;
  return spec;
}

}  // namespace

MemoryPath::DataCache::DataCache(const cache::Spec& spec, double bytes_per_cycle)
    : tags(spec),
      mshrs(spec),
      line_bytes(spec.line_bytes),
      sector_bytes(spec.sector_bytes),
      sector_cost(
          static_cast<std::uint64_t>(std::llround(sector_bytes / bytes_per_cycle * static_cast<double>(fraction)))) {}

std::uint32_t MemoryPath::l1_bytes(const SmSpec& spec) {
  if (spec.l1.unified_bytes == 0) return spec.l1.cache.bytes;
  return spec.l1.unified_bytes - std::min(spec.l1.unified_bytes, spec.occupancy.scratchpad_bytes);
}

MemoryPath::MemoryPath(const GpuSpec& spec, const noc::SliceMap& slices)
    : spec_(spec.sm),
      memory_(spec.memory),
      slices_(slices),
      l1_spec_(sized(spec.sm.l1.cache, l1_bytes(spec.sm))),
      l1_(l1_spec_, spec.sm.l1.bytes_per_cycle),
      texture_(spec.sm.texture.cache, spec.sm.texture.bytes_per_cycle),
      constant_tags_(spec.sm.constant.l1),
      constant15_tags_(spec.sm.constant.l15),
      constant_mshrs_(spec.sm.constant.l1),
      constant15_mshrs_(spec.sm.constant.l15),
      constant_there_(constant_tags_.capacity(), 0),
      tlb_(spec.sm.tlb),
      port_(spec.memory.noc, slices.slices()) {}

void MemoryPath::begin_launch() {
  for (DataCache* cache : {&l1_, &texture_}) {
    cache->tags.clear();
    cache->mshrs.clear();
    cache->port_free = 0;
    cache->waiting.clear();
    cache->waiting_head = 0;
  }
  constant_tags_.clear();
  constant15_tags_.clear();
  constant_mshrs_.clear();
  constant15_mshrs_.clear();
  std::fill(constant_there_.begin(), constant_there_.end(), 0);
  constant_waiting_.clear();
  port_.reset();
  stalled_ = 0;
  opens_.clear();
  flights_.clear();
  free_open_ = free_flight_ = none;
  inbox_.clear();
  inbox_head_ = 0;
  later_.clear();
  sent_later_ = 0;
  completed_.clear();
}

/// A further part keeps the access open until close().
std::uint32_t MemoryPath::open_access(std::uint32_t token) {
  std::uint32_t open = free_open_;
  if (open == none) {
    open = static_cast<std::uint32_t>(opens_.size());
    opens_.emplace_back();
  } else {
    free_open_ = opens_[open].next_free;
  }
  opens_[open] = {token, 1, 0, none, 0};
  return open;
}

/// A part of an access is there at `ready`.
void MemoryPath::done(std::uint32_t open, Cycle ready) {
  Open& one = opens_[open];
  one.ready = std::max(one.ready, ready);
  if (--one.parts > 0) return;
  completed_.push_back({one.token, one.words, one.ready});
  one.next_free = free_open_;
  free_open_ = open;
}

MemoryPath::Outcome MemoryPath::close(std::uint32_t open, Cycle occupied) {
  Open& one = opens_[open];
  if (--one.parts > 0) return {occupied, false, 0, 0, 0};
  one.next_free = free_open_;
  free_open_ = open;
  return {occupied, true, one.ready, 0, 0};
}

void MemoryPath::send(noc::Request request, std::uint32_t data_bytes, Flight flight, Cycle at) {
  request.slice = static_cast<std::uint16_t>(slices_.slice_of(request.address));
  request.translated = tlb_.lookup(request.address);
  ++(request.translated ? counters_.tlb_hit : counters_.tlb_miss);
  flight.translated = request.translated;
  flight.address = request.address;
  std::uint32_t token = free_flight_;
  if (token == none) {
    token = static_cast<std::uint32_t>(flights_.size());
    flights_.push_back(flight);
  } else {
    free_flight_ = flights_[token].next_free;
    flights_[token] = flight;
  }
  request.token = token;
  switch (request.kind) {
    case noc::RequestKind::wait:
    case noc::RequestKind::read: ++counters_.l2_read_requests; break;
    case noc::RequestKind::write: ++counters_.l2_write_requests; break;
    default: ++counters_.l2_atomic_requests;
  }
  counters_.request_bytes += data_bytes + memory_.noc.header_bytes;
  port_.send(request, data_bytes, at);
}

void MemoryPath::send_later(const noc::Request& request, std::uint32_t data_bytes, const Flight& flight, Cycle at) {
  later_.push_back({at, sent_later_++, request, data_bytes, flight});
  std::push_heap(later_.begin(), later_.end(), Later::is_after);
}

/// Asks for sectors of a cache's line, or writes them back: one request for every piece that lies in one slice.
void MemoryPath::ask(const cache::Spec& spec, std::uint64_t line, std::uint32_t sectors, noc::RequestKind kind,
                     Flight flight, Cycle at, bool later) {
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
    flight.line = line;
    flight.sectors = here;
    request.texture = flight.purpose == Purpose::texture_fill;
    const std::uint32_t data = kind == noc::RequestKind::write ? request.bytes : 0;
    later ? send_later(request, data, flight, at) : send(request, data, flight, at);
  }
}

void MemoryPath::deliver(const noc::Reply& reply) {
  // Replies mostly come in order: those of different slices may not.
  std::size_t at = inbox_.size();
  inbox_.push_back(reply);
  for (; at > inbox_head_ && inbox_[at - 1].cycle > reply.cycle; --at) inbox_[at] = inbox_[at - 1];
  inbox_[at] = reply;
}

void MemoryPath::advance(Cycle now) {
  port_.advance(now);
  while (!later_.empty() && later_.front().at <= now) {
    const Later& due = later_.front();
    send(due.request, due.data_bytes, due.flight, due.at);
    std::pop_heap(later_.begin(), later_.end(), Later::is_after);
    later_.pop_back();
  }
  bool freed = false;
  while (inbox_head_ < inbox_.size() && inbox_[inbox_head_].cycle <= now) {
    const noc::Reply reply = inbox_[inbox_head_++];
    if (reply.credit) {
      port_.return_credit(reply.slice, reply.cycle);
    } else {
      accept(reply);
      freed = true;
    }
  }
  if (2 * inbox_head_ >= inbox_.size()) {
    inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(inbox_head_));
    inbox_head_ = 0;
  }
  if (freed) retry(now);
}

void MemoryPath::accept(const noc::Reply& reply) {
  const Flight flight = flights_[reply.token];
  flights_[reply.token].next_free = free_flight_;
  free_flight_ = reply.token;
  if (!flight.translated) tlb_.fill(flight.address);
  switch (flight.purpose) {
    case Purpose::l1_fill: return fill(l1_, flight, reply.cycle);
    case Purpose::texture_fill: return fill(texture_, flight, reply.cycle);
    case Purpose::constant_fill: return fill_constant(flight, reply.cycle);
    case Purpose::wait: opens_[flight.open].words = reply.words; [[fallthrough]];
    case Purpose::part: return done(flight.open, reply.cycle);
    case Purpose::write_back: return;
  }
}

/// Parts that found no MSHR try again, in order.
void MemoryPath::retry(Cycle now) {
  for (DataCache* cache : {&l1_, &texture_}) {
    if (cache->waiting.empty()) continue;
    while (cache->waiting_head < cache->waiting.size()) {
      Part part = cache->waiting[cache->waiting_head];
      part.at = std::max(part.at, now);
      if (!serve(*cache, part)) break;
      counters_.mshr_stall_cycles += part.at - part.since;
      ++cache->waiting_head;
    }
    if (cache->waiting_head < cache->waiting.size()) continue;
    cache->waiting.clear();
    cache->waiting_head = 0;
    --stalled_;
  }
  std::size_t served = 0;
  for (; served < constant_waiting_.size(); ++served) {
    ConstantPart part = constant_waiting_[served];
    part.at = std::max(part.at, now);
    if (!serve_constant(part)) break;
    counters_.mshr_stall_cycles += part.at - constant_waiting_[served].at;
  }
  constant_waiting_.erase(constant_waiting_.begin(), constant_waiting_.begin() + static_cast<std::ptrdiff_t>(served));
}

void MemoryPath::write_back(Cycle now) {
  if (spec_.l1.global_write != cache::WritePolicy::back) return;
  l1_.tags.for_each_dirty([&](std::uint64_t line, std::uint32_t sectors) {
    if (line * l1_.line_bytes >= local_region) return;  // It dies with its threads.
    evict(l1_, {line, sectors, 0}, now);
  });
}

MemoryPathCounters MemoryPath::counters() const {
  MemoryPathCounters result = counters_;
  result.port = port_.counters();
  return result;
}

}  // namespace lockstep::gpu
