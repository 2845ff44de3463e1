#pragma once

#include <cstdint>

#include "models/counter/declaration.hpp"

namespace lockstep::dram {

/// Events of one channel. Names in parentheses are those of NVIDIA's profilers.
struct Counters {
  std::uint64_t reads = 0, writes = 0, read_bytes = 0, write_bytes = 0;
  std::uint64_t row_hits = 0, row_misses = 0, activates = 0, precharges = 0, refreshes = 0, turnarounds = 0;
  std::uint64_t queue_ticks = 0, bus_ticks = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = Counters;
    declare(&C::reads, "dram.reads", "requests", "Reads of DRAM");
    declare(&C::writes, "dram.writes", "requests", "Writes to DRAM");
    declare(&C::read_bytes, "dram.read_bytes", "bytes", "Bytes read from DRAM (32 x dram_read_transactions)");
    declare(&C::write_bytes, "dram.write_bytes", "bytes", "Bytes written to DRAM (32 x dram_write_transactions)");
    declare(&C::row_hits, "dram.row_hits", "requests", "DRAM requests that hit an open row");
    declare(&C::row_misses, "dram.row_misses", "requests", "DRAM requests for which a row was opened");
    declare(&C::activates, "dram.activates", "commands", "Rows opened");
    declare(&C::precharges, "dram.precharges", "commands", "Rows closed");
    declare(&C::refreshes, "dram.refreshes", "commands", "Refreshes");
    declare(&C::turnarounds, "dram.turnarounds", "changes", "Changes of a data bus between reading and writing");
    declare(&C::queue_ticks, "dram.queue_cycles", "cycles", "Time in the channels' queues, summed over requests",
            counter::ticks);
    declare(&C::bus_ticks, "busy_cycles", "cycles", "Busy time of the DRAM channels' data buses, summed",
            counter::ticks);
  }
};

}  // namespace lockstep::dram
