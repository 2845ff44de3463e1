#pragma once
// Sampling as a replay uses it: of each launch, and what is said of all of them.

#include <memory>
#include <optional>
#include <span>

#include "sim/gpu/sampled/block_sampling.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/gpu/sm/sm.hpp"

namespace lockstep::gpu::sampled {

/// What a launch runs on.
struct Machine {
  std::span<const std::unique_ptr<Sm>> sms;
  MemorySystem& memory;
  engine::WorkerPool& pool;
};

/// Of one launch of a replay that may be sampled, or of one that is not.
class LaunchSampler {
 public:
  /// `wanted_error` 0: it is not. Everything outlives this; the SMs have begun the launch.
  LaunchSampler(const GpuSpec& spec, trace::Source& source, std::uint32_t launch, const Machine& machine,
                double wanted_error);
  LaunchSampler(const LaunchSampler&) = delete;  // What `blocks_` calls has its address.
  LaunchSampler& operator=(const LaunchSampler&) = delete;

  /// For the LaunchRun; null where every thread block is replayed.
  BlockSampling* blocks() { return blocks_ ? &*blocks_ : nullptr; }
  /// The launch has taken LaunchResult::cycles: what was passed over is added to it. Returns its counters.
  Counters conclude(LaunchResult& launch) const;

 private:
  Machine machine_;
  std::optional<BlockSampling> blocks_;
  std::string whole_;  ///< Why it is replayed whole.
};

/// Sums up the launches in Result::sampling, with a note for the user.
void conclude(double wanted_error, Result& result);

}  // namespace lockstep::gpu::sampled
