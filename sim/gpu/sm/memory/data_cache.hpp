#pragma once
// An SM's L1 or texture cache with what is on its way to it: tags, miss status holding registers, the port that delivers
// hits, and the parts of accesses that wait for a register.

#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "models/cache/mshrs.hpp"
#include "models/cache/tag_array.hpp"
#include "models/coalescer/coalescer.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/memory/open_accesses.hpp"
#include "sim/gpu/sm/memory/request_port.hpp"

namespace lockstep::gpu {

/// What an access wants of one line of a cache.
struct CachePart {
  std::uint64_t line = 0;
  std::uint32_t sectors = 0;
  std::uint32_t whole = 0;  ///< Those of which it touches every byte.
  std::uint32_t open = OpenAccesses::none;
  Cycle at = 0, since = 0;  ///< Its turn, and since when it waits for an MSHR.
  Cycle asks = 0;           ///< Earliest time of its request, when it misses.
  Cycle latency = 0;
  machine::CacheOperator cache_operator = machine::CacheOperator::normal;
  bool store = false, local = false;
  bool texture = false;  ///< A fetch: it takes its latency at least, also where what it needs is on its way.
};

class DataCache {
 public:
  enum class Kind : std::uint8_t { l1, texture };

  DataCache(Kind kind, const cache::Spec& spec, double bytes_per_cycle, OpenAccesses& accesses, RequestPort& port,
            MemoryUnitCounters& counters);

  /// From now on, every line that a load looks up is appended.
  void log_lookups(std::vector<LineLookup>& lookups) { lookups_ = &lookups; }

  /// Empty, with nothing on its way.
  void begin_launch() { begin_launch(spec_.bytes); }
  /// The same with another size.
  void begin_launch(std::uint32_t bytes);
  bool exists() const { return tags_.capacity() != 0; }
  std::uint32_t line_bytes() const { return spec_.line_bytes; }

  /// Calls f(line, sectors, those that are touched wholly when `whole`) for every line in which a transaction lies.
  template <class F>
  void for_each_line(const coalescer::Transaction& t, bool whole, F&& f) const;

  /// Whether the line has valid copies of all these sectors.
  bool holds(std::uint64_t line, std::uint32_t sectors) const { return (sectors & ~valid(line)) == 0; }
  std::uint32_t valid(std::uint64_t line) const {
    const std::uint32_t entry = tags_.find(line);
    return entry == cache::TagArray::none ? 0 : tags_.valid(entry);
  }
  /// The sectors of a line that are on their way.
  std::uint32_t pending(std::uint64_t line) const { return mshrs_.pending(line); }

  /// Takes a part of an access at cycle `now`, or lets it wait behind others for an MSHR. The part has been added to its
  /// access, and is done when it is served.
  void take(CachePart part, Cycle now);
  /// Whether parts wait for an MSHR: none can be taken before a reply.
  bool stalled() const { return !waiting_.empty(); }
  /// Parts that found no MSHR try again, in order.
  void retry(Cycle now);
  /// The requested sectors have arrived.
  void fill(const PendingRequest& request, Cycle now);

  /// A load or store without a part of its own uses the line: it becomes the most recently used.
  void touch(std::uint64_t line);
  /// The line has these sectors from now on.
  void keep(std::uint64_t line, std::uint32_t sectors, Cycle at);
  void drop(std::uint64_t line);
  /// Drops what the cache has of a transaction's lines; what is dirty is written back.
  void forget(const coalescer::Transaction& t, Cycle at);
  /// Drops the clean ones of the lines before `end`.
  void forget_clean(std::uint64_t end);
  /// Writes back what is dirty of the lines of which `of_line(line)` says so.
  template <class F>
  void write_back(Cycle now, F&& of_line);

  /// Whether a register takes a further access to the line.
  bool accepts_miss(std::uint64_t line) const {
    return waiting_.empty() && mshrs_.refusal(line) == cache::Mshrs<Waiter>::Refusal::none;
  }
  /// `open` waits for sectors of a line, of which those that are not on their way are asked for. Requires accepts_miss().
  void wait_for(std::uint64_t line, std::uint32_t missing, std::uint32_t open, Cycle now);

  /// Of the port that delivers hits, in fractions of a cycle: for delivery().
  std::uint64_t port_free() const { return port_free_; }
  /// Cycles from `now` on for which the port delivers what has been asked of it since it was free at `before`.
  Cycle delivery(std::uint64_t before, Cycle now) const {
    if (port_free_ == before) return 0;
    return port_free_ / fraction - now;  // Part of a cycle that is left over delays the next delivery.
  }

 private:
  static constexpr std::uint64_t fraction = 4096;  ///< Of a cycle: port time is kept as an integer.

  /// The accesses that wait for sectors, and the sectors that a store has written meanwhile.
  struct Waiter {
    std::uint32_t open = OpenAccesses::none, dirty = 0;
  };

  bool serve(const CachePart& part, bool again);
  bool refused(std::uint64_t line, bool again);
  void count_load(bool hit, const CachePart& part);
  void evict(const cache::TagArray::Victim& victim, Cycle at);

  Kind kind_;
  cache::Spec spec_;
  cache::TagArray tags_;
  cache::Mshrs<Waiter> mshrs_;
  std::uint64_t sector_cost_;       ///< Time of its port per sector, in fractions.
  std::uint64_t port_free_ = 0;     ///< In fractions.
  std::vector<CachePart> waiting_;  ///< Parts that found no MSHR, from waiting_head_ on.
  std::size_t waiting_head_ = 0;
  std::vector<LineLookup>* lookups_ = nullptr;
  OpenAccesses& accesses_;
  RequestPort& port_;
  MemoryUnitCounters& counters_;
};

template <class F>
void DataCache::for_each_line(const coalescer::Transaction& t, bool whole, F&& f) const {
  const std::uint32_t line = spec_.line_bytes, sector = spec_.sector_bytes;
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

template <class F>
void DataCache::write_back(Cycle now, F&& of_line) {
  tags_.for_each_dirty([&](std::uint64_t line, std::uint32_t sectors) {
    if (of_line(line)) evict({line, sectors, 0}, now);
  });
}

}  // namespace lockstep::gpu
