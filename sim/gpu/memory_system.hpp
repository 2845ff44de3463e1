#pragma once
// Everything behind the SMs: crossbar, slices of the L2 cache, DRAM channels.

#include <cstdint>
#include <vector>

#include "models/noc/message.hpp"
#include "models/noc/slice_map.hpp"
#include "sim/engine/worker_pool.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// The memory of one replay. What the SMs send in a window is collected; then the memory catches up with them.
class MemorySystem {
 public:
  explicit MemorySystem(const GpuSpec& spec);

  const noc::SliceMap& slices() const { return slices_; }
  /// A request that leaves an SM at t is not answered, nor its credit seen, before t + round_trip().
  Cycle round_trip() const { return spec_.noc.request_latency + spec_.noc.reply_latency; }

  /// All is at rest and time begins at 0; what the caches hold stays.
  void begin_launch();
  /// Takes the requests of one SM.
  void collect(std::uint32_t sm, std::vector<noc::Request>& outbox);
  /// Works on what left the SMs before cycle `end`; nothing more will come from before it.
  void run_until(Cycle end, engine::WorkerPool& pool);
  /// What has come back to an SM since it was last cleared, in order of cycles.
  std::vector<noc::Reply>& replies(std::uint32_t sm) { return replies_[sm]; }

  /// The SMs may run to this cycle before run_until must be called again; never when the memory is at rest.
  Cycle next_event() const;
  /// When an SM saw the last reply of this launch.
  Cycle last_reply() const { return last_reply_; }
  const MemoryCounters& counters() const { return counters_; }

 private:
  struct InFlight {
    noc::Request request;
    std::uint32_t sm = 0;
  };

  const MemorySpec& spec_;
  noc::SliceMap slices_;
  double bus_cost_, atomic_cost_;  ///< Per byte and operation, in fractions of a cycle.
  std::uint64_t bus_free_ = 0, atomics_free_ = 0;
  std::vector<InFlight> in_flight_;
  std::vector<std::vector<noc::Reply>> replies_;  ///< By SM.
  Cycle last_reply_ = 0;
  std::uint64_t bus_busy_ = 0;
  MemoryCounters counters_;
};

}  // namespace lockstep::gpu
