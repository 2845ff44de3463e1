// Global, local and texture accesses on their way through the L1 and the texture cache.

#include <algorithm>
#include <bit>

#include "sim/gpu/memory_path.hpp"

namespace lockstep::gpu {

using cache::WritePolicy;
using coalescer::Transaction;
using machine::CacheOperator;

namespace {

/// Of the lanes in `mask`, the lowest on each word.
std::uint32_t first_on_each_word(const std::uint64_t* address, std::uint32_t mask) {
  std::uint32_t lowest = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    bool taken = false;
    for (std::uint32_t other = lowest; other != 0 && !taken; other &= other - 1)
      taken = address[std::countr_zero(other)] == address[lane];
    if (!taken) lowest |= std::uint32_t{1} << lane;
  }
  return lowest;
}

}  // namespace

/// Local memory: a wide access touches successive words, each interleaved over the lanes.
void MemoryPath::coalesce(const Access& access) {
  const std::uint32_t bytes = access.element_bytes * access.vector_elements;
  const std::uint32_t most = std::clamp(l1_.line_bytes, noc::sector_bytes, coalescer::block_bytes);
  const bool atomic = access.kind == Kind::atomic || access.kind == Kind::reduction;
  transactions_.count = 0;
  if (access.global_lanes != 0)
    coalescer::coalesce(spec_.coalescer, {access.address, access.global_lanes, bytes, atomic}, most, transactions_);
  if (access.local_lanes == 0) return;
  std::uint64_t word[32];
  std::copy_n(access.address, 32, word);
  for (std::uint32_t at = 0; at < bytes; at += 4) {
    coalescer::coalesce(spec_.coalescer, {word, access.local_lanes, std::min(bytes, 4u), atomic}, most, transactions_);
    for (std::uint64_t& w : word) w += 32 * 4;
  }
}

void MemoryPath::count(const Access& access) {
  switch (access.kind) {
    case Kind::load:
      counters_.gld_request += access.global_lanes != 0 ? 1 : 0;
      counters_.local_load += access.local_lanes != 0 ? 1 : 0;
      break;
    case Kind::store:
      counters_.gst_request += access.global_lanes != 0 ? 1 : 0;
      counters_.local_store += access.local_lanes != 0 ? 1 : 0;
      break;
    case Kind::atomic: ++counters_.atom_count; break;
    case Kind::reduction: ++counters_.gred_count; break;
  }
  if (access.kind == Kind::atomic || access.kind == Kind::reduction) {
    if (!spec_.atomic_replay.on) counters_.atom_transactions += transactions_.count;
    return;
  }
  const bool load = access.kind == Kind::load;
  for (const Transaction& t : transactions_) {
    if (t.block >= local_region) continue;
    const int sectors = std::popcount(t.sectors);
    if (load) {
      ++(sectors == 1 ? counters_.gld_32b : sectors == 2 ? counters_.gld_64b : counters_.gld_128b);
      counters_.gld_requested_bytes += t.bytes.count();
      counters_.gld_moved_bytes += static_cast<std::uint64_t>(sectors) * noc::sector_bytes;
    } else {
      ++(sectors == 1 ? counters_.gst_32b : sectors == 2 ? counters_.gst_64b : counters_.gst_128b);
      counters_.gst_requested_bytes += t.bytes.count();
      counters_.gst_moved_bytes += static_cast<std::uint64_t>(sectors) * noc::sector_bytes;
    }
  }
}

MemoryPath::Outcome MemoryPath::access(const Access& access, Cycle now, Cycle delay, std::uint32_t token) {
  port_.advance(now);
  coalesce(access);
  count(access);
  const std::uint32_t open = open_access(token);
  if (spec_.atomic_replay.on && (access.kind == Kind::atomic || access.kind == Kind::reduction))
    return replay(access, open, now, delay);
  const std::uint64_t l1_before = l1_.port_free, texture_before = texture_.port_free;
  Cycle at = now + delay;
  for (const Transaction& t : transactions_) {
    switch (access.kind) {
      case Kind::load: load(t, access, open, at); break;
      case Kind::store: store(t, access, open, at); break;
      default: atomic(t, access, open, at, false);
    }
    at += spec_.address_interval;
  }
  // The unit is taken for as long as its addresses take, and as a cache takes to deliver what it has.
  const Cycle addresses = delay + transactions_.count * spec_.address_interval;
  Outcome outcome =
      close(open, std::max({addresses, delivery(l1_, l1_before, now), delivery(texture_, texture_before, now)}));
  outcome.transactions = transactions_.count;
  return outcome;
}

void MemoryPath::atomic(const Transaction& t, const Access& access, std::uint32_t open, Cycle at, bool later) {
  forget(t, at);
  direct(t, access.kind == Kind::atomic ? noc::RequestKind::atomic : noc::RequestKind::reduction,
         t.lanes * access.element_bytes * access.vector_elements, open, at, later);
}

/// An atomic that takes a pass for every lane on one word: a pass has the lowest lane that is left of each word. The
/// unit computes addresses in the first pass alone; the others are sent again, as fast as the port takes them.
MemoryPath::Outcome MemoryPath::replay(const Access& access, std::uint32_t open, Cycle now, Cycle delay) {
  Access pass = access;
  Cycle start = now + delay, last = start;
  std::uint32_t global = access.global_lanes, local = access.local_lanes, transactions = 0, first_transactions = 0;
  for (bool first = true; (global | local) != 0; first = false) {
    if (!first) start += spec_.atomic_replay.pass_spacing + (last == now + delay ? spec_.atomic_replay.latency : 0);
    last = start;
    pass.global_lanes = first_on_each_word(access.address, global);
    pass.local_lanes = local;  // Lanes have words of their own there.
    global &= ~pass.global_lanes;
    local = 0;
    coalesce(pass);
    Cycle at = start;
    for (const Transaction& t : transactions_) {
      atomic(t, access, open, at, !first);
      at += spec_.address_interval;
    }
    transactions += transactions_.count;
    if (first) first_transactions = transactions;
  }
  counters_.atom_transactions += transactions;
  Outcome outcome = close(open, delay + first_transactions * spec_.address_interval);
  outcome.transactions = transactions;
  outcome.last_pass = last;
  return outcome;
}

/// Cycles from `now` on for which the cache's port delivers what has been asked of it since its port was free at `before`.
Cycle MemoryPath::delivery(const DataCache& cache, std::uint64_t before, Cycle now) {
  if (cache.port_free == before) return 0;
  return cache.port_free / fraction - now;  // Part of a cycle that is left over delays the next delivery.
}

/// A request past all caches of the SM. `words` of the block are marked as written: see noc::Request::words.
void MemoryPath::direct(const Transaction& t, noc::RequestKind kind, std::uint32_t data_bytes, std::uint32_t open,
                        Cycle at, bool later, std::uint32_t words) {
  const std::uint32_t piece = std::min(memory_.l2.interleave_bytes, coalescer::block_bytes);
  const std::uint32_t width = piece / noc::sector_bytes;
  for (std::uint32_t rest = t.sectors, first = 0; rest != 0; rest >>= width, first += width) {
    const std::uint32_t here = rest & static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
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
    }
    request.whole_sectors =
        kind == noc::RequestKind::write && (t.bytes.whole_parts(noc::sector_bytes) >> first & here) == here;
    if (words != 0) [[unlikely]] {
      const unsigned shift = first * noc::words_per_sector;
      request.words =
          words & static_cast<std::uint32_t>(((std::uint64_t{1} << width * noc::words_per_sector) - 1) << shift);
    }
    Flight flight;
    flight.purpose = Purpose::part;
    flight.open = open;
    ++opens_[open].parts;
    const std::uint32_t data = kind == noc::RequestKind::read ? 0 : request.bytes;
    later ? send_later(request, data, flight, at) : send(request, data, flight, at);
  }
}

/// Calls f(line, sectors, those that are touched wholly) for every line of a cache in which a transaction lies.
template <class F>
void MemoryPath::for_each_part(const DataCache& cache, const Transaction& t, bool whole, F&& f) {
  const std::uint32_t line = cache.line_bytes, sector = cache.sector_bytes;
  const std::uint32_t touched = sector > coalescer::block_bytes ? 1 : t.bytes.parts(sector);
  const std::uint32_t full = !whole || sector > coalescer::block_bytes ? 0 : t.bytes.whole_parts(sector);
  if (line >= coalescer::block_bytes) {
    const auto first = static_cast<std::uint32_t>(t.block % line / sector);
    f(t.block / line, touched << first, full << first);
    return;
  }
  const std::uint32_t per_line = line / sector, mask = (1u << per_line) - 1;
  for (std::uint32_t n = 0; n < coalescer::block_bytes / line; ++n) {
    const std::uint32_t here = touched >> n * per_line & mask;
    if (here != 0) f(t.block / line + n, here, full >> n * per_line & mask);
  }
}

void MemoryPath::load(const Transaction& t, const Access& access, std::uint32_t open, Cycle at) {
  const bool local = t.block >= local_region;
  CacheOperator op = access.cache_operator;
  DataCache* cache = l1_.exists() && (local ? spec_.l1.local : spec_.l1.global) ? &l1_ : nullptr;
  if (local) {
    if (op != CacheOperator::last_use && op != CacheOperator::streaming) op = CacheOperator::normal;
  } else if (op == CacheOperator::second_level) {
    cache = nullptr;
  } else if (op == CacheOperator::refetch) {
    forget(t, at);
    cache = nullptr;
  } else if (op == CacheOperator::read_only) {
    if (spec_.texture.read_only_loads) cache = texture_.exists() ? &texture_ : l1_.exists() ? &l1_ : nullptr;
    op = CacheOperator::normal;
  } else if (op == CacheOperator::last_use) {
    op = CacheOperator::streaming;
  }
  if (cache == nullptr) {
    ++(local ? counters_.uncached_local_load_transaction : counters_.uncached_global_load_transaction);
    return direct(t, noc::RequestKind::read, 0, open, at);
  }
  for_each_part(*cache, t, op == CacheOperator::last_use,
                [&](std::uint64_t line, std::uint32_t sectors, std::uint32_t whole) {
                  Part part;
                  part.line = line;
                  part.sectors = sectors;
                  part.whole = whole;
                  part.open = open;
                  part.at = at;
                  part.latency = cache == &texture_ ? spec_.texture.latency : spec_.l1.latency;
                  part.asks = at + (cache == &texture_ ? spec_.texture.miss_latency : 0);
                  part.cache_operator = op;
                  part.local = local;
                  ++opens_[open].parts;
                  take(*cache, part, at);
                });
}

void MemoryPath::store(const Transaction& t, const Access& access, std::uint32_t open, Cycle at) {
  const bool local = t.block >= local_region;
  const CacheOperator op = access.cache_operator;
  const bool past = !local && (op == CacheOperator::second_level || op == CacheOperator::refetch);
  if (!l1_.exists() || !(local ? spec_.l1.local : spec_.l1.global) || past) {
    forget(t, at);
    return direct(t, noc::RequestKind::write, 0, open, at);
  }
  const WritePolicy policy = local ? spec_.l1.local_write : spec_.l1.global_write;
  for_each_part(l1_, t, policy == WritePolicy::back,
                [&](std::uint64_t line, std::uint32_t sectors, std::uint32_t whole) {
                  const std::uint32_t entry = l1_.tags.find(line);
                  const bool hit = entry != cache::TagArray::none && (sectors & ~l1_.tags.valid(entry)) == 0;
                  if (local) {
                    ++(hit ? counters_.l1_local_store_hit : counters_.l1_local_store_miss);
                  } else {
                    ++(hit ? counters_.l1_global_store_hit : counters_.l1_global_store_miss);
                  }
                  if (policy != WritePolicy::back) {
                    if (entry == cache::TagArray::none) return;
                    if (policy == WritePolicy::evict) {
                      l1_.tags.drop(entry);
                    } else {
                      l1_.tags.touch(entry);
                    }
                    return;
                  }
                  Part part;
                  part.line = line;
                  part.sectors = sectors;
                  part.whole = whole;
                  part.open = open;
                  part.at = at;
                  part.store = true;
                  part.local = local;
                  ++opens_[open].parts;
                  take(l1_, part, at);
                });
  if (policy != WritePolicy::back) direct(t, noc::RequestKind::write, 0, open, at);
}

/// The L1 cache drops what it has of a transaction's lines.
void MemoryPath::forget(const Transaction& t, Cycle at) {
  if (!l1_.exists()) return;
  for_each_part(l1_, t, false, [&](std::uint64_t line, std::uint32_t, std::uint32_t) {
    const std::uint32_t entry = l1_.tags.find(line);
    if (entry == cache::TagArray::none) return;
    if (l1_.tags.dirty(entry) != 0) evict(l1_, {line, l1_.tags.dirty(entry), 0}, at);
    l1_.tags.drop(entry);
  });
}

/// Serves a part, or lets it wait behind others for an MSHR.
void MemoryPath::take(DataCache& cache, Part part, Cycle now) {
  if (cache.waiting.empty() && serve(cache, part)) return;
  if (cache.waiting.empty()) ++stalled_;
  part.since = now;
  cache.waiting.push_back(part);
}

bool MemoryPath::refused(DataCache& cache, std::uint64_t line) {
  using Refusal = cache::Mshrs<Waiter>::Refusal;
  switch (cache.mshrs.refusal(line)) {
    case Refusal::none: return false;
    case Refusal::full: ++counters_.mshr_full_stalls; return true;
    case Refusal::merges: ++counters_.mshr_merge_stalls; return true;
  }
  return true;
}

/// False when it must wait for an MSHR.
bool MemoryPath::serve(DataCache& cache, const Part& part) {
  std::uint32_t entry = cache.tags.find(part.line);
  const std::uint32_t valid = entry == cache::TagArray::none ? 0 : cache.tags.valid(entry);
  std::uint32_t missing = part.sectors & ~valid;
  if (part.store) missing &= ~part.whole;  // What is written whole is not read first.
  if (missing != 0 && refused(cache, part.line)) return false;

  if (part.store && missing != part.sectors) {
    cache::TagArray::Victim victim;
    if (entry == cache::TagArray::none) {
      entry = cache.tags.allocate(part.line, victim);
      evict(cache, victim, part.at);
    } else {
      cache.tags.touch(entry);
    }
    cache.tags.mark_dirty(entry, part.sectors & ~missing);
  } else if (entry != cache::TagArray::none && part.cache_operator != CacheOperator::streaming) {
    cache.tags.touch(entry);
  }
  if (!part.store) {
    const bool hit = missing == 0;
    if (&cache == &texture_) {
      ++(hit ? counters_.tex_cache_hit : counters_.tex_cache_miss);
    } else if (part.local) {
      ++(hit ? counters_.l1_local_load_hit : counters_.l1_local_load_miss);
    } else {
      ++(hit ? counters_.l1_global_load_hit : counters_.l1_global_load_miss);
    }
  }
  if (missing == 0) {
    if (part.store) {
      done(part.open, part.at);
      return true;
    }
    const std::uint64_t start = std::max(cache.port_free, part.at * fraction);
    cache.port_free = start + static_cast<unsigned>(std::popcount(part.sectors)) * cache.sector_cost;
    if (part.cache_operator == CacheOperator::last_use && part.whole == part.sectors && part.sectors == valid)
      cache.tags.drop(entry);
    done(part.open, (start + fraction - 1) / fraction + part.latency);
    return true;
  }
  const std::uint32_t ask_for = cache.mshrs.wait(part.line, missing, {part.open, part.store ? missing : 0});
  if (&cache == &texture_) opens_[part.open].ready = std::max(opens_[part.open].ready, part.at + part.latency);
  if (ask_for == 0) return true;
  Flight flight;
  flight.purpose = &cache == &l1_ ? Purpose::l1_fill : Purpose::texture_fill;
  flight.cache_operator = part.store ? CacheOperator::normal : part.cache_operator;
  ask(&cache == &l1_ ? l1_spec_ : spec_.texture.cache, part.line, ask_for, noc::RequestKind::read, flight,
      std::max(part.at, part.asks), part.asks > part.at);
  return true;
}

/// Sectors have arrived at a cache.
void MemoryPath::fill(DataCache& cache, const Flight& flight, Cycle now) {
  if (flight.cache_operator != CacheOperator::no_allocate && flight.cache_operator != CacheOperator::last_use) {
    evict(cache, cache.tags.fill(flight.line, flight.sectors), now);
    if (flight.cache_operator == CacheOperator::streaming) cache.tags.demote(cache.tags.find(flight.line));
  }
  cache.mshrs.arrive(flight.line, flight.sectors, [&](Waiter waiter) {
    if (waiter.dirty != 0) {
      evict(cache, cache.tags.fill(flight.line, waiter.dirty), now);
      cache.tags.mark_dirty(cache.tags.find(flight.line), waiter.dirty);
    }
    done(waiter.open, now);
  });
}

/// What had to go for a line is written back where it is dirty.
void MemoryPath::evict(const DataCache& cache, const cache::TagArray::Victim& victim, Cycle at) {
  if (&cache == &l1_ && victim.valid != 0) ++counters_.l1_evictions;
  if (victim.dirty == 0) return;
  ++counters_.l1_write_backs;
  Flight flight;
  flight.purpose = Purpose::write_back;
  ask(l1_spec_, victim.line, victim.dirty, noc::RequestKind::write, flight, at);
}

/// The unit takes a quad of lanes at a time; each line that a quad touches is looked up for it.
MemoryPath::Outcome MemoryPath::texture(const Access& access, Cycle now, std::uint32_t token) {
  port_.advance(now);
  ++counters_.tex_cache_requests;
  DataCache& cache = texture_.exists() ? texture_ : l1_;
  const std::uint32_t open = open_access(token);
  const std::uint64_t before = cache.port_free;
  const std::uint32_t line = std::clamp(cache.line_bytes, noc::sector_bytes, coalescer::block_bytes);
  Cycle at = now;
  for (std::uint32_t quad = 0; quad < 32; quad += 4) {
    const std::uint32_t mask = access.global_lanes & 0xfu << quad;
    if (mask == 0) continue;
    transactions_.count = 0;
    coalescer::coalesce_lines({access.address, mask, access.element_bytes * access.vector_elements, false}, line,
                              transactions_);
    for (const Transaction& t : transactions_) {
      if (!cache.exists()) {
        direct(t, noc::RequestKind::read, 0, open, at);
        continue;
      }
      for_each_part(cache, t, false, [&](std::uint64_t number, std::uint32_t sectors, std::uint32_t) {
        Part part;
        part.line = number;
        part.sectors = sectors;
        part.open = open;
        part.at = at;
        part.latency = spec_.texture.latency;
        part.asks = at + spec_.texture.miss_latency;
        ++opens_[open].parts;
        take(cache, part, at);
      });
    }
    at += spec_.texture.interval;
  }
  return close(open, std::max({at - now, spec_.texture.interval, delivery(cache, before, now)}));
}

}  // namespace lockstep::gpu
