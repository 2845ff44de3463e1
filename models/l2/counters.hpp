#pragma once

#include <cstdint>

#include "models/counter/declaration.hpp"

namespace lockstep::l2 {

/// Events of one slice. A request hits when it waits for nothing from DRAM. Names in parentheses are those of NVIDIA's
/// profilers.
struct Counters {
  std::uint64_t reads = 0, read_hits = 0, read_misses = 0, read_sectors = 0;
  std::uint64_t writes = 0, write_hits = 0, write_misses = 0, write_sectors = 0;
  std::uint64_t atomics = 0, atomic_hits = 0, atomic_misses = 0;
  std::uint64_t waits = 0, wait_trips = 0;
  std::uint64_t merges = 0, fills = 0, write_backs = 0;
  std::uint64_t data_ticks = 0;
  std::uint64_t stall_mshr = 0, stall_dram = 0, stall_atomic = 0, stall_wait = 0;  ///< In clock::Ticks.

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = Counters;
    declare(&C::reads, "reads", "requests", "Reads of the L2 cache");
    declare(&C::read_hits, "read_hits", "requests", "Reads that found all their sectors in the L2 cache");
    declare(&C::read_misses, "read_misses", "requests", "Reads that had to wait for DRAM");
    declare(&C::read_sectors, "read_sectors", "sectors", "Sectors of 32 bytes read (l2_read_transactions)");
    declare(&C::writes, "writes", "requests", "Writes to the L2 cache");
    declare(&C::write_hits, "write_hits", "requests", "Writes that found their line in the L2 cache");
    declare(&C::write_misses, "write_misses", "requests", "Writes that did not find their line in the L2 cache");
    declare(&C::write_sectors, "write_sectors", "sectors", "Sectors of 32 bytes written (l2_write_transactions)");
    declare(&C::atomics, "atomics", "requests", "Atomics and reductions at the L2 cache (l2_atomic_transactions)");
    declare(&C::atomic_hits, "atomic_hits", "requests", "Atomics that found their sectors in the L2 cache");
    declare(&C::atomic_misses, "atomic_misses", "requests", "Atomics that had to wait for DRAM");
    declare(&C::waits, "waits", "requests", "Wait-for-hit loads, each a read when its word is written");
    declare(&C::wait_trips, "wait_trips", "accesses", "Their accesses to the L2 cache that found the word not written");
    declare(&C::merges, "merges", "requests", "Misses whose sectors were already in flight");
    declare(&C::fills, "fills", "requests", "Requests of the L2 cache for sectors in DRAM");
    declare(&C::write_backs, "write_backs", "lines", "Lines whose dirty sectors were written back to DRAM");
    declare(&C::data_ticks, "data_cycles", "cycles", "Busy time of the L2 slices' data arrays, summed", counter::ticks);
    declare(&C::stall_mshr, "stall_mshr", "cycles", "Time that L2 slices were blocked by full MSHRs, summed",
            counter::ticks);
    declare(&C::stall_dram, "stall_dram", "cycles", "Time that L2 slices were blocked by a full DRAM queue, summed",
            counter::ticks);
    declare(&C::stall_atomic, "stall_atomic", "cycles",
            "Time that L2 slices were blocked by a busy atomic unit or word, summed", counter::ticks);
    declare(&C::stall_wait, "stall_wait", "cycles",
            "Time that L2 slices were blocked because wait-for-hit loads occupy all their entries, summed",
            counter::ticks);
  }
};

}  // namespace lockstep::l2
