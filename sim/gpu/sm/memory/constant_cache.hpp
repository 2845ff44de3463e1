#pragma once
// Constant loads of an SM: two levels of caches; lanes that read one address are served together.

#include <cstdint>
#include <vector>

#include "models/cache/mshrs.hpp"
#include "models/cache/tag_array.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/memory/open_accesses.hpp"
#include "sim/gpu/sm/memory/request_port.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class ConstantCache {
 public:
  ConstantCache(const ConstantSpec& spec, OpenAccesses& accesses, RequestPort& port, MemoryUnitCounters& counters);

  /// Empty, with nothing on its way.
  void begin_launch();
  /// The loads of `lanes` at address[], parts of access `open`. Returns the number of different addresses, which are looked up
  /// one after the other.
  std::uint32_t load(const std::uint64_t* address, std::uint32_t lanes, std::uint32_t open, Cycle now);
  /// Whether words wait for an MSHR: see retry().
  bool stalled() const { return !waiting_.empty(); }
  /// Words that found no MSHR try again, in order.
  void retry(Cycle now);
  /// The requested sectors have arrived.
  void fill(const PendingRequest& request, Cycle now);

 private:
  struct Part {
    std::uint64_t word = 0;
    std::uint32_t open = OpenAccesses::none;
    Cycle at = 0;
  };
  const cache::Spec& second_level() const;
  bool serve(const Part& part, bool again);
  template <class Refusal>
  bool refused(Refusal refusal, bool again);
  Cycle& there(std::uint64_t line, std::uint32_t sector_number);
  void fill_first_level(std::uint64_t line, std::uint32_t sector_number, Cycle ready);

  const ConstantSpec& spec_;
  cache::TagArray tags_, tags15_;
  cache::Mshrs<std::uint32_t> mshrs_;  ///< Open accesses by line of the first level.
  /// Sectors of the first level (line * 32 + sector) by line of the second.
  cache::Mshrs<std::uint64_t> mshrs15_;
  std::vector<Cycle> there_;  ///< By entry and sector of the first level: when what came from the second is there.
  std::vector<Part> waiting_;
  OpenAccesses& accesses_;
  RequestPort& port_;
  MemoryUnitCounters& counters_;
};

}  // namespace lockstep::gpu
