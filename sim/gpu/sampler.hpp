#pragma once
// Takes the samples of a replay (sample.hpp) without changing it: SMs and memory stop at the cycles of samples and go on.
//
// The memory works on what left the SMs before a cycle up to that cycle and the latency of a request. It stands as at a
// sample's cycle when that latency is left to go.

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sim/gpu/memory/memory_system.hpp"
#include "sim/gpu/sample.hpp"
#include "sim/gpu/sm/sm.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class Sampler {
 public:
  using Sms = std::span<const std::unique_ptr<Sm>>;

  /// Of a replay on these SMs and this memory, which outlive it. `options` has an interval.
  Sampler(const GpuSpec& spec, const SampleOptions& options, Sms sms, const MemorySystem& memory);

  /// The first `used` SMs have begun a launch at cycle `begin` of the replay.
  void begin_launch(std::size_t used, Cycle begin);
  /// The cycle of the launch, up to which SMs or memory must be run before the next take_...(); never: there is none.
  Cycle next_of_sms() const { return next_of_sms_; }
  Cycle next_of_memory() const {
    return next_of_memory_ == never ? never : next_of_memory_ - std::min(next_of_memory_, request_latency_);
  }
  void take_sms();
  void take_memory();
  /// The launch goes on for at least these cycles: samples until then are given to whoever asked for them.
  void reached(Cycle cycle);
  /// The launch has taken `cycles`, and nothing is left to happen; before the SMs are told.
  void end_launch(Cycle cycles);
  /// The replay has ended after `cycles`.
  void end(Cycle cycles);

 private:
  struct OfSms {
    SmCounters counters;
    std::vector<FifoLevel> fifos;
  };
  bool watched(std::size_t sm) const;
  /// Issue slots before cycle `now` of the launch of all SMs that it does not reach.
  std::uint64_t slots_of_others(Cycle now) const;
  Cycle following(Cycle of_launch) const;

  const GpuSpec& spec_;
  const SampleOptions& options_;
  Sms sms_;
  const MemorySystem& memory_;
  Cycle request_latency_;
  std::size_t used_ = 0;
  Cycle begin_ = 0;  ///< Of the launch, a cycle of the replay.
  Cycle given_ = 0;  ///< The last sample's; a cycle of the replay.
  Cycle next_of_sms_ = never, next_of_memory_ = never, next_given_ = never;  ///< Cycles of the launch.
  std::deque<OfSms> of_sms_;                                                 ///< Taken and not given.
  std::deque<MemoryCounters> of_memory_;                                     ///< The same.
  std::uint64_t slots_of_others_ = 0;                                        ///< In the launches that have ended.
};

}  // namespace lockstep::gpu
