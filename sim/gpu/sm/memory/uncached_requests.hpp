#pragma once
// Transactions past all caches of an SM: a request for every piece of their block that lies in one L2 slice.

#include <cstdint>

#include "models/coalescer/coalescer.hpp"
#include "models/noc/message.hpp"
#include "sim/gpu/sm/memory/open_accesses.hpp"
#include "sim/gpu/sm/memory/request_port.hpp"

namespace lockstep::gpu {

class UncachedRequests {
 public:
  /// Neighbouring slices are `interleave_bytes` apart.
  UncachedRequests(std::uint32_t interleave_bytes, OpenAccesses& accesses, RequestPort& port)
      : interleave_bytes_(interleave_bytes), accesses_(accesses), port_(port) {}

  /// A transaction that is a part of access `open`, at cycle `at`; `later`: others may overtake it. `data_bytes`: operands of
  /// an atomic or reduction, `floating` where they are floating-point numbers. `words` of its block are marked as written: see
  /// noc::Request::words.
  void send(const coalescer::Transaction& t, noc::RequestKind kind, std::uint32_t data_bytes, std::uint32_t open,
            Cycle at, bool later = false, std::uint32_t words = 0, bool floating = false);

 private:
  std::uint32_t interleave_bytes_;
  OpenAccesses& accesses_;
  RequestPort& port_;
};

}  // namespace lockstep::gpu
