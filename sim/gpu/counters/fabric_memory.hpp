#pragma once

#include <cstdint>

#include "models/counter/declaration.hpp"

namespace lockstep::gpu {

/// What the load-store units of an SM in R-GPU mode do to memory. Accesses are those of one unit.
struct FabricMemoryCounters {
  std::uint64_t l1_loads = 0, l1_misses = 0, l1_late = 0, l1_refusals = 0;
  std::uint64_t prefetched_lines = 0, prefetches_there = 0;
  std::uint64_t l2_loads = 0, l2_load_requests = 0, wait_loads = 0, wait_requests = 0;
  std::uint64_t stores = 0, store_requests = 0, stored_bytes = 0, reductions = 0;
  std::uint64_t scratchpad_loads = 0, scratchpad_stores = 0, scratchpad_reductions = 0;
  std::uint64_t bank_refusals = 0, lock_refusals = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = FabricMemoryCounters;
    declare(&C::l1_loads, "l1_loads", "words", "Loads of load-store units that looked up the L1 cache");
    declare(&C::l1_misses, "l1_misses", "words", "Of these, loads whose line had to be requested");
    declare(&C::l1_late, "l1_late", "words", "Of these, loads whose line was in flight");
    declare(&C::l1_refusals, "l1_refusals", "lookups", "Lookups delayed because the L1 cache was busy in that cycle");
    declare(&C::prefetched_lines, "prefetched_lines", "lines", "Lines requested by prefetchers");
    declare(&C::prefetches_there, "prefetches_there", "lines",
            "Lines of prefetchers found in the L1 cache or in flight");
    declare(&C::l2_loads, "l2_loads", "words", "Loads of load-store units that bypass the L1 cache");
    declare(&C::l2_load_requests, "l2_load_requests", "requests", "Sectors read for them");
    declare(&C::wait_loads, "wait_loads", "words", "Wait-for-hit loads of load-store units");
    declare(&C::wait_requests, "wait_requests", "requests", "Requests for them");
    declare(&C::stores, "stores", "words", "Stores of load-store units to global memory");
    declare(&C::store_requests, "store_requests", "requests",
            "Requests (lines or sectors) into which they were gathered");
    declare(&C::stored_bytes, "stored_bytes", "bytes", "Distinct bytes of these requests");
    declare(&C::reductions, "reductions", "words", "Reductions of load-store units on global memory");
    declare(&C::scratchpad_loads, "scratchpad_loads", "words", "Loads of load-store units from the scratchpad");
    declare(&C::scratchpad_stores, "scratchpad_stores", "words", "Stores of load-store units to the scratchpad");
    declare(&C::scratchpad_reductions, "scratchpad_reductions", "words",
            "Reductions of load-store units on the scratchpad");
    declare(&C::bank_refusals, "bank_refusals", "accesses", "Accesses delayed because their bank served another word");
    declare(&C::lock_refusals, "lock_refusals", "loads", "Loads that failed to acquire their word's lock");
  }
};

}  // namespace lockstep::gpu
