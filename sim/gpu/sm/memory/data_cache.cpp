#include "sim/gpu/sm/memory/data_cache.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep::gpu {

using machine::CacheOperator;

DataCache::DataCache(Kind kind, const cache::Spec& spec, double bytes_per_cycle, OpenAccesses& accesses,
                     RequestPort& port, MemoryUnitCounters& counters)
    : kind_(kind),
      spec_(spec),
      tags_(spec),
      mshrs_(spec),
      sector_cost_(static_cast<std::uint64_t>(
          std::llround(spec.sector_bytes / bytes_per_cycle * static_cast<double>(fraction)))),
      accesses_(accesses),
      port_(port),
      counters_(counters) {}

void DataCache::begin_launch(std::uint32_t bytes) {
  if (bytes == spec_.bytes) {
    tags_.clear();
  } else {
    spec_.bytes = bytes;
    tags_ = cache::TagArray(spec_);
  }
  mshrs_.clear();
  port_free_ = 0;
  waiting_.clear();
  waiting_head_ = 0;
}

void DataCache::touch(std::uint64_t line) {
  if (const std::uint32_t entry = tags_.find(line); entry != cache::TagArray::none) tags_.touch(entry);
}

void DataCache::keep(std::uint64_t line, std::uint32_t sectors, Cycle at) {
  evict(tags_.fill(line, sectors), at);
}

void DataCache::drop(std::uint64_t line) {
  if (const std::uint32_t entry = tags_.find(line); entry != cache::TagArray::none) tags_.drop(entry);
}

void DataCache::forget(const coalescer::Transaction& t, Cycle at) {
  if (!exists()) return;
  for_each_line(t, false, [&](std::uint64_t line, std::uint32_t, std::uint32_t) {
    const std::uint32_t entry = tags_.find(line);
    if (entry == cache::TagArray::none) return;
    if (tags_.dirty(entry) != 0) evict({line, tags_.dirty(entry), 0}, at);
    tags_.drop(entry);
  });
}

void DataCache::forget_clean(std::uint64_t end) {
  for (std::uint32_t entry = 0; entry < tags_.capacity(); ++entry)
    if (tags_.valid(entry) != 0 && tags_.dirty(entry) == 0 && tags_.line(entry) < end) tags_.invalidate(entry, ~0u);
}

void DataCache::take(CachePart part, Cycle now) {
  if (waiting_.empty() && serve(part, false)) return;
  part.since = now;
  waiting_.push_back(part);
}

void DataCache::retry(Cycle now) {
  if (waiting_.empty()) return;
  for (bool again = true; waiting_head_ < waiting_.size(); again = false) {
    CachePart part = waiting_[waiting_head_];
    part.at = std::max(part.at, now);
    if (!serve(part, again)) return;
    counters_.mshr_stall_cycles += part.at - part.since;
    ++waiting_head_;
  }
  waiting_.clear();
  waiting_head_ = 0;
}

bool DataCache::refused(std::uint64_t line, bool again) {
  using Refusal = cache::Mshrs<Waiter>::Refusal;
  const Refusal refusal = mshrs_.refusal(line);
  if (refusal == Refusal::none) return false;
  if (!again) ++(refusal == Refusal::full ? counters_.mshr_full_stalls : counters_.mshr_merge_stalls);
  return true;
}

void DataCache::count_load(bool hit, const CachePart& part) {
  if (kind_ == Kind::texture || part.texture) {
    ++(hit ? counters_.tex_cache_hit : counters_.tex_cache_miss);
  } else if (part.local) {
    ++(hit ? counters_.l1_local_load_hit : counters_.l1_local_load_miss);
  } else {
    ++(hit ? counters_.l1_global_load_hit : counters_.l1_global_load_miss);
  }
}

/// False when it must wait for an MSHR. `again`: so it has before.
bool DataCache::serve(const CachePart& part, bool again) {
  std::uint32_t entry = tags_.find(part.line);
  const std::uint32_t valid = entry == cache::TagArray::none ? 0 : tags_.valid(entry);
  std::uint32_t missing = part.sectors & ~valid;
  // What is written whole is not read first; nor is local memory, whose other bytes in the cache nobody has asked for: on an H100 a load
  // of what one lane has just written hits as one of what all lanes have written (micro-local).
  if (part.store) missing &= part.local ? 0 : ~part.whole;
  if (missing != 0 && refused(part.line, again)) return false;

  if (part.store && missing != part.sectors) {
    cache::TagArray::Victim victim;
    if (entry == cache::TagArray::none) {
      entry = tags_.allocate(part.line, victim);
      evict(victim, part.at);
    } else {
      tags_.touch(entry);
    }
    tags_.mark_dirty(entry, part.sectors & ~missing);
  } else if (entry != cache::TagArray::none && part.cache_operator != CacheOperator::streaming) {
    tags_.touch(entry);
  }
  if (!part.store) {
    count_load(missing == 0, part);
    if (lookups_ != nullptr) [[unlikely]]
      lookups_->push_back({accesses_.token(part.open), missing == 0});
  }
  if (missing == 0) {
    if (part.store) {
      accesses_.part_done(part.open, part.at);
      return true;
    }
    const std::uint64_t start = std::max(port_free_, part.at * fraction);
    port_free_ = start + static_cast<unsigned>(std::popcount(part.sectors)) * sector_cost_;
    if (part.cache_operator == CacheOperator::last_use && part.whole == part.sectors && part.sectors == valid)
      tags_.drop(entry);
    accesses_.part_done(part.open, (start + fraction - 1) / fraction + part.latency);
    return true;
  }
  const std::uint32_t ask_for = mshrs_.wait(part.line, missing, {part.open, part.store ? missing : 0});
  if (part.texture) accesses_.delay(part.open, part.at + part.latency);
  if (ask_for == 0) return true;
  PendingRequest request;
  request.purpose = kind_ == Kind::l1 ? PendingRequest::Purpose::l1_fill : PendingRequest::Purpose::texture_fill;
  request.cache_operator = part.store ? CacheOperator::normal : part.cache_operator;
  port_.send_line(spec_, part.line, ask_for, noc::RequestKind::read, request, std::max(part.at, part.asks),
                  part.asks > part.at);
  return true;
}

void DataCache::wait_for(std::uint64_t line, std::uint32_t missing, std::uint32_t open, Cycle now) {
  const std::uint32_t ask_for = mshrs_.wait(line, missing, {open, 0});
  if (ask_for == 0) return;
  PendingRequest request;
  request.purpose = PendingRequest::Purpose::l1_fill;
  port_.send_line(spec_, line, ask_for, noc::RequestKind::read, request, now);
}

void DataCache::fill(const PendingRequest& request, Cycle now) {
  if (request.cache_operator != CacheOperator::no_allocate && request.cache_operator != CacheOperator::last_use) {
    evict(tags_.fill(request.line, request.sectors), now);
    if (request.cache_operator == CacheOperator::streaming) tags_.demote(tags_.find(request.line));
  }
  mshrs_.arrive(request.line, request.sectors, [&](Waiter waiter) {
    if (waiter.dirty != 0) {
      evict(tags_.fill(request.line, waiter.dirty), now);
      tags_.mark_dirty(tags_.find(request.line), waiter.dirty);
    }
    accesses_.part_done(waiter.open, now);
  });
}

/// What had to go for a line is written back where it is dirty.
void DataCache::evict(const cache::TagArray::Victim& victim, Cycle at) {
  if (kind_ == Kind::l1 && victim.valid != 0) ++counters_.l1_evictions;
  if (victim.dirty == 0) return;
  ++counters_.l1_write_backs;
  PendingRequest request;
  request.purpose = PendingRequest::Purpose::write_back;
  port_.send_line(spec_, victim.line, victim.dirty, noc::RequestKind::write, request, at);
}

}  // namespace lockstep::gpu
