#pragma once

#include <cstdint>

#include "models/counter/declaration.hpp"

namespace lockstep::noc {

/// What passes the crossbar, counted at its ends. Bytes are those of data, without headers.
struct Counters {
  std::uint64_t requests = 0, replies = 0, read_bytes = 0, write_bytes = 0, atomic_lanes = 0;
  std::uint64_t request_ticks = 0, reply_ticks = 0, sm_reply_ticks = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = Counters;
    declare(&C::requests, "transactions", "transactions", "Requests of the SMs that reached the L2 slices");
    declare(&C::replies, "replies", "messages", "Answers and acknowledgements to the SMs");
    declare(&C::read_bytes, "read_bytes", "bytes", "Bytes that SMs read from L2 cache and DRAM");
    declare(&C::write_bytes, "write_bytes", "bytes", "Bytes that SMs wrote to L2 cache and DRAM");
    declare(&C::atomic_lanes, "atomic_lanes", "operations", "Atomic operations performed");
    declare(&C::request_ticks, "noc.request_cycles", "cycles", "Busy time of the slices' request ports, summed",
            counter::ticks);
    declare(&C::reply_ticks, "noc.reply_cycles", "cycles", "Busy time of the slices' reply ports, summed",
            counter::ticks);
    declare(&C::sm_reply_ticks, "noc.sm_reply_cycles", "cycles", "Busy time of the SMs' reply ports, summed",
            counter::ticks);
  }
};

/// Events of an SM's end of the crossbar for requests.
struct InjectionCounters {
  std::uint64_t credit_stalls = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare(&InjectionCounters::credit_stalls, "credit_stalls", "stalls",
            "Requests that had to wait for a credit of their slice");
  }
};

}  // namespace lockstep::noc
