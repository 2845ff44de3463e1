#pragma once
// The memory side of an SM: coalescer, L1, texture and constant caches, and the port to the memory behind the SMs.
//
// An access is looked up when it issues; the times of its transactions follow from the intervals of the load-store unit
// and of the cache's port. Nothing happens by itself later but the arrival of replies: they fill caches, complete
// accesses, let transactions proceed that found no MSHR, and free credits. So the unit costs nothing in cycles in which no
// reply comes.

#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "models/cache/tag_banks.hpp"
#include "models/coalescer/coalescer.hpp"
#include "models/noc/slice_map.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/memory/constant_cache.hpp"
#include "sim/gpu/sm/memory/data_cache.hpp"
#include "sim/gpu/sm/memory/open_accesses.hpp"
#include "sim/gpu/sm/memory/request_port.hpp"
#include "sim/gpu/sm/memory/uncached_requests.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// Where an SM's local memory lies among all addresses: far from every allocation.
inline constexpr std::uint64_t local_region = std::uint64_t{1} << 60;

class MemoryUnit {
 public:
  MemoryUnit(const GpuSpec& spec, const noc::SliceMap& slices);
  MemoryUnit(const MemoryUnit&) = delete;  // Its parts refer to each other.
  MemoryUnit& operator=(const MemoryUnit&) = delete;

  enum class Kind : std::uint8_t { load, store, atomic, reduction };

  /// A warp's access to global and local memory, or its texture or constant fetch.
  struct Access {
    Kind kind = Kind::load;
    const std::uint64_t* address = nullptr;  ///< By lane.
    std::uint32_t global_lanes = 0;
    std::uint32_t local_lanes = 0;  ///< Addresses from local_region on, successive words of a lane 128 bytes apart.
    std::uint32_t element_bytes = 0, vector_elements = 1;
    machine::CacheOperator cache_operator = machine::CacheOperator::normal;
    bool floating = false;  ///< Of an atomic: on floating-point numbers.
  };
  /// What is known when an access has been taken.
  struct Outcome {
    Cycle occupied = 0;     ///< Cycles for which it takes its unit.
    bool complete = false;  ///< Nothing is in flight for it: its result is there at `ready`. Otherwise see completed().
    Cycle ready = 0;
    std::uint32_t transactions = 0;  ///< Into which the coalescer made it.
    Cycle last_pass = 0;             ///< Of an atomic that is replayed: its warp is held until then.
  };

  /// The L1 cache's size: what the scratchpad leaves of a memory that both share.
  static std::uint32_t l1_bytes(const SmSpec& spec, std::uint64_t scratchpad = ~std::uint64_t{0});

  /// All caches are empty and nothing is in flight; translations stay.
  /// `scratchpad`: bytes of it that thread blocks can use at once.
  void begin_launch(std::uint64_t scratchpad = ~std::uint64_t{0});

  /// An access at cycle `now` (accesses come in order of cycles); its first transaction `delay` cycles later. `token` is
  /// the caller's name for it.
  Outcome access(const Access& access, Cycle now, Cycle delay, std::uint32_t token);
  Outcome constant(const Access& access, Cycle now, std::uint32_t token);
  Outcome texture(const Access& access, Cycle now, std::uint32_t token);

  /// The L1 cache forgets what it has of global memory and need not write back; what is on its way arrives.
  void forget_global() {
    if (l1_.exists()) l1_.forget_clean(local_region / l1_.line_bytes());
  }

  /// The first cycle at which the next access can be taken; never while a reply must come first, because no MSHR is free
  /// or because the queue to the memory is full.
  Cycle free_at() const { return l1_.stalled() || texture_.stalled() ? never : port_.free_at(); }

  void deliver(const noc::Reply& reply) { port_.deliver(reply); }
  /// The cycle of the next reply or of a request that leaves later than its access, or never.
  Cycle next_event() const { return port_.next_event(); }
  /// Takes the replies up to cycle `now`, and sends what is due.
  void advance(Cycle now);
  /// Accesses that have completed since it was last cleared.
  std::vector<Completion>& completed() { return accesses_.completed(); }
  /// Requests that have left, or will leave at their cycle, since it was last cleared.
  std::vector<noc::Request>& outbox() { return port_.outbox(); }

  /// No thread runs any more: what the L1 cache alone knows of global memory is written back.
  void write_back(Cycle now);

  MemoryUnitCounters counters() const;
  /// The same without what the port counts.
  const MemoryUnitCounters& access_counters() const { return counters_; }

  /// From now on, every line that a load looks up in the L1 or texture cache is written down.
  void log_lookups() {
    l1_.log_lookups(lookups_);
    texture_.log_lookups(lookups_);
  }
  /// What was written down since it was last cleared.
  std::vector<LineLookup>& lookups() { return lookups_; }

  /// What the load-store units of an SM in R-GPU mode use, whose accesses no coalescer makes.
  struct Parts {
    DataCache& l1;
    OpenAccesses& accesses;
    RequestPort& port;
    UncachedRequests& uncached;
  };
  Parts parts() { return {l1_, accesses_, port_, uncached_}; }
  const RequestPort& port() const { return port_; }
  const OpenAccesses& accesses() const { return accesses_; }

 private:
  void coalesce(const Access& access);
  Cycle quad_time(const Access& access, std::uint32_t quad) const;
  void count(const Access& access);
  Outcome close(std::uint32_t open, Cycle occupied);
  Outcome replay(const Access& access, std::uint32_t open, Cycle now, Cycle delay);
  void atomic(const coalescer::Transaction& t, const Access& access, std::uint32_t open, Cycle at, bool later);
  void load(const coalescer::Transaction& t, const Access& access, std::uint32_t open, Cycle at);
  void store(const coalescer::Transaction& t, const Access& access, std::uint32_t open, Cycle at);
  void receive(const PendingRequest& request, const noc::Reply& reply);

  const SmSpec& spec_;
  MemoryUnitCounters counters_;
  OpenAccesses accesses_;
  RequestPort port_;
  UncachedRequests uncached_;
  std::vector<LineLookup> lookups_;
  DataCache l1_, texture_;
  ConstantCache constant_;
  coalescer::Transactions transactions_;
  cache::TagBanks tag_banks_;
};

}  // namespace lockstep::gpu
