#pragma once
// Everything behind the SMs: the crossbar, the translation buffer of the whole GPU, and the memory partitions.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/cache/tlb.hpp"
#include "models/noc/message.hpp"
#include "models/noc/port.hpp"
#include "models/noc/slice_map.hpp"
#include "sim/engine/event_times.hpp"
#include "sim/engine/worker_pool.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/memory/memory_partition.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// What counts of a request that is not timed: as of noc::Request.
struct UntimedRequest {
  std::uint64_t address = 0;
  std::uint32_t sm = 0, written = 0, sectors = 0;
  noc::RequestKind kind = noc::RequestKind::read;
  bool whole_sectors = false, texture = false;
};

/// The memory of one replay. What the SMs send in a window is collected; then the memory catches up with them.
class MemorySystem {
 public:
  /// InputError when a hash of the specification is malformed.
  explicit MemorySystem(const GpuSpec& spec);

  const noc::SliceMap& slices() const { return slices_; }
  /// A request that leaves an SM at t is not answered, nor its credit seen, before t + round_trip().
  Cycle round_trip() const { return request_latency_ + reply_latency_; }

  /// All is at rest and time begins at 0; what the caches hold stays, unless the GPU flushes them before a launch.
  void begin_launch();
  /// Takes the requests of one SM.
  void collect(std::uint32_t sm, std::vector<noc::Request>& outbox);
  /// Works on what left the SMs before cycle `end`; nothing more will come from before it.
  void run_until(Cycle end, engine::WorkerPool& pool);
  /// What has come back to an SM since it was last cleared, none before the `end` of the last run_until.
  std::vector<noc::Reply>& replies(std::uint32_t sm) { return replies_[sm]; }
  /// The SMs to which something has come back in the last run_until(), in order.
  const std::vector<std::uint32_t>& answered_sms() const { return answered_sms_; }

  /// What caches and translation buffers hold becomes what it would be after requests, in this order, that are not timed and
  /// not counted (l2::Slice::warm).
  void warm(std::span<const UntimedRequest> requests, engine::WorkerPool& pool);

  /// run_until must be called with an end behind this cycle before anything more can come back; never at rest.
  Cycle next_event() const;
  /// Requests that have been collected and not been answered.
  std::uint64_t outstanding() const { return collected_ - answered_; }
  /// Grows with every request that is collected or answered.
  std::uint64_t moved() const { return collected_ + answered_; }
  /// When an SM saw the last reply of this launch.
  Cycle last_reply() const { return last_reply_; }
  MemoryCounters counters() const;
  /// Lines that say which requests wait in the slices for a word to be written.
  std::string describe_waits() const;

 private:
  struct Collected {
    noc::Request request;
    std::uint32_t sm = 0;
  };
  /// A message on its way to an SM's port.
  struct Arriving {
    clock::Ticks time = 0;
    std::uint32_t token = 0, bytes = 0;
    std::uint16_t slice = 0;
    bool credit = false;
    std::uint32_t words = 0;
  };

  void send(const noc::Request& request, std::uint32_t sm, Cycle delay);
  void translate(Cycle end);
  void hand_back(clock::Ticks horizon);

  const GpuSpec& spec_;
  bool flushes_;  ///< Before each launch.
  Cycle request_latency_, reply_latency_;
  noc::SliceMap slices_;
  cache::Tlb tlb_;
  cache::Tlb page_table_;
  std::vector<MemoryPartition> partitions_;  ///< Slice s is number s / partitions of partition s modulo partitions.
  std::vector<Collected> untranslated_;
  engine::EventTimes events_;       ///< By partition: the next one.
  std::vector<std::uint32_t> due_;  ///< Partitions with something to do in this window.
  std::uint32_t slices_of_partition_;
  std::vector<std::pair<std::uint64_t, Cycle>> walks_;  ///< Page walks in progress, and when they end.
  std::vector<noc::Port> sm_ports_;
  std::vector<std::vector<Arriving>> arriving_;   ///< By SM.
  std::vector<std::vector<noc::Reply>> replies_;  ///< By SM.
  std::vector<std::uint32_t> answered_sms_;
  std::uint64_t collected_ = 0, answered_ = 0;
  /// By partition, within warm(): requests with their slices.
  std::vector<std::vector<std::pair<const UntimedRequest*, std::uint32_t>>> warming_;
  TranslationCounters translation_;
  Cycle last_reply_ = 0;
};

}  // namespace lockstep::gpu
