#pragma once

#include <cstdint>

namespace lockstep::dram {

/// Events of one channel.
struct Counters {
  std::uint64_t reads = 0, writes = 0;  ///< Requests.
  std::uint64_t read_bytes = 0, write_bytes = 0;
  std::uint64_t row_hits = 0, row_misses = 0;  ///< Requests whose row was open, or was opened for them.
  std::uint64_t activates = 0, precharges = 0, refreshes = 0;
  std::uint64_t turnarounds = 0;  ///< Changes of the data bus between reading and writing.
  std::uint64_t bus_ticks = 0;    ///< Time in which the data bus is taken, in clock::Ticks.
  std::uint64_t queue_ticks = 0;  ///< Time in the queue, summed over requests.
};

}  // namespace lockstep::dram
