#pragma once

#include <cstdint>

namespace lockstep::l2 {

/// Events of one slice. A request hits when it waits for nothing from DRAM. Sectors are those of the messages, 32 bytes.
struct Counters {
  std::uint64_t reads = 0, read_hits = 0, read_misses = 0;
  std::uint64_t writes = 0, write_hits = 0, write_misses = 0;  ///< A write hits when its line has an entry.
  std::uint64_t atomics = 0, atomic_hits = 0, atomic_misses = 0;
  std::uint64_t atomic_lanes = 0;
  std::uint64_t read_sectors = 0, write_sectors = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0;  ///< Moved over the crossbar, without headers.
  std::uint64_t merges = 0;                       ///< Misses that found all they need on its way already.
  std::uint64_t fills = 0;                        ///< Requests to DRAM for sectors.
  std::uint64_t write_backs = 0;                  ///< Lines whose dirty sectors were written back to DRAM to make room.
  std::uint64_t waits = 0;       ///< Requests that wait for a word; each is a read too when it is served.
  std::uint64_t wait_trips = 0;  ///< Their accesses that found the word not written.
  std::uint64_t requests_in = 0, replies_out = 0;
  // Times, in clock::Ticks.
  std::uint64_t stall_mshr = 0;     ///< The next request cannot be taken: no miss status register, or no place in it.
  std::uint64_t stall_channel = 0;  ///< The same: the DRAM channel's queue is full.
  std::uint64_t stall_atomic = 0;   ///< The same: the atomic unit or the word is busy.
  std::uint64_t stall_wait = 0;     ///< The same: all places of those that wait for a word are taken.
  std::uint64_t data_busy = 0;      ///< The data array is read or written.
};

}  // namespace lockstep::l2
