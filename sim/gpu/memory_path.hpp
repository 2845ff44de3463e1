#pragma once
// The way of an SM's memory accesses: coalescer, L1, constant and texture caches, translation buffer, and the port
// through which requests leave.
//
// An access is looked up when it issues; the times of its transactions follow from the intervals of the load-store unit
// and of the cache's port. Nothing happens by itself later but the arrival of replies: they fill caches, complete
// accesses, continue transactions that found no MSHR, and free credits. So the path costs nothing in cycles in which no
// reply comes. Storage grows to the maximum in flight and is reused.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "models/cache/mshrs.hpp"
#include "models/cache/tag_array.hpp"
#include "models/cache/tlb.hpp"
#include "models/coalescer/coalescer.hpp"
#include "models/noc/injection_port.hpp"
#include "models/noc/message.hpp"
#include "models/noc/slice_map.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// Where an SM's local memory lies among all addresses: far from every allocation.
inline constexpr std::uint64_t local_region = std::uint64_t{1} << 60;

class MemoryPath {
  friend class FabricPath;  // The accesses of the load-store units in R-GPU mode.

 public:
  MemoryPath(const GpuSpec& spec, const noc::SliceMap& slices);

  enum class Kind : std::uint8_t { load, store, atomic, reduction };

  /// A warp's access to global and local memory, or its texture or constant fetch.
  struct Access {
    Kind kind = Kind::load;
    const std::uint64_t* address = nullptr;  ///< By lane.
    std::uint32_t global_lanes = 0;
    std::uint32_t local_lanes = 0;  ///< Addresses from local_region on, successive words of a lane 128 bytes apart.
    std::uint32_t element_bytes = 0, vector_elements = 1;
    machine::CacheOperator cache_operator = machine::CacheOperator::normal;
  };
  /// What is known when an access has been taken.
  struct Outcome {
    Cycle occupied = 0;     ///< Cycles for which it takes its unit.
    bool complete = false;  ///< Nothing is in flight for it: its result is there at `ready`. Otherwise see completed().
    Cycle ready = 0;
    std::uint32_t transactions = 0;  ///< Into which the coalescer made it.
    Cycle last_pass = 0;             ///< Of an atomic that is replayed: its warp is held until then.
  };
  /// An access whose last part has arrived or been acknowledged. `ready` may lie ahead.
  struct Completion {
    std::uint32_t token = 0;
    std::uint32_t words = 0;  ///< Of a request of kind wait: noc::Reply::words.
    Cycle ready = 0;
  };

  /// The L1 cache's size: what the scratchpad leaves of a memory that both share.
  static std::uint32_t l1_bytes(const SmSpec& spec);

  /// All caches are empty and nothing is in flight; translations stay.
  void begin_launch();

  /// An access at cycle `now` (accesses come in order of cycles); its first transaction `delay` cycles later. `token` is
  /// the caller's name for it.
  Outcome access(const Access& access, Cycle now, Cycle delay, std::uint32_t token);
  Outcome constant(const Access& access, Cycle now, std::uint32_t token);
  Outcome texture(const Access& access, Cycle now, std::uint32_t token);

  /// The first cycle at which the next access can be taken; never while a reply must come first, because no MSHR is free
  /// or because the queue to the memory is full.
  Cycle opens() const { return stalled_ != 0 ? never : port_.opens(); }

  void deliver(const noc::Reply& reply);
  /// The cycle of the next reply or of a request that leaves later than its access, or never.
  Cycle next_event() const {
    const Cycle reply = inbox_head_ < inbox_.size() ? inbox_[inbox_head_].cycle : never;
    return later_.empty() ? reply : std::min(reply, later_.front().at);
  }
  /// Takes the replies up to cycle `now`, and sends what is due.
  void advance(Cycle now);
  /// Accesses that have completed since it was last cleared.
  std::vector<Completion>& completed() { return completed_; }
  /// Requests that have left, or will leave at their cycle, since it was last cleared.
  std::vector<noc::Request>& outbox() { return port_.outbox(); }

  /// No thread runs any more: what the L1 cache alone knows of global memory is written back.
  void write_back(Cycle now);

  MemoryPathCounters counters() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t fraction = 4096;  ///< Of a cycle: port time is kept as an integer.

  /// An access with parts in flight.
  struct Open {
    std::uint32_t token = 0, parts = 0;
    Cycle ready = 0;  ///< When the parts that have been served are there.
    std::uint32_t next_free = none;
    std::uint32_t words = 0;  ///< Completion::words.
  };
  /// The accesses that wait for sectors, and the sectors that a store has written meanwhile.
  struct Waiter {
    std::uint32_t open = none, dirty = 0;
  };
  /// What an access wants of one line of a cache.
  struct Part {
    std::uint64_t line = 0;
    std::uint32_t sectors = 0;
    std::uint32_t whole = 0;  ///< Those of which it touches every byte.
    std::uint32_t open = none;
    Cycle at = 0, since = 0;  ///< Its turn, and since when it waits for an MSHR.
    Cycle asks = 0;           ///< Earliest time of its request, when it misses.
    Cycle latency = 0;
    machine::CacheOperator cache_operator = machine::CacheOperator::normal;
    bool store = false, local = false;
  };
  /// A cache with what is on its way to it.
  struct DataCache {
    DataCache(const cache::Spec& spec, double bytes_per_cycle);
    bool exists() const { return tags.capacity() != 0; }

    cache::TagArray tags;
    cache::Mshrs<Waiter> mshrs;
    std::uint32_t line_bytes, sector_bytes;
    std::uint64_t sector_cost;    ///< Time of its port per sector, in fractions.
    std::uint64_t port_free = 0;  ///< In fractions.
    std::vector<Part> waiting;    ///< Parts that found no MSHR, from waiting_head on.
    std::size_t waiting_head = 0;
  };
  enum class Purpose : std::uint8_t { l1_fill, texture_fill, constant_fill, part, wait, write_back };
  /// A request that has no reply yet.
  struct Flight {
    Purpose purpose = Purpose::part;
    machine::CacheOperator cache_operator = machine::CacheOperator::normal;
    bool translated = true;
    std::uint32_t sectors = 0;  ///< Of the cache's line.
    std::uint32_t open = none;
    std::uint64_t line = 0, address = 0;
    std::uint32_t next_free = none;
  };

  /// A request of an access that others overtake: it reaches the port at its own time.
  struct Later {
    Cycle at = 0;
    std::uint64_t order = 0;
    noc::Request request;
    std::uint32_t data_bytes = 0;
    Flight flight;
    static bool is_after(const Later& a, const Later& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  // memory_path.cpp
  std::uint32_t open_access(std::uint32_t token);
  void done(std::uint32_t open, Cycle ready);
  Outcome close(std::uint32_t open, Cycle occupied);
  void send(noc::Request request, std::uint32_t data_bytes, Flight flight, Cycle at);
  void send_later(const noc::Request& request, std::uint32_t data_bytes, const Flight& flight, Cycle at);
  void ask(const cache::Spec& spec, std::uint64_t line, std::uint32_t sectors, noc::RequestKind kind, Flight flight,
           Cycle at, bool later = false);
  void accept(const noc::Reply& reply);
  void retry(Cycle now);

  // memory_path_data.cpp
  void coalesce(const Access& access);
  Outcome replay(const Access& access, std::uint32_t open, Cycle now, Cycle delay);
  void atomic(const coalescer::Transaction& t, const Access& access, std::uint32_t open, Cycle at, bool later);
  void direct(const coalescer::Transaction& t, noc::RequestKind kind, std::uint32_t data_bytes, std::uint32_t open,
              Cycle at, bool later = false, std::uint32_t words = 0);
  template <class F>
  void for_each_part(const DataCache& cache, const coalescer::Transaction& t, bool whole, F&& f);
  void load(const coalescer::Transaction& t, const Access& access, std::uint32_t open, Cycle at);
  void store(const coalescer::Transaction& t, const Access& access, std::uint32_t open, Cycle at);
  void forget(const coalescer::Transaction& t, Cycle at);
  void take(DataCache& cache, Part part, Cycle now);
  bool serve(DataCache& cache, const Part& part);
  bool refused(DataCache& cache, std::uint64_t line);
  void fill(DataCache& cache, const Flight& flight, Cycle now);
  void evict(const DataCache& cache, const cache::TagArray::Victim& victim, Cycle at);
  void count(const Access& access);
  static Cycle delivery(const DataCache& cache, std::uint64_t before, Cycle now);

  // memory_path_constant.cpp
  struct ConstantPart {
    std::uint64_t word = 0;
    std::uint32_t open = none;
    Cycle at = 0;
  };
  const cache::Spec& behind_constant() const;
  bool serve_constant(const ConstantPart& part);
  void fill_constant(const Flight& flight, Cycle now);

  const SmSpec& spec_;
  const MemorySpec& memory_;
  const noc::SliceMap& slices_;
  cache::Spec l1_spec_;
  DataCache l1_, texture_;
  cache::TagArray constant_tags_, constant15_tags_;
  cache::Mshrs<std::uint32_t> constant_mshrs_;  ///< Open accesses by line of the first level.
  /// Sectors of the first level (line * 32 + sector) by line of the second.
  cache::Mshrs<std::uint64_t> constant15_mshrs_;
  std::vector<Cycle> constant_there_;  ///< By entry of the first level: when what came from the second is there.
  std::vector<ConstantPart> constant_waiting_;
  cache::Tlb tlb_;
  noc::InjectionPort port_;

  std::uint32_t stalled_ = 0;  ///< Caches with parts that wait for an MSHR.
  std::vector<Open> opens_;
  std::uint32_t free_open_ = none;
  std::vector<Flight> flights_;
  std::uint32_t free_flight_ = none;
  std::vector<noc::Reply> inbox_;  ///< In order of cycles from inbox_head_ on.
  std::size_t inbox_head_ = 0;
  std::vector<Later> later_;  ///< A heap: the next first.
  std::uint64_t sent_later_ = 0;
  std::vector<Completion> completed_;
  coalescer::Transactions transactions_;
  MemoryPathCounters counters_;
};

}  // namespace lockstep::gpu
