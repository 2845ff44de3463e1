// Global, local, constant and texture accesses on their way through coalescer and caches.

#include "sim/gpu/sm/memory/memory_unit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace lockstep::gpu {

using cache::WritePolicy;
using coalescer::Transaction;
using machine::CacheOperator;

namespace {

cache::Spec sized(cache::Spec spec, std::uint32_t bytes) {
  spec.bytes = bytes;
  return spec;
}

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

std::uint32_t MemoryUnit::l1_bytes(const SmSpec& spec, std::uint64_t scratchpad) {
  if (spec.l1.unified_bytes == 0) return spec.l1.cache.bytes;
  std::uint32_t taken = spec.occupancy.scratchpad_bytes;
  for (const char* at = spec.l1.scratchpad_kib.c_str(); *at != 0;) {
    char* end = nullptr;
    const auto size = static_cast<std::uint32_t>(std::strtoul(at, &end, 10) << 10);
    if (size >= scratchpad) taken = std::min(taken, size);
    at = *end == ',' ? end + 1 : end;
    if (end == at) break;
  }
  return spec.l1.unified_bytes - std::min(spec.l1.unified_bytes, taken);
}

MemoryUnit::MemoryUnit(const GpuSpec& spec, const noc::SliceMap& slices)
    : spec_(spec.sm),
      port_(spec, slices, counters_),
      uncached_(spec.memory.l2.interleave_bytes, accesses_, port_),
      l1_(DataCache::Kind::l1, sized(spec.sm.l1.cache, l1_bytes(spec.sm)), spec.sm.l1.bytes_per_cycle, accesses_, port_,
          counters_),
      texture_(DataCache::Kind::texture, spec.sm.texture.cache, spec.sm.texture.bytes_per_cycle, accesses_, port_,
               counters_),
      constant_(spec.sm.constant, accesses_, port_, counters_),
      tag_banks_(spec.sm.address_lines, spec.sm.address_hash) {}

void MemoryUnit::begin_launch(std::uint64_t scratchpad) {
  l1_.begin_launch(l1_bytes(spec_, scratchpad));
  texture_.begin_launch();
  constant_.begin_launch();
  port_.begin_launch();
  accesses_.clear();
}

void MemoryUnit::advance(Cycle now) {
  const bool replied =
      port_.receive(now, [this](const PendingRequest& request, const noc::Reply& reply) { receive(request, reply); });
  if (!replied) return;
  l1_.retry(now);
  texture_.retry(now);
  constant_.retry(now);
}

void MemoryUnit::receive(const PendingRequest& request, const noc::Reply& reply) {
  using Purpose = PendingRequest::Purpose;
  switch (request.purpose) {
    case Purpose::l1_fill: return l1_.fill(request, reply.cycle);
    case Purpose::texture_fill: return texture_.fill(request, reply.cycle);
    case Purpose::constant_fill: return constant_.fill(request, reply.cycle);
    case Purpose::wait: accesses_.set_words(request.open, reply.words); [[fallthrough]];
    case Purpose::part: return accesses_.part_done(request.open, reply.cycle);
    case Purpose::write_back: return;
  }
}

void MemoryUnit::write_back(Cycle now) {
  if (spec_.l1.global_write != WritePolicy::back) return;
  // Local memory dies with its threads.
  l1_.write_back(now, [this](std::uint64_t line) { return line * l1_.line_bytes() < local_region; });
}

MemoryUnitCounters MemoryUnit::counters() const {
  MemoryUnitCounters result = counters_;
  result.port = port_.counters();
  return result;
}

MemoryUnit::Outcome MemoryUnit::close(std::uint32_t open, Cycle occupied) {
  const Cycle ready = accesses_.close(open);
  if (ready == never) return {occupied, false, 0, 0, 0};
  return {occupied, true, ready, 0, 0};
}

/// Local memory: a wide access touches successive words, each interleaved over the lanes.
void MemoryUnit::coalesce(const Access& access) {
  const std::uint32_t bytes = access.element_bytes * access.vector_elements;
  const std::uint32_t most = std::clamp(l1_.line_bytes(), noc::sector_bytes, coalescer::block_bytes);
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

void MemoryUnit::count(const Access& access) {
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

MemoryUnit::Outcome MemoryUnit::access(const Access& access, Cycle now, Cycle delay, std::uint32_t token) {
  port_.advance(now);
  coalesce(access);
  count(access);
  const std::uint32_t open = accesses_.begin(token);
  if (spec_.atomic_replay.on && (access.kind == Kind::atomic || access.kind == Kind::reduction))
    return replay(access, open, now, delay);
  const std::uint64_t l1_before = l1_.port_free(), texture_before = texture_.port_free();
  const bool timed = access.kind == Kind::store && spec_.store_interval != 0;
  Cycle occupied = 0;
  if (timed) {
    Cycle at = now + delay;
    for (const Transaction& t : transactions_) {
      store(t, access, open, at);
      at += spec_.address_interval;
    }
    occupied = transactions_.count * spec_.address_interval;
  } else {
    tag_banks_.begin();
    for (const Transaction& t : transactions_) tag_banks_.add(t.block / coalescer::block_bytes);
    for (const auto& [line, turn] : tag_banks_.lookups()) {
      const Transaction& t = transactions_.all[line];
      const Cycle at = now + delay + turn * spec_.address_interval;
      switch (access.kind) {
        case Kind::load: load(t, access, open, at); break;
        case Kind::store: store(t, access, open, at); break;
        default: atomic(t, access, open, at, false);
      }
    }
    occupied = tag_banks_.turns() * spec_.address_interval;
  }
  // The unit is taken for as long as its addresses take, and as a cache takes to deliver what it has.
  if (timed) occupied = std::max(occupied, spec_.store_interval);
  if (access.kind == Kind::load && spec_.l1.banks != 0 && access.cache_operator != CacheOperator::second_level)
    occupied = std::max<Cycle>(occupied, coalescer::bank_degree(transactions_, spec_.l1.banks));
  Outcome outcome =
      close(open, std::max({delay + occupied, l1_.delivery(l1_before, now), texture_.delivery(texture_before, now)}));
  outcome.transactions = transactions_.count;
  return outcome;
}

void MemoryUnit::atomic(const Transaction& t, const Access& access, std::uint32_t open, Cycle at, bool later) {
  l1_.forget(t, at);
  uncached_.send(t, access.kind == Kind::atomic ? noc::RequestKind::atomic : noc::RequestKind::reduction,
                 t.lanes * access.element_bytes * access.vector_elements, open, at, later, 0, access.floating);
}

/// An atomic that takes a pass for every lane on one word: a pass has the lowest lane that is left of each word. The
/// unit computes addresses in the first pass alone; the others are sent again, as fast as the port takes them.
MemoryUnit::Outcome MemoryUnit::replay(const Access& access, std::uint32_t open, Cycle now, Cycle delay) {
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

void MemoryUnit::load(const Transaction& t, const Access& access, std::uint32_t open, Cycle at) {
  const bool local = t.block >= local_region;
  CacheOperator op = access.cache_operator;
  DataCache* cache = l1_.exists() && (local ? spec_.l1.local : spec_.l1.global) ? &l1_ : nullptr;
  if (local) {
    if (op != CacheOperator::last_use && op != CacheOperator::streaming) op = CacheOperator::normal;
  } else if (op == CacheOperator::second_level) {
    cache = nullptr;
  } else if (op == CacheOperator::refetch) {
    l1_.forget(t, at);
    cache = nullptr;
  } else if (op == CacheOperator::read_only) {
    if (spec_.texture.read_only_loads) cache = texture_.exists() ? &texture_ : l1_.exists() ? &l1_ : nullptr;
    op = CacheOperator::normal;
  } else if (op == CacheOperator::last_use) {
    op = CacheOperator::streaming;
  }
  if (cache == nullptr) {
    ++(local ? counters_.uncached_local_load_transaction : counters_.uncached_global_load_transaction);
    return uncached_.send(t, noc::RequestKind::read, 0, open, at);
  }
  cache->for_each_line(t, op == CacheOperator::last_use,
                       [&](std::uint64_t line, std::uint32_t sectors, std::uint32_t whole) {
                         CachePart part;
                         part.line = line;
                         part.sectors = sectors;
                         part.whole = whole;
                         part.open = open;
                         part.at = at;
                         part.latency = cache == &texture_ ? spec_.texture.latency : spec_.l1.latency;
                         part.asks = at + (cache == &texture_ ? spec_.texture.miss_latency : 0);
                         part.cache_operator = op;
                         part.local = local;
                         part.texture = cache == &texture_;
                         accesses_.add_part(open);
                         cache->take(part, at);
                       });
}

void MemoryUnit::store(const Transaction& t, const Access& access, std::uint32_t open, Cycle at) {
  const bool local = t.block >= local_region;
  const CacheOperator op = access.cache_operator;
  const bool past = !local && (op == CacheOperator::second_level || op == CacheOperator::refetch);
  if (!l1_.exists() || !(local ? spec_.l1.local : spec_.l1.global) || past) {
    l1_.forget(t, at);
    return uncached_.send(t, noc::RequestKind::write, 0, open, at);
  }
  const WritePolicy policy = local ? spec_.l1.local_write : spec_.l1.global_write;
  l1_.for_each_line(t, policy == WritePolicy::back,
                    [&](std::uint64_t line, std::uint32_t sectors, std::uint32_t whole) {
                      const bool hit = l1_.holds(line, sectors);
                      if (local) {
                        ++(hit ? counters_.l1_local_store_hit : counters_.l1_local_store_miss);
                      } else {
                        ++(hit ? counters_.l1_global_store_hit : counters_.l1_global_store_miss);
                      }
                      if (policy == WritePolicy::evict) return l1_.drop(line);
                      if (policy == WritePolicy::through) return l1_.touch(line);
                      if (policy == WritePolicy::allocate) return l1_.keep(line, sectors, at);
                      CachePart part;
                      part.line = line;
                      part.sectors = sectors;
                      part.whole = whole;
                      part.open = open;
                      part.at = at;
                      part.store = true;
                      part.local = local;
                      accesses_.add_part(open);
                      l1_.take(part, at);
                    });
  if (policy != WritePolicy::back) uncached_.send(t, noc::RequestKind::write, 0, open, at);
}

MemoryUnit::Outcome MemoryUnit::constant(const Access& access, Cycle now, std::uint32_t token) {
  port_.advance(now);
  const std::uint32_t open = accesses_.begin(token);
  const std::uint32_t words = constant_.load(access.address, access.global_lanes, open, now);
  const Cycle first = spec_.constant.access_interval != 0 ? spec_.constant.access_interval : spec_.address_interval;
  return close(open, first + (std::max(words, 1u) - 1) * spec_.constant.interval);
}

/// Texture unit time of a quad's lanes. On an H100 (micro-texture-plane) every 32 bytes of a row in which texels of a quad
/// begin take a cycle, and a CUDA array has 32 bytes of two rows in 64. Here every 64 bytes do, in any layout: texels of one
/// row of linear memory take less. So does every 32 bytes of texels, or 16 of filtered ones.
Cycle MemoryUnit::quad_time(const Access& access, std::uint32_t quad) const {
  constexpr std::uint64_t block_bytes = 64;
  const TextureSpec& spec = spec_.texture;
  Cycle time = spec.interval;
  std::array<std::uint64_t, 4> blocks{};
  std::uint32_t lanes = 0;
  for (std::uint32_t left = quad; left != 0; left &= left - 1)
    blocks[lanes++] = access.address[std::countr_zero(left)] / block_bytes;
  if (spec.block_interval != 0) {
    std::sort(blocks.begin(), blocks.begin() + lanes);
    const auto distinct = std::unique(blocks.begin(), blocks.begin() + lanes) - blocks.begin();
    time = std::max(time, static_cast<Cycle>(distinct) * spec.block_interval);
  }
  if (spec.texel_bytes_per_cycle != 0) {
    const std::uint32_t bytes = lanes * access.element_bytes * std::max(1u, access.vector_elements / 2u);
    time = std::max<Cycle>(time, (bytes + spec.texel_bytes_per_cycle - 1) / spec.texel_bytes_per_cycle);
  }
  return time;
}

/// The unit takes a quad of lanes at a time; each line that a quad touches is looked up for it.
MemoryUnit::Outcome MemoryUnit::texture(const Access& access, Cycle now, std::uint32_t token) {
  port_.advance(now);
  ++counters_.tex_cache_requests;
  DataCache& cache = texture_.exists() ? texture_ : l1_;
  const std::uint32_t open = accesses_.begin(token);
  const std::uint64_t before = cache.port_free();
  const std::uint32_t line = std::clamp(cache.line_bytes(), noc::sector_bytes, coalescer::block_bytes);
  Cycle at = now;
  for (std::uint32_t quad = 0; quad < 32; quad += 4) {
    const std::uint32_t mask = access.global_lanes & 0xfu << quad;
    if (mask == 0) continue;
    transactions_.count = 0;
    coalescer::coalesce_lines({access.address, mask, access.element_bytes * access.vector_elements, false}, line,
                              transactions_);
    for (const Transaction& t : transactions_) {
      if (!cache.exists()) {
        uncached_.send(t, noc::RequestKind::read, 0, open, at);
        continue;
      }
      cache.for_each_line(t, false, [&](std::uint64_t number, std::uint32_t sectors, std::uint32_t) {
        CachePart part;
        part.line = number;
        part.sectors = sectors;
        part.open = open;
        part.at = at;
        part.latency = spec_.texture.latency;
        part.asks = at + spec_.texture.miss_latency;
        part.texture = true;
        accesses_.add_part(open);
        cache.take(part, at);
      });
    }
    at += quad_time(access, mask);
  }
  return close(open,
               std::max({at - now, spec_.texture.interval, spec_.texture.fetch_interval, cache.delivery(before, now)}));
}

}  // namespace lockstep::gpu
