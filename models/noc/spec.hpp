#pragma once

#include <cstdint>

#include "isa/cycle.hpp"

namespace lockstep::noc {

/// Parameters of the crossbar between the SMs and the slices of the L2 cache. A message occupies every port on its way
/// for its bytes; latencies are those of an idle network.
struct Spec {
  Cycle request_latency{}, reply_latency{};
  std::uint32_t header_bytes{};                       ///< Of a request or a reply, besides its data.
  std::uint32_t flit_bytes{};                         ///< Of which messages consist (message_size.hpp); 0: of bytes.
  double sm_request_bytes{}, sm_reply_bytes{};        ///< Per SM cycle, of one SM's port.
  double slice_request_bytes{}, slice_reply_bytes{};  ///< Per SM cycle, of one slice's port.
  std::uint32_t credits{};          ///< Requests of one SM that may wait at one slice; more stay in the SM.
  std::uint32_t injection_queue{};  ///< Transactions that may wait in the SM; more stall its load-store units.
};

}  // namespace lockstep::noc
